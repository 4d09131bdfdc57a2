/**
 * Owns: reading a result that a person has typed; pure.
 * Leaves: what JSON can't hold beyond this (R10) to the engine, which says so before it writes.
 */
import type { Result } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';

/** The failure is a sentence that says what is wrong. */
export function resultFrom(text: string): Result<JsonObject, string> {
  const wrong = (failure: string) => ({ ok: false, failure }) as const;
  if (text.trim() === '') return wrong('Nothing is entered. An empty result is {}.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong('This is JSON, but no object: it must begin with { and end with }.');
  }
  return { ok: true, value: value as JsonObject };
}
