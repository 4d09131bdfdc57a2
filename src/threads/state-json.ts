/**
 * Owns: the text of a stored thread, the same in every store: one JSON rule (R10), in the form that aisuite's file store
 * writes: one line, keys sorted, `, ` and `: ` between, ASCII only, a newline at the end.
 * Leaves: what the records hold to parse-records.ts; where the text is kept to the stores.
 *
 * What comes back is what went in, or it is refused with its path: NaN, undefined, cycles and the like when it is written, a
 * number that JavaScript has not got when it is read. What looks like a key or a token is taken out (R12).
 */
import { decodeJson, encodeJson, isJsonObject, type JsonObject, type JsonValue } from '../engine/json.ts';
import { redactText } from '../engine/redaction.ts';
import { StateNotJsonError } from './errors.ts';
import { Misread, parseState, parseStored } from './parse-records.ts';
import type { RunState, StoredRunState } from './records.ts';

/** Of the document; a newer one is refused. */
export const schemaVersion = 1;

export type Document =
  | { readonly type: 'stored'; readonly stored: StoredRunState }
  | { readonly type: 'newer'; readonly schemaVersion: number }
  | { readonly type: 'corrupt'; readonly reason: string };

/** A copy of a state that a caller gives, as it will be read again. Throws StateNotJsonError. */
export function checkedState(state: unknown): RunState {
  try {
    return parseState(checkedJson(state, 'state'));
  } catch (error) {
    if (error instanceof Misread) throw new StateNotJsonError(error.path, error.reason);
    throw error;
  }
}

/** As `checkedState`, of metadata. */
export function checkedMetadata(metadata: unknown): JsonObject {
  const value = checkedJson(metadata, 'metadata');
  if (isJsonObject(value)) return value;
  throw new StateNotJsonError('metadata', 'is no object');
}

function checkedJson(value: unknown, name: string): JsonValue {
  const text = encodeJson(value, name);
  if (!text.ok) throw new StateNotJsonError(text.failure.path, text.failure.reason);
  const decoded = decodeJson(redactText(text.value));
  if (decoded === null) throw new Error(`${name} is no JSON without its secrets`);
  return decoded.value;
}

/** The text of a document whose parts were checked. */
export function documentText(stored: StoredRunState): string {
  const text = encodeJson({ ...stored, schema_version: schemaVersion }, 'document');
  if (!text.ok) throw new StateNotJsonError(text.failure.path, text.failure.reason);
  const decoded = decodeJson(redactText(text.value));
  if (decoded === null) throw new Error('a document is no JSON without its secrets');
  return `${asPython(decoded.value)}\n`;
}

/** Reads the text of a document; never throws: a file from elsewhere may hold anything. */
export function readDocument(text: string): Document {
  const decoded = decodeJson(text);
  if (decoded === null) return { type: 'corrupt', reason: `it is no JSON${isEmpty(text)}` };
  const { value } = decoded;
  const version = isJsonObject(value) ? value['schema_version'] : undefined;
  if (typeof version === 'number' && version > schemaVersion) {
    return { type: 'newer', schemaVersion: version };
  }
  if (version !== undefined && version !== schemaVersion) {
    return { type: 'corrupt', reason: `its schema_version is ${JSON.stringify(version).slice(0, 40)}` };
  }
  const number = numberThatChanges(text);
  if (number !== null) {
    return {
      type: 'corrupt',
      reason: `it holds the number ${number}, which would not be the same when it is saved`,
    };
  }
  try {
    const stored = parseStored(withoutVersion(value));
    const again = encodeJson(stored, 'document');
    if (!again.ok) return { type: 'corrupt', reason: `${again.failure.path}: ${again.failure.reason}` };
    return { type: 'stored', stored };
  } catch (error) {
    if (error instanceof Misread) return { type: 'corrupt', reason: error.message };
    throw error;
  }
}

/** Reads the bytes of a document: UTF-8, with or without a mark at its beginning. */
export function readDocumentBytes(bytes: Uint8Array): Document {
  try {
    return readDocument(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return { type: 'corrupt', reason: 'its bytes are no UTF-8 text' };
    throw error;
  }
}

function withoutVersion(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'schema_version'));
}

function isEmpty(text: string): string {
  return text.trim() === '' ? ': it is empty' : '';
}

/** A whole number beyond 2^53 or one beyond all range, as it is written; null: there is none. */
function numberThatChanges(json: string): string | null {
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    const isWhole = /^-?\d+$/.test(token);
    if (!Number.isFinite(value) || (isWhole && !Number.isSafeInteger(value))) return token.slice(0, 40);
  }
  return null;
}

/** As Python's `json.dumps(value, sort_keys=True)` does; it sorts by code point, JavaScript by UTF-16 unit. */
function asPython(value: JsonValue): string {
  if (typeof value === 'string') return ascii(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => asPython(item)).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .map(([key, item]) => [[...key], `${ascii(key)}: ${asPython(item)}`] as const)
    .sort(([a], [b]) => compareCharacters(a, b));
  return `{${members.map(([, text]) => text).join(', ')}}`;
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function compareCharacters(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
