/**
 * Owns: deleting finished runs, with all that belongs to them, in one transaction.
 * Leaves: asking a person, or which have been kept for long enough, to the page; giving pages back to storage's vacuum.
 */
import { loadRun } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Reader } from './ports.ts';
import { keepNumber } from './run-ids.ts';

export interface FinishedRun {
  readonly runId: string;
  readonly status: string;
  /** When its last event was written, UTC; null for a run without events. */
  readonly finishedAtUtc: string | null;
}

/** The runs that nothing goes on with, in the order of their end. */
export function finishedRuns(reader: Reader): readonly FinishedRun[] {
  return reader
    .all(
      `SELECT r.run_id, r.status, (SELECT e.created_at_utc FROM agent_events AS e WHERE e.run_id = r.run_id
         ORDER BY e.sequence DESC LIMIT 1) AS finished
       FROM agent_runs AS r WHERE r.status IN ('completed', 'failed') ORDER BY finished, r.rowid`,
    )
    .map((row) => ({
      runId: String(row['run_id']),
      status: String(row['status']),
      finishedAtUtc: row['finished'] == null ? null : String(row['finished']),
    }));
}

/**
 * Deletes these runs: their rows in every table. Neither their ids nor their sessions' labels come again. Durable on
 * return (R9). Fails with RunUnfinished, nothing deleted, where one of them is not finished. A run that is gone is fine.
 */
export function deleteRuns(engine: Engine, runIds: readonly string[]): Promise<Result<number>> {
  return engine.database.commit<number>('delete', (transaction) => {
    let deleted = 0;
    for (const runId of runIds) {
      const run = loadRun(transaction, runId);
      if (run === undefined) continue;
      if (run.status !== 'completed' && run.status !== 'failed') {
        return fail({ type: 'RunUnfinished', runId, status: run.status });
      }
      keepNumber(transaction, run);
      // What begins with a colon comes before a semicolon.
      const keys = [`${runId}:`, `${runId};`];
      transaction.run('DELETE FROM approvals WHERE run_id = ?', [runId]);
      transaction.run(
        'DELETE FROM tool_attempts WHERE idempotency_key IN (SELECT idempotency_key FROM tool_intents WHERE run_id = ?)',
        [runId],
      );
      transaction.run('DELETE FROM tool_intents WHERE run_id = ?', [runId]);
      transaction.run(
        'DELETE FROM effect_arguments WHERE idempotency_key >= ? AND idempotency_key < ?',
        keys,
      );
      transaction.run('DELETE FROM tool_effects WHERE idempotency_key >= ? AND idempotency_key < ?', keys);
      transaction.run('DELETE FROM run_budgets WHERE run_id = ?', [runId]);
      transaction.run('DELETE FROM agent_checkpoints WHERE run_id = ?', [runId]);
      transaction.run('DELETE FROM run_details WHERE run_id = ?', [runId]);
      transaction.run('DELETE FROM touched_runs WHERE run_id = ?', [runId]);
      transaction.run('DELETE FROM agent_events WHERE run_id = ?', [runId]);
      deleted += transaction.run('DELETE FROM agent_runs WHERE run_id = ?', [runId]);
      engine.crash.reach('delete.run_deleted');
    }
    return succeed(deleted);
  });
}
