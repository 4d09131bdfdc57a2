/**
 * Owns: the claim, which lets one worker deliver an intent: an attempt with an owner, a lease that ends, and a fencing
 * number that grows with each claim. And who may take over a claim that another worker left open.
 * Leaves: the attempts' rows to attempts.ts; the call itself to delivery.ts; what a call in doubt needs to doubt.ts.
 * Invariant: one open attempt a key, whoever claims it.
 */
import { mayBeCalled } from './approvals.ts';
import type { Attempt } from './attempts.ts';
import { closeAttempt, lastAttempt } from './attempts.ts';
import { exhausted, spend } from './budgets.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { labelOf } from './events.ts';
import type { EngineFailure, Result } from './failure.ts';
import { succeed } from './failure.ts';
import { loadIntent } from './intents.ts';
import type { Job } from './job.ts';

/** A lease is longer than the call may take by this, in milliseconds: time to record the answer. */
const leaseMargin = 10_000;

/**
 * Why another worker's open attempt may not be taken over now, or null: it may. An owner that lives is not robbed, a dead
 * one is not waited for; where nobody can say, the lease decides. A clock that was put back proves nothing: a person
 * may take over at any time.
 */
export async function heldElsewhere(engine: Engine, attempt: Attempt): Promise<EngineFailure | null> {
  const state = await engine.owners.stateOf(attempt.worker);
  if (state === 'dead') return null;
  const { key, session, leaseUntilUtc } = attempt;
  if (state === 'unknown' && isPast(engine, leaseUntilUtc)) return null;
  return { type: 'ClaimedElsewhere', key, session, alive: state === 'alive', leaseUntilUtc };
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
    const budget = exhausted(transaction, run.runId, ['tool_calls', 'tokens']);
    if (budget !== null) return succeed({ type: 'no_budget', budget });
    const approved = mayBeCalled(engine, transaction, boundary, session, job);
    if (!approved.ok) return approved;
    if (!approved.value) return succeed({ type: 'look_again' });
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

/** A time that can't be read is neither past nor ahead. */
export function isPast({ clock }: Pick<Engine, 'clock'>, utc: string): boolean {
  return Date.parse(utc) <= Date.parse(clock.now());
}

export function isAhead({ clock }: Pick<Engine, 'clock'>, utc: string): boolean {
  return Date.parse(utc) > Date.parse(clock.now());
}

/** This much after now, in milliseconds, as UTC. */
export function later({ clock }: Pick<Engine, 'clock'>, milliseconds: number): string {
  return new Date(Date.parse(clock.now()) + milliseconds).toISOString();
}
