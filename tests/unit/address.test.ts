import { describe, expect, test } from 'vitest';
import { checkAddress } from '../../src/world/address.ts';

describe('the addresses that calls may be sent to', () => {
  test.each([
    ['https://example.org/hooks?x=1#here', 'https://example.org/hooks?x=1'],
    ['  HTTPS://Example.org ', 'https://example.org/'],
    ['http://localhost:8080/', 'http://localhost:8080/'],
    ['http://tool.localhost/', 'http://tool.localhost/'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://[::1]:9/', 'http://[::1]:9/'],
  ])('%s is one, also from a page that came over https', (text, href) => {
    expect(checkAddress(text, { secure: true })).toEqual({ ok: true, value: href });
  });

  test.each([
    ['', 'not_an_address'],
    ['example.org', 'not_an_address'],
    ['https://', 'not_an_address'],
    ['javascript:alert(1)', 'not_http'],
    ['file:///etc/passwd', 'not_http'],
    ['data:text/plain,x', 'not_http'],
    ['ws://example.org/', 'not_http'],
    ['https://me:secret@example.org/', 'has_password'],
    ['https://me@example.org/', 'has_password'],
    ['http://example.org/', 'plain_http'],
    ['http://127.0.0.1.example.org/', 'plain_http'],
    ['http://localhost.example.org/', 'plain_http'],
    ['http://notlocalhost/', 'plain_http'],
    ['http://192.168.0.1/', 'plain_http'],
  ])('"%s" is none: %s', (text, because) => {
    expect(checkAddress(text, { secure: true })).toEqual({
      ok: false,
      failure: { type: 'AddressRefused', because },
    });
  });

  test('a page that came over plain http may send to plain http', () => {
    expect(checkAddress('http://192.168.0.1/tool', { secure: false })).toEqual({
      ok: true,
      value: 'http://192.168.0.1/tool',
    });
  });
});
