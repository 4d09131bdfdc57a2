/**
 * Owns: the names of runs: `run-T104`, then `run-T104-2`, `-3`.
 * Leaves: using them to start.ts, fork.ts and retention.ts.
 * Invariant: no name is given twice, also when its run was deleted: the world outside remembers the keys that begin with
 * it, and would take a new run's call for the old one's (R4).
 */
import type { Reader, Transaction } from './ports.ts';
import type { Run } from './records.ts';

export function freeRunId(reader: Reader, ticketId: string): string {
  const last = reader.get('SELECT number FROM run_numbers WHERE ticket_id = ?', [ticketId]);
  for (let number = Number(last?.['number'] ?? 0) + 1; ; number += 1) {
    const runId = number === 1 ? `run-${ticketId}` : `run-${ticketId}-${String(number)}`;
    // Events and results that another program left without their run are not a new run's (R4, R7). What begins
    // with a colon comes before a semicolon.
    const taken = reader.get(
      `SELECT 1 FROM agent_runs WHERE run_id = ?1 UNION ALL
       SELECT 1 FROM agent_events WHERE run_id = ?1 UNION ALL
       SELECT 1 FROM tool_effects WHERE idempotency_key >= ?1 || ':' AND idempotency_key < ?1 || ';'`,
      [runId],
    );
    if (taken === undefined) return runId;
  }
}

/** The run is about to be deleted: numbers up to its own are not given again. */
export function keepNumber(transaction: Transaction, { runId, ticketId }: Run): void {
  const [, number = '1'] = /-(\d{1,9})$/.exec(runId.slice(`run-${ticketId}`.length)) ?? [];
  transaction.run(
    `INSERT INTO run_numbers (ticket_id, number) VALUES (?1, ?2)
     ON CONFLICT (ticket_id) DO UPDATE SET number = MAX(number, ?2)`,
    [ticketId, Number(number)],
  );
}
