/** Owns: mistake E3, a new idempotency key on every retry: nothing that was saved is ever found again. */
import { executeOnce } from '../engine/execute-once.ts';
import { saveCheckpoint } from '../engine/checkpoint.ts';
import { takeUp } from '../engine/runner.ts';
import { actionResult, nextCheckpoint } from './parts.ts';
import type { Step, Variant } from './variant.ts';

function newSession(): Step {
  return async (engine, runId) => {
    const ready = await takeUp(engine, runId);
    if (!ready.ok) return ready;
    const { run, action, context } = ready.value;
    // The mistake: the key ends in something random.
    const attempt = Math.floor(engine.random() * 2 ** 32).toString(16);
    const result = await actionResult(action, context, (tool, toolArguments) =>
      executeOnce(engine, run, `${action.name}:${attempt}`, tool, toolArguments),
    );
    if (!result.ok) return result;
    const next = nextCheckpoint(run, action, context, result.value);
    return next.ok ? saveCheckpoint(engine, run, action.name, next.value) : next;
  };
}

export const freshKeys: Variant = {
  id: 'e3',
  title: 'A new key on every retry',
  newSession,
};
