/**
 * Owns: the step without a mistake, written with the parts that the mistakes are written with, so that each can be read
 * beside it. At every crash it ends as the engine's own step does (tests/crash/mistakes.test.ts).
 */
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
    const result = await actionResult(action, context, (tool, toolArguments) =>
      executeOnce(engine, run, action.name, tool, toolArguments),
    );
    if (!result.ok) return result;
    const next = nextCheckpoint(run, action, context, result.value);
    return next.ok ? saveCheckpoint(engine, run, action.name, next.value) : next;
  };
}

export const sound: Variant = { id: 'sound', title: 'The step without a mistake', newSession };
