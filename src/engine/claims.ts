/**
 * Owns: the claim, which lets one worker deliver an intent: an attempt with an owner, a lease that ends, and a fencing
 * number that grows with each claim. And who may take over a claim that another worker left open.
 * Leaves: the call itself to effects.ts; what a call in doubt needs to doubt.ts.
 * Invariants: one open attempt a key; an attempt that is not the newest is closed, and its answer is not recorded.
 */
import { useApproval } from './approvals.ts';
import { exhausted, spend } from './budgets.ts';
import { stateConflict, loadRun } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Job } from './intents.ts';
import { loadIntent } from './intents.ts';
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

/** A lease is longer than the call may take by this, in milliseconds: time to record the answer. */
const leaseMargin = 10_000;

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

/**
 * Why another worker's open attempt may not be taken over now, or null: it may. An owner that lives is not robbed, a dead
 * one is not waited for; where nobody can say, the lease decides. A clock that was put back proves nothing: a person
 * may take over at any time.
 */
export async function heldElsewhere(engine: Engine, attempt: Attempt): Promise<Result<never> | null> {
  const state = await engine.owners.stateOf(attempt.worker);
  if (state === 'dead') return null;
  const { key, session, leaseUntilUtc } = attempt;
  if (state === 'unknown' && isPast(engine, leaseUntilUtc)) return null;
  return fail({ type: 'ClaimedElsewhere', key, session, alive: state === 'alive', leaseUntilUtc });
}

/**
 * Claims the next attempt, durably: after this, and not before, the call may leave. Closes the attempt that `after` names,
 * if it is still open. The fencing number, or: what stands in the way. A budget that is used up is in the way as well.
 */
export function claim(engine: Engine, job: Job, after: Attempt | null): Promise<Result<Claim>> {
  const { run, tool, key, action } = job;
  const boundary = `${action}.claim`;
  return engine.database.commit<Claim>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    const now = loadRun(transaction, run.runId);
    if (session === null || now?.version !== run.version || now.status !== 'running') {
      return stateConflict(transaction, run);
    }
    const intent = loadIntent(transaction, key);
    const last = lastAttempt(transaction, key);
    // Between the look and this claim another worker was here: what it left is looked at anew.
    if (intent?.state !== 'pending' || (last?.fence ?? 0) !== (after?.fence ?? 0)) {
      return succeed({ type: 'look_again' });
    }
    const approved = useApproval(transaction, key, intent.argumentsHash);
    if (!approved.ok) return approved;
    const budget = exhausted(transaction, run.runId, ['tool_calls', 'tokens']);
    if (budget !== null) return succeed({ type: 'no_budget', budget });
    if (last?.outcome === null)
      closeAttempt(transaction, last, 'lost', 'its session ended before an answer was recorded');
    const fence = (last?.fence ?? 0) + 1;
    transaction.run(
      `INSERT INTO tool_attempts (idempotency_key, fence, worker, session, claimed_at_utc, lease_until_utc)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [key, fence, engine.workerId, session, engine.clock.now(), later(engine, tool.timeLimit + leaseMargin)],
    );
    spend(transaction, run.runId, 'tool_calls', 1);
    engine.crash.reach(`${boundary}.claimed`);
    return succeed({ type: 'claimed', fence });
  });
}

export type Claim =
  | { readonly type: 'claimed'; readonly fence: number }
  | { readonly type: 'look_again' }
  | { readonly type: 'no_budget'; readonly budget: NonNullable<ReturnType<typeof exhausted>> };

/** The attempt of this fencing number, if it is the newest and open: only then may its answer be recorded. */
export function openAttempt(reader: Reader, key: string, fence: number): Attempt | null {
  const last = lastAttempt(reader, key);
  return last?.fence === fence && last.outcome === null ? last : null;
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

export function isPast({ clock }: Pick<Engine, 'clock'>, utc: string): boolean {
  return Date.parse(utc) <= Date.parse(clock.now());
}

/** This much after now, in milliseconds, as UTC. */
export function later({ clock }: Pick<Engine, 'clock'>, milliseconds: number): string {
  return new Date(Date.parse(clock.now()) + milliseconds).toISOString();
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
