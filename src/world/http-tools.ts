/**
 * Owns: a tool's call as a request to an address, and what the answer, or none, says about the work.
 * Leaves: the log around it to http-service.ts; which addresses there may be to address.ts.
 * Invariant: `failed` is said only where the work was certainly not done. A browser can't tell a refused request from one
 * that was carried out and whose answer may not be read (CORS, network, TLS): that is `unknown`.
 *
 * What no page can prevent: when a connection that was used before breaks without an answer, Chromium and Firefox send
 * the request once more by themselves, under the same key. Only an address that honours keys works once.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { encodeJson } from '../engine/json.ts';
import type { Clock, ToolAnswer, ToolRequest } from '../engine/ports.ts';
import { checkAddress } from './address.ts';
import { answerObject } from './http-answer.ts';

export interface HttpParts {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly clock: Clock;
  /** The page came over https. */
  readonly secure: boolean;
}

/**
 * The request, not yet sent: the same bytes on every retry. Nothing of the visitor goes with it, and no redirect is
 * followed: it would carry the call elsewhere. The failure is the reason, in plain words. Made whole at once: a request
 * made of another one tells the referrer again.
 */
export function requestFor(
  { secure }: Pick<HttpParts, 'secure'>,
  { key, tool, arguments: toolArguments, destination, scope }: ToolRequest,
  signal: AbortSignal,
): Result<Request, string> {
  const address = checkAddress(destination ?? '', { secure });
  if (!address.ok) return fail(`the address can’t be sent to (${address.failure.because})`);
  const body = encodeJson({ tool, arguments: toolArguments }, 'call');
  const sendable = encodeJson([scope, key], 'key');
  if (!body.ok || !sendable.ok) return fail('the call is no text that can be sent');
  return succeed(
    new Request(address.value, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKeyHeader(scope, key) },
      body: body.value,
      mode: 'cors',
      credentials: 'omit',
      redirect: 'manual',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal,
    }),
  );
}

/** An address serves many databases, which have runs of the same names. What a header can't hold is percent-encoded. */
export function idempotencyKeyHeader(scope: string, key: string): string {
  return `${scope}:${key}`.replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent);
}

/** Until the request's signal fires. Never rejects. */
export async function send(parts: HttpParts, request: Request): Promise<ToolAnswer> {
  const { signal } = request;
  if (signal.aborted) {
    return { type: 'failed', reason: 'its time was up before it was sent', retryable: true };
  }
  let response: Response;
  try {
    response = await parts.fetch(request);
  } catch {
    return unknown(
      signal.aborted
        ? 'no answer before its time was up'
        : 'the browser could not send it, or may not read the answer; it does not say which',
    );
  }
  const object = await answerObject(response);
  if (response.ok) {
    if (object.type === 'object') return { type: 'done', result: object.value };
    return unknown(`the address answered ${String(response.status)}, and ${object.reason}`);
  }
  const detail = object.type === 'object' ? detailIn(object.value) : '';
  return refusal(parts, response, detail);
}

/** What an answer without success says about the work. */
function refusal(parts: HttpParts, { type, status, headers }: Response, detail: string): ToolAnswer {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return unknown('the address answered with another address, which was not followed');
  }
  const reason = `the address answered ${String(status)}${detail}`;
  switch (status) {
    case 408:
    case 425:
    case 429:
    case 503: {
      const after = retryAfter(headers.get('Retry-After'), parts.clock);
      return { type: 'failed', reason, retryable: true, ...(after !== null && { after }) };
    }
    // By the header's draft the first call under this key is still under way: its work may come to be done.
    case 409:
      return unknown(reason);
  }
  return status >= 400 && status < 500 ? { type: 'failed', reason, retryable: false } : unknown(reason);
}

function unknown(reason: string): ToolAnswer {
  return { type: 'unknown', reason };
}

/** Problem details (RFC 9457), or what is common besides. */
function detailIn(problem: JsonObject): string {
  const texts = ['detail', 'title', 'error', 'message'].map((member) => problem[member]);
  const text = texts.find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? `: ${text.slice(0, 200)}` : '';
}

/** The longest wish that is heeded, in milliseconds. */
const longestAfter = 3_600_000;

/** Seconds, or a date; in milliseconds from now. Null: no wish, or one that can't be read. */
function retryAfter(header: string | null, clock: Clock): number | null {
  const text = header?.trim() ?? '';
  const wished = /^\d+$/.test(text)
    ? Number(text) * 1000
    : text.endsWith(' GMT')
      ? Date.parse(text) - Date.parse(clock.now())
      : NaN;
  return Number.isNaN(wished) ? null : Math.min(Math.max(wished, 0), longestAfter);
}
