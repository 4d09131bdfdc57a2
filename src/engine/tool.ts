/**
 * Owns: what a tool of the world outside is: slow, remote, with a memory of its own. It declares what a second call
 * under the same key does, and what holds before the first.
 * Leaves: calling it to effects.ts; which tools there are to the workflows.
 */
import type { JsonObject } from './json.ts';
import { redactText } from './redaction.ts';

/**
 * What may be done when it is not known whether the tool did its work:
 * `read`: call again. `idempotent`: call again under the same key; the other side recognises it.
 * `at-most-once`: never again by itself; a person decides.
 */
export type Safety = 'read' | 'idempotent' | 'at-most-once';

export interface OutsideTool {
  readonly name: string;
  readonly safety: Safety;
  /** Why the arguments do not fit, or null. Asked before an intent is written. */
  check(toolArguments: JsonObject): string | null;
  /** Why a person must say yes to exactly these arguments first, or null: nobody need be asked. */
  approval(toolArguments: JsonObject): string | null;
  /** How long a call may take, in milliseconds. */
  readonly timeLimit: number;
  /** After so many answers that were errors, or calls without an answer, the run fails. */
  readonly attempts: number;
  /** Members of arguments and result whose values are written nowhere. */
  readonly secrets: readonly string[];
}

/** One call that an action makes. */
export interface OutsideCall {
  /** Tells apart the calls of one action; null where there is one. */
  readonly id: string | null;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** The logical action that a call's key is made of: the action, or one of its calls. */
export function logicalAction(action: string, call: Pick<OutsideCall, 'id'>): string {
  return call.id === null ? action : `${action}/${call.id}`;
}

/**
 * Why the calls can't be told apart by their ids, or null: two that are the same would share one key and one result. An
 * id is part of a key, so it is stored: what looks like a secret is none.
 */
export function whyAlike(calls: readonly Pick<OutsideCall, 'id'>[]): string | null {
  const ids = calls.map(({ id }) => id ?? '');
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return `two of its calls have the id ${JSON.stringify(twice)}`;
  return ids.some((id) => redactText(id) !== id) ? 'the id of a call looks like a key or a token' : null;
}

/** A validator of the Standard Schema kind (standardschema.dev), as far as it is used here. */
interface StandardSchema {
  readonly '~standard': { validate(value: unknown): unknown };
}

/** A `check` out of a validator such as zod's or valibot's. One that answers later is not fit: the check is synchronous. */
export function standardCheck(schema: StandardSchema): OutsideTool['check'] {
  return (toolArguments) => {
    const answer = schema['~standard'].validate(toolArguments);
    if (answer instanceof Promise) return 'the schema answers later than it is asked';
    if (typeof answer !== 'object' || answer === null || !('issues' in answer)) return null;
    if (!Array.isArray(answer.issues)) return null;
    const texts = answer.issues.map((issue: unknown) =>
      typeof issue === 'object' && issue !== null && 'message' in issue ? String(issue.message) : 'unfit',
    );
    return texts.length === 0 ? null : texts.join('; ');
  };
}
