/**
 * Owns: the one JSON rule of every table (R10): keys sorted, and what JSON cannot hold is refused with its path.
 * Leaves: what the members mean to the workflow.
 * Invariant: `decodeJson(encodeJson(x))` equals x, and equal values give equal text, so text can be hashed.
 */
import type { JsonRefused, Result } from './failure.ts';
import { fail, succeed } from './failure.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Deeper values are refused: a reader written in another language may not follow. */
const deepest = 200;

class Refusal extends Error {
  readonly failure: JsonRefused;
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.failure = { type: 'JsonRefused', path, reason };
  }
}

/**
 * The canonical text of a value. `name` starts the path in a refusal: `context.readings[3]`.
 * Fails with JsonRefused for undefined, NaN, infinities, BigInt, Date, Map, functions, cycles, lone surrogates.
 */
export function encodeJson(value: unknown, name: string): Result<string, JsonRefused> {
  try {
    return succeed(encode(value, name, []));
  } catch (error) {
    if (error instanceof Refusal) return fail(error.failure);
    throw error;
  }
}

/** Reads stored text. Null when it is not JSON: a file from elsewhere may hold anything. */
export function decodeJson(text: string): { readonly value: JsonValue } | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return { value };
  } catch {
    return null;
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function encode(value: unknown, path: string, ancestors: readonly object[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return encodeText(value, path);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Refusal(path, `${String(value)} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new Refusal(path, `a value of type ${typeof value}`);
  if (ancestors.includes(value)) throw new Refusal(path, 'a cycle: the value contains itself');
  if (ancestors.length >= deepest) throw new Refusal(path, `nested deeper than ${String(deepest)} levels`);
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    // Array.from visits holes too, so that a sparse array is refused and not shortened.
    const items = Array.from(value, (item: unknown, index) =>
      encode(item, `${path}[${String(index)}]`, inside),
    );
    return `[${items.join(',')}]`;
  }
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Refusal(path, `a ${namedClass(prototype)}, not a plain object`);
  }
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members
    .map(([key, item]) => `${encodeText(key, `${path}.${key}`)}:${encode(item, `${path}.${key}`, inside)}`)
    .join(',')}}`;
}

function encodeText(text: string, path: string): string {
  // A pair of surrogates matches as one character under the u flag: what is left is a lone one.
  if (/\p{Surrogate}/u.test(text)) throw new Refusal(path, 'a lone surrogate, which UTF-8 cannot hold');
  return JSON.stringify(text);
}

function namedClass(prototype: object): string {
  const made: unknown = 'constructor' in prototype ? prototype.constructor : undefined;
  return typeof made === 'function' && made.name !== '' ? made.name : 'class instance';
}
