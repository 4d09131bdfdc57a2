/**
 * Owns: mistake E2, the checkpoint before the tool has finished: it says that the action is done, and what the tool found
 * stays in memory until the next checkpoint.
 */
import { saveCheckpoint } from '../engine/checkpoint.ts';
import { executeOnce } from '../engine/execute-once.ts';
import { succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { takeUp } from '../engine/runner.ts';
import { actionResult, nextCheckpoint } from './parts.ts';
import type { Step, Variant } from './variant.ts';

/** What a tool's result looks like before there is one. */
const nothingYet: JsonObject = { next_step: 'None', runbook_code: 'None', reply: 'None' };

function newSession(): Step {
  let found: JsonObject = {};
  return async (engine, runId) => {
    const ready = await takeUp(engine, runId);
    if (!ready.ok) return ready;
    const { run, action } = ready.value;
    const context = { ...ready.value.context, ...found };
    const next = nextCheckpoint(run, action, context, nothingYet);
    if (!next.ok) return next;
    // The mistake: saved before the tool is called.
    const saved = await saveCheckpoint(engine, run, action.name, next.value);
    if (!saved.ok) return saved;
    const result = await actionResult(action, context, (tool, toolArguments) =>
      executeOnce(engine, run, action.name, tool, toolArguments),
    );
    if (!result.ok) return result;
    const applied = action.tool ? action.apply(context, result.value) : null;
    if (applied?.ok) found = applied.value;
    return succeed(saved.value);
  };
}

export const checkpointFirst: Variant = {
  id: 'e2',
  title: 'The checkpoint is saved before the tool finishes',
  newSession,
};
