/**
 * Owns: a run that waits for a person, goes on after it, fails, or is tried again.
 * Leaves: the checkpoint that each of these is to checkpoint.ts.
 * Invariant: a change of status is a checkpoint, and the event that names it stands beside it (R3).
 */
import { raise } from './budgets.ts';
import { loadRun, writeCheckpoint } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { appendEvent, drawLabel, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Reader, Transaction } from './ports.ts';
import type { EventType, Run, RunStatus } from './records.ts';

interface Change {
  readonly status: RunStatus;
  /** What stands in the checkpoint's event. */
  readonly reserved: 'wait' | 'go_on' | 'fail' | 'retry';
  readonly event: { readonly type: EventType; readonly action: string; readonly detail: string } | null;
}

/** Inside the caller's transaction, whose session has drawn its label. `event` null: the caller has appended it. */
export function changeStatus(
  engine: Engine,
  transaction: Transaction,
  boundary: string,
  run: Run,
  { status, reserved, event }: Change,
): Result<Run> {
  const saved = writeCheckpoint(engine, transaction, boundary, run, { ...run, status }, reserved);
  const session = labelOf(engine, transaction);
  if (!saved.ok || session === null || event === null) return saved;
  appendEvent(engine, transaction, `${boundary}.named`, session, { runId: run.runId, ...event });
  return saved;
}

/**
 * The run waits for a person, across sessions. `detail` says what for. Durable on return (R9). Where the person was
 * quicker, and nothing of it waits any more, the run stays as it is.
 */
export function waitRun(engine: Engine, run: Run, action: string, detail: string): Promise<Result<Run>> {
  const boundary = `${action}.wait`;
  return engine.database.commit<Run>(boundary, (transaction) =>
    waitsForPerson(transaction, run)
      ? changeStatus(engine, transaction, boundary, run, {
          status: 'waiting',
          reserved: 'wait',
          event: { type: 'run_waiting', action, detail },
        })
      : succeed(run),
  );
}

/** The run ends with the reason; it keeps its next action, so that it can be tried again. Durable on return (R9). */
export function failRun(engine: Engine, run: Run, action: string, reason: string): Promise<Result<Run>> {
  const boundary = `${action}.fail`;
  return engine.database.commit(boundary, (transaction) =>
    changeStatus(engine, transaction, boundary, run, {
      status: 'failed',
      reserved: 'fail',
      event: { type: 'run_failed', action, detail: reason },
    }),
  );
}

/**
 * A person tries a failed run again: its calls that failed are pending anew, with all their attempts. `more`: how much
 * to allow beyond a budget that is used up; 0 raises nothing. Fails with RunNotFailed, RunNotFound or StateConflict.
 */
export function retryRun(engine: Engine, runId: string, version: number, more: number): Promise<Result<Run>> {
  return engine.database.commit<Run>('retry', (transaction) => {
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    if (run.version !== version)
      return fail({ type: 'StateConflict', runId, expected: version, stored: run.version });
    if (run.status !== 'failed') return fail({ type: 'RunNotFailed', runId, status: run.status });
    drawLabel(engine, transaction);
    transaction.run(
      `UPDATE tool_intents SET state = 'pending', failures = 0, next_attempt_at_utc = NULL
       WHERE run_id = ? AND state = 'failed'`,
      [runId],
    );
    if (more > 0) raise(transaction, runId, more);
    engine.crash.reach('retry.prepared');
    const detail = more > 0 ? `by hand, with ${String(more)} more of what was used up` : 'by hand';
    return changeStatus(engine, transaction, 'retry', run, {
      status: 'running',
      reserved: 'retry',
      event: { type: 'run_retried', action: run.nextAction ?? 'retry', detail },
    });
  });
}

/** Back to running, when nothing of the run waits for a person any more. The caller has appended what decided it. */
export function goOnIfNothingWaits(
  engine: Engine,
  transaction: Transaction,
  boundary: string,
  run: Run,
): Result<Run> {
  if (run.status !== 'waiting' || waitsForPerson(transaction, run)) return succeed(run);
  return changeStatus(engine, transaction, boundary, run, {
    status: 'running',
    reserved: 'go_on',
    event: null,
  });
}

function waitsForPerson(reader: Reader, { runId }: Run): boolean {
  const sql = `SELECT 1 FROM tool_intents WHERE run_id = ? AND state IN ('waiting', 'in_doubt')`;
  return reader.get(sql, [runId]) !== undefined;
}
