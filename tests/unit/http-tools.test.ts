import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolAnswer, ToolRequest } from '../../src/engine/ports.ts';
import { largestAnswer } from '../../src/world/http-answer.ts';
import type { HttpParts } from '../../src/world/http-tools.ts';
import { idempotencyKeyHeader, requestFor, send } from '../../src/world/http-tools.ts';
import { json, startToolServer, type ToolServer } from '../support/tool-server.ts';

const never = new AbortController().signal;
const parts: HttpParts = {
  fetch: (request) => fetch(request),
  clock: { now: () => '2026-01-05T09:00:00.000Z' },
  secure: false,
};
let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server.close());

const call = (path: string, over: Partial<ToolRequest> = {}): ToolRequest => ({
  key: 'run-T104:open_work_order',
  tool: 'open_work_order',
  arguments: { priority: 'urgent', area: 'cold storage' },
  destination: `${server.address}${path}`,
  scope: 'lab',
  ...over,
});

function sent(path: string, signal = never): Promise<ToolAnswer> {
  const request = requestFor(parts, call(path), signal);
  if (!request.ok) throw new Error(request.failure);
  return send(parts, request.value);
}

describe('what is sent', () => {
  test('is one POST with tool and arguments, under the key, and nothing of the visitor', async () => {
    server.answer('/what', json(200, { work_order: 'WO-1' }));
    expect(await sent('/what')).toEqual({ type: 'done', result: { work_order: 'WO-1' } });
    const [request, ...more] = server.calls.filter(({ path }) => path === '/what');
    expect(more).toEqual([]);
    expect(request).toMatchObject({
      method: 'POST',
      body: '{"arguments":{"area":"cold storage","priority":"urgent"},"tool":"open_work_order"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'lab:run-T104:open_work_order' },
    });
    for (const header of ['cookie', 'authorization', 'referer'])
      expect(request?.headers).not.toHaveProperty(header);
  });

  test('asks for no credentials, no cache, no referrer, and follows no redirect', () => {
    const request = requestFor(parts, call('/'), never);
    expect(request.ok && request.value).toMatchObject({
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
    });
  });

  test('the key differs from lab to lab, and what a header can’t hold differs still', () => {
    expect(idempotencyKeyHeader('lab', 'run-T104:close')).toBe('lab:run-T104:close');
    expect(idempotencyKeyHeader('lab', 'run-é\r\nX: y%')).toBe('lab:run-%C3%A9%0D%0AX:%20y%25');
  });

  test.each([
    ['an address that may not be sent to', { destination: 'https://me:secret@example.org/' }],
    ['no address at all', { destination: null }],
    ['arguments that are not JSON', { arguments: { text: '\ud800' } }],
    ['a key that is no text', { key: '\ud800' }],
  ])('%s is refused before anything is sent', (_, over) => {
    expect(requestFor(parts, call('/', over), never).ok).toBe(false);
  });
});

describe('what an answer says of the work', () => {
  test.each([
    [200, { a: 1 }, { type: 'done', result: { a: 1 } }],
    [201, {}, { type: 'done', result: {} }],
    [
      400,
      { detail: 'no area' },
      { type: 'failed', reason: 'the address answered 400: no area', retryable: false },
    ],
    [404, 'gone', { type: 'failed', reason: 'the address answered 404', retryable: false }],
    [422, { title: 'key reused' }, { type: 'failed', retryable: false }],
    [408, {}, { type: 'failed', retryable: true }],
    [425, {}, { type: 'failed', retryable: true }],
    [429, {}, { type: 'failed', retryable: true }],
    [503, {}, { type: 'failed', retryable: true }],
    [409, { error: 'still at it' }, { type: 'unknown', reason: 'the address answered 409: still at it' }],
    [500, {}, { type: 'unknown' }],
    [502, {}, { type: 'unknown' }],
    [504, {}, { type: 'unknown' }],
  ] as const)('%i %j: %j', async (status, body, answer) => {
    server.answer('/status', json(status, body));
    expect(await sent('/status')).toMatchObject(answer);
  });

  test.each([
    ['no body', ''],
    ['no JSON', '<html>'],
    ['a list', '[{}]'],
    ['null', 'null'],
    ['what no table can hold', '{"text":"\\ud800"}'],
    ['too much', JSON.stringify({ text: 'x'.repeat(largestAnswer) })],
  ])('a success with %s is unknown: the work is done, its result is not to be had', async (_, body) => {
    server.answer('/odd', json(200, body));
    expect(await sent('/odd')).toMatchObject({ type: 'unknown' });
  });

  test('a success that is no UTF-8 is unknown', async () => {
    server.answer('/bytes', (_, response) => {
      response.writeHead(200).end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    });
    expect(await sent('/bytes')).toMatchObject({ type: 'unknown' });
  });

  test('the largest answer that is taken is taken', async () => {
    const frame = JSON.stringify({ text: '' }).length;
    server.answer('/large', json(200, { text: 'x'.repeat(largestAnswer - frame) }));
    expect(await sent('/large')).toMatchObject({ type: 'done' });
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is unknown, and is not followed', async (status) => {
    server.answer('/moved', json(status, {}, { location: `${server.address}/elsewhere-${String(status)}` }));
    expect(await sent('/moved')).toMatchObject({ type: 'unknown' });
    expect(server.calls.some(({ path }) => path.startsWith('/elsewhere'))).toBe(false);
  });

  test.each([
    ['7', 7_000],
    ['0', 0],
    ['Mon, 05 Jan 2026 09:00:30 GMT', 30_000],
    ['Mon, 05 Jan 2026 08:00:00 GMT', 0],
    ['999999999999', 3_600_000],
    ['Mon, 05 Jan 2099 09:00:00 GMT', 3_600_000],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('Retry-After "%s" is a wish for %s milliseconds', async (header, after) => {
    server.answer('/busy', json(429, {}, { 'retry-after': header }));
    const answer = await sent('/busy');
    expect(answer.type === 'failed' && answer.after).toBe(after);
  });
});

describe('no answer', () => {
  test('nobody there: unknown, never failed', async () => {
    const gone = await startToolServer();
    await gone.close();
    const request = requestFor(parts, call('/', { destination: gone.address }), never);
    if (!request.ok) throw new Error(request.failure);
    expect(await send(parts, request.value)).toMatchObject({ type: 'unknown' });
  });

  test('a connection that is cut before the answer, or in its middle: unknown', async () => {
    server.answer('/cut-before', (_, response) => response.destroy());
    expect(await sent('/cut-before')).toMatchObject({ type: 'unknown' });
    server.answer('/cut-within', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"a":', () => response.destroy());
    });
    expect(await sent('/cut-within')).toMatchObject({ type: 'unknown' });
  });

  test('an answer that is late: unknown as soon as the time is up, and the server was called', async () => {
    server.answer('/slow', () => undefined);
    const time = new AbortController();
    const answer = sent('/slow', time.signal);
    await server.received('/slow');
    time.abort();
    expect(await answer).toEqual({ type: 'unknown', reason: 'no answer before its time was up' });
  });

  test('an answer whose end is late: unknown as soon as the time is up', async () => {
    const time = new AbortController();
    server.answer('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"a":');
    });
    const slow: HttpParts = {
      ...parts,
      fetch: async (request) => {
        const response = await fetch(request);
        time.abort();
        return response;
      },
    };
    const request = requestFor(slow, call('/endless'), time.signal);
    if (!request.ok) throw new Error(request.failure);
    expect(await send(slow, request.value)).toMatchObject({ type: 'unknown' });
  });

  test('a call whose time was up before is not sent: failed, and may be tried again', async () => {
    expect(await sent('/never', AbortSignal.abort())).toMatchObject({ type: 'failed', retryable: true });
    expect(server.calls.some(({ path }) => path === '/never')).toBe(false);
  });
});
