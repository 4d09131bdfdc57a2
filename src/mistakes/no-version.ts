/** Owns: mistake E5, no version in the UPDATE: whoever saves last wins, and nobody is told. */
import { executeOnce } from '../engine/execute-once.ts';
import { appendEvent, labelOf } from '../engine/events.ts';
import type { Checkpoint } from '../engine/checkpoint.ts';
import type { Engine } from '../engine/engine.ts';
import { succeed, type Result } from '../engine/failure.ts';
import { encodeJson } from '../engine/json.ts';
import type { Run } from '../engine/records.ts';
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
    return next.ok ? saveUnguarded(engine, run, action.name, next.value) : next;
  };
}

/** As the engine's `saveCheckpoint`, but for the version. */
export async function saveUnguarded(
  engine: Engine,
  run: Run,
  action: string,
  next: Checkpoint,
): Promise<Result<Run>> {
  const contextJson = encodeJson(next.context, 'context');
  if (!contextJson.ok) return contextJson;
  const saved = { ...run, ...next, contextJson: contextJson.value, version: run.version + 1 };
  const boundary = `${action}.checkpoint`;
  return engine.database.commit(boundary, (transaction) => {
    // The mistake: `AND version = ?` is missing.
    transaction.run(
      'UPDATE agent_runs SET status = ?, next_action = ?, context_json = ?, version = ? WHERE run_id = ?',
      [saved.status, saved.nextAction, saved.contextJson, saved.version, run.runId],
    );
    engine.crash.reach(`${boundary}.updated`);
    const session = labelOf(engine, transaction) ?? 'session-0';
    const detail = `version ${String(saved.version)}`;
    const event = { runId: run.runId, type: 'checkpoint_saved', action, detail } as const;
    appendEvent(engine, transaction, boundary, session, event);
    return succeed(saved);
  });
}

export const noVersion: Variant = { id: 'e5', title: 'No version in the UPDATE', newSession };
