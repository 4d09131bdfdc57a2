/**
 * Owns: a new run that begins at a checkpoint of another one.
 * Leaves: the checkpoint to history.ts. The parent is not touched.
 * Invariant: a fork is a run of its own: version 0, its own keys. So nothing that its parent was allowed, or has saved,
 * counts for a call that the fork makes.
 */
import { loadRun } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { appendEvent, drawLabel } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { checkpointAt } from './history.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { Run } from './records.ts';
import { freeRunId } from './run-ids.ts';
import { ableToGoOn } from './run-workflow.ts';
import { insertRun } from './start.ts';

/**
 * Forks `runId` at the version. `context`: edited by a person; null: as it was. Durable on return (R9). Fails with
 * RunNotFound, NoSuchCheckpoint (not recorded, or nothing is left to do there) and what stands in the way of going on.
 */
export function forkRun(
  engine: Engine,
  runId: string,
  version: number,
  context: JsonObject | null,
): Promise<Result<Run>> {
  return engine.database.commit<Run>('fork', (transaction) => {
    const parent = loadRun(transaction, runId);
    if (parent === undefined) return fail({ type: 'RunNotFound', runId });
    const past = checkpointAt(transaction, runId, version);
    const contextJson = encodeJson(context ?? past?.context ?? null, 'context');
    if (!contextJson.ok) return contextJson;
    if (past === null || past.context === null || past.nextAction === null) {
      return fail({ type: 'NoSuchCheckpoint', runId, version });
    }
    const { ticketId } = parent;
    const { nextAction } = past;
    const state = { status: 'running', nextAction, contextJson: contextJson.value } as const;
    const workflow = ableToGoOn(transaction, engine, { ...parent, ...state });
    if (!workflow.ok) return workflow;
    const session = drawLabel(engine, transaction);
    engine.crash.reach('fork.session_drawn');
    const fork: Run = { runId: freeRunId(transaction, ticketId), ticketId, ...state, version: 0 };
    insertRun(engine, transaction, 'fork', fork, workflow.value);
    transaction.run('UPDATE run_details SET parent_run_id = ?, parent_version = ? WHERE run_id = ?', [
      runId,
      version,
      fork.runId,
    ]);
    engine.crash.reach('fork.parent_recorded');
    const detail = `${runId} version ${String(version)}${context === null ? '' : ', edited'}`;
    const event = { runId: fork.runId, type: 'run_forked', action: 'fork', detail } as const;
    appendEvent(engine, transaction, 'fork', session, event);
    return succeed(fork);
  });
}
