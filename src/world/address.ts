/**
 * Owns: which addresses a tool's calls may be sent to.
 * Leaves: sending to http-tools.ts; the sentence for a person to ui/.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';

/**
 * `not_an_address`: it can't be read as one. `not_http`: neither http nor https. `has_password`: a user name or password
 * stands in it. `plain_http`: the browser sends nothing there from a page that came over https.
 */
export interface AddressRefused {
  readonly type: 'AddressRefused';
  readonly because: 'not_an_address' | 'not_http' | 'has_password' | 'plain_http';
}

/** The address as it is sent to, without a fragment. `secure`: the page came over https. */
export function checkAddress(
  text: string,
  { secure }: { readonly secure: boolean },
): Result<string, AddressRefused> {
  const refused = (because: AddressRefused['because']) => fail({ type: 'AddressRefused', because } as const);
  if (!URL.canParse(text)) return refused('not_an_address');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('not_http');
  if (url.username !== '' || url.password !== '') return refused('has_password');
  if (secure && url.protocol === 'http:' && !isLoopback(url.hostname)) return refused('plain_http');
  url.hash = '';
  return succeed(url.href);
}

/** This machine, which browsers trust without https. The URL parser has written numbers in one way by now. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
