/**
 * Owns: the attempts, a row for each claim of a key: reading them, and closing one with what became of it.
 * Leaves: making one to claims.ts; when it is closed to confirm.ts and doubt.ts.
 * Invariant: an attempt that is not the newest of its key is closed.
 */
import type { Reader, Row, Transaction } from './ports.ts';

/** `lost`: its worker died, or a person took the call over. Null: open. */
export type Outcome = 'done' | 'failed' | 'unknown' | 'lost' | null;

/** One delivery of an intent. */
export interface Attempt {
  readonly key: string;
  /** Counts the claims of this key, from 1. */
  readonly fence: number;
  readonly worker: string;
  readonly session: string;
  readonly claimedAtUtc: string;
  readonly leaseUntilUtc: string;
  readonly outcome: string | null;
  /** The reason of an attempt that ended badly. */
  readonly detail: string | null;
}

export function attemptsOf(reader: Reader, key: string): readonly Attempt[] {
  return reader
    .all('SELECT * FROM tool_attempts WHERE idempotency_key = ? ORDER BY fence', [key])
    .map(attemptFromRow);
}

export function lastAttempt(reader: Reader, key: string): Attempt | null {
  const row = reader.get(
    'SELECT * FROM tool_attempts WHERE idempotency_key = ? ORDER BY fence DESC LIMIT 1',
    [key],
  );
  return row === undefined ? null : attemptFromRow(row);
}

/** The run's attempt that nobody has closed, or null. Of several: the oldest. */
export function openAttemptOfRun(reader: Reader, runId: string): Attempt | null {
  const row = reader.get(
    `SELECT tool_attempts.* FROM tool_attempts JOIN tool_intents USING (idempotency_key)
     WHERE run_id = ? AND state = 'pending' AND outcome IS NULL ORDER BY tool_attempts.rowid LIMIT 1`,
    [runId],
  );
  return row === undefined ? null : attemptFromRow(row);
}

/** Names an attempt. In another lab another worker may have one of the same key and number. */
export type Claimed = Pick<Attempt, 'key' | 'fence' | 'worker'>;

/** Is this attempt the newest of its key, and open? Only then may its answer be recorded. */
export function isOpen(reader: Reader, { key, fence, worker }: Claimed): boolean {
  const last = lastAttempt(reader, key);
  return last?.fence === fence && last.worker === worker && last.outcome === null;
}

export function closeAttempt(
  transaction: Transaction,
  { key, fence }: Pick<Attempt, 'key' | 'fence'>,
  outcome: NonNullable<Outcome>,
  detail: string | null,
): void {
  transaction.run(
    'UPDATE tool_attempts SET outcome = ?, detail = ? WHERE idempotency_key = ? AND fence = ?',
    [outcome, detail, key, fence],
  );
}

function attemptFromRow(row: Row): Attempt {
  return {
    key: String(row['idempotency_key']),
    fence: Number(row['fence']),
    worker: String(row['worker']),
    session: String(row['session']),
    claimedAtUtc: String(row['claimed_at_utc']),
    leaseUntilUtc: String(row['lease_until_utc']),
    outcome: row['outcome'] == null ? null : String(row['outcome']),
    detail: row['detail'] == null ? null : String(row['detail']),
  };
}
