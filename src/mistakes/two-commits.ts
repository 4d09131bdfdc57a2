/** Owns: mistake E4, state and event in separate transactions, in both orders. */
import { executeOnce } from '../engine/execute-once.ts';
import { stateConflict } from '../engine/checkpoint.ts';
import { appendEvent, labelOf } from '../engine/events.ts';
import { succeed } from '../engine/failure.ts';
import { encodeJson } from '../engine/json.ts';
import { takeUp } from '../engine/runner.ts';
import { actionResult, nextCheckpoint } from './parts.ts';
import type { Step, Variant } from './variant.ts';

function stepping(order: readonly ('state' | 'event')[]): Step {
  return async (engine, runId) => {
    const ready = await takeUp(engine, runId);
    if (!ready.ok) return ready;
    const { run, action, context } = ready.value;
    const result = await actionResult(action, context, (tool, toolArguments) =>
      executeOnce(engine, run, action.name, tool, toolArguments),
    );
    if (!result.ok) return result;
    const next = nextCheckpoint(run, action, context, result.value);
    if (!next.ok) return next;
    const contextJson = encodeJson(next.value.context, 'context');
    if (!contextJson.ok) return contextJson;
    const saved = { ...run, ...next.value, contextJson: contextJson.value, version: run.version + 1 };
    for (const half of order) {
      // The mistake: each half is a commit of its own.
      const boundary = `${action.name}.checkpoint_${half}`;
      const done = await engine.database.commit(boundary, (transaction) => {
        if (half === 'state') {
          const changed = transaction.run(
            `UPDATE agent_runs SET status = ?, next_action = ?, context_json = ?, version = ?
             WHERE run_id = ? AND version = ?`,
            [saved.status, saved.nextAction, saved.contextJson, saved.version, runId, run.version],
          );
          engine.crash.reach(`${boundary}.updated`);
          return changed === 1 ? succeed(null) : stateConflict(transaction, run);
        }
        const session = labelOf(engine, transaction) ?? 'session-0';
        const detail = `version ${String(saved.version)}`;
        const event = { runId, type: 'checkpoint_saved', action: action.name, detail } as const;
        appendEvent(engine, transaction, boundary, session, event);
        return succeed(null);
      });
      if (!done.ok) return done;
    }
    return succeed(saved);
  };
}

export const stateFirst: Variant = {
  id: 'e4-state-first',
  title: 'State and event in two commits, the state first',
  newSession: () => stepping(['state', 'event']),
};

export const eventFirst: Variant = {
  id: 'e4-event-first',
  title: 'State and event in two commits, the event first',
  newSession: () => stepping(['event', 'state']),
};
