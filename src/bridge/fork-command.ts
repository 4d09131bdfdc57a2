/**
 * Owns: a fork with a context that a person has written as JSON.
 * Leaves: the fork itself to engine/fork.ts.
 */
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import { forkRun } from '../engine/fork.ts';
import { isJsonObject, type JsonValue } from '../engine/json.ts';
import type { Run } from '../engine/records.ts';
import type { Params } from './protocol.ts';

/** Fails with JsonRefused, nothing written, for what is no JSON object; the reason is the parser's own. */
export function fork(engine: Engine, { runId, version, contextJson }: Params<'fork'>): Promise<Result<Run>> {
  if (contextJson === null) return forkRun(engine, runId, version, null);
  const refused = (reason: string) =>
    Promise.resolve(fail({ type: 'JsonRefused', path: 'context', reason } as const));
  let context: JsonValue;
  try {
    context = JSON.parse(contextJson) as JsonValue;
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  return isJsonObject(context)
    ? forkRun(engine, runId, version, context)
    : refused('a context is a JSON object: { … }');
}
