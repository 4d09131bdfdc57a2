/**
 * Owns: loading a run and saving its next checkpoint.
 * Leaves: tools and their results to execute-once.ts and effects.ts; the order of actions to runner.ts (R6); waiting
 * and failing to status.ts.
 * Invariants: checkpoint and event are one transaction (R2); only the expected version is replaced (R3).
 */
import { spend } from './budgets.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result, StateConflict } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { recordCheckpoint } from './history.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import type { Run, RunStatus } from './records.ts';
import { runFromRow } from './records.ts';

/** What a checkpoint keeps: enough to continue, not a transcript (R1). */
export interface Checkpoint {
  readonly status: RunStatus;
  readonly nextAction: string | null;
  readonly context: JsonObject;
}

export function loadRun(reader: Reader, runId: string): Run | undefined {
  const row = reader.get('SELECT * FROM agent_runs WHERE run_id = ?', [runId]);
  return row && runFromRow(row);
}

/**
 * Saves the checkpoint that follows `run` when the action is done, with its event, and returns the run as it is stored
 * now. Durable on return (R9). Fails with StateConflict, nothing written, if another worker saved a version first.
 */
export async function saveCheckpoint(
  engine: Engine,
  run: Run,
  action: string,
  checkpoint: Checkpoint,
): Promise<Result<Run>> {
  const contextJson = encodeJson(checkpoint.context, 'context');
  if (!contextJson.ok) return contextJson;
  const { status, nextAction } = checkpoint;
  const next: Run = { ...run, status, nextAction, contextJson: contextJson.value };
  const boundary = `${action}.checkpoint`;
  return engine.database.commit(boundary, (transaction) => {
    const saved = writeCheckpoint(engine, transaction, boundary, run, next, action);
    if (saved.ok) spend(transaction, run.runId, 'steps', 1);
    return saved;
  });
}

/**
 * Replaces `run` by `next`, one version later, inside the caller's transaction, with its row of the history and its
 * event `checkpoint_saved` of this action. Announces `.updated`, `.recorded` and `.event_appended`.
 */
export function writeCheckpoint(
  engine: Engine,
  transaction: Transaction,
  boundary: string,
  run: Run,
  next: Run,
  action: string,
): Result<Run> {
  const { runId } = run;
  const saved: Run = { ...next, version: run.version + 1 };
  const changed = transaction.run(
    `UPDATE agent_runs SET status = ?, next_action = ?, context_json = ?, version = ?
     WHERE run_id = ? AND version = ?`,
    [saved.status, saved.nextAction, saved.contextJson, saved.version, runId, run.version],
  );
  engine.crash.reach(`${boundary}.updated`);
  const session = labelOf(engine, transaction);
  if (changed !== 1 || session === null) return stateConflict(transaction, run);
  recordCheckpoint(engine, transaction, boundary, saved, run);
  const detail = `version ${String(saved.version)}`;
  appendEvent(engine, transaction, boundary, session, { runId, type: 'checkpoint_saved', action, detail });
  return succeed(saved);
}

/** The run is not what this worker took up: another one saved a version, or the lab was reset or replaced. */
export function stateConflict(reader: Reader, run: Run): Result<never, StateConflict> {
  const stored = loadRun(reader, run.runId)?.version ?? null;
  return fail({ type: 'StateConflict', runId: run.runId, expected: run.version, stored });
}
