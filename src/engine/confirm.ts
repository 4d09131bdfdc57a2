/**
 * Owns: recording what became of an attempt: its result, or that it ended badly.
 * Leaves: the attempt itself to delivery.ts; an at-most-once call without an answer to doubt.ts.
 * Invariants: the result, its event and the end of the intent are one transaction (R2); it is written only for the newest
 * attempt, while that is open.
 */
import type { Claimed } from './attempts.ts';
import { attemptsOf, closeAttempt, isOpen } from './attempts.ts';
import { retryDelay } from './backoff.ts';
import { spend } from './budgets.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import { later } from './claims.ts';
import type { Settlement } from './effects.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { loadIntent } from './intents.ts';
import type { Job } from './job.ts';
import type { JsonObject } from './json.ts';
import type { Reader, ToolAnswer } from './ports.ts';
import { findEffect, saveEffect } from './tool-effects.ts';

/** Saves the result; the first row wins (R5). `told`: how it became known, when not by an answer in time. */
export function confirm(
  engine: Engine,
  job: Job,
  attempt: Claimed,
  result: JsonObject,
  tokens: number,
  told: string | null = null,
): Promise<Result<Settlement>> {
  const { run, tool, key, action } = job;
  const { runId } = run;
  const boundary = `${action}.confirm`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    if (session === null || loadRun(transaction, runId) === undefined) return stateConflict(transaction, run);
    if (!isOpen(transaction, attempt)) return fail({ type: 'ClaimLost', key });
    const saved = saveEffect(engine, transaction, boundary, key, result, tool.secrets);
    if (!saved.ok) return saved;
    closeAttempt(transaction, attempt, 'done', told);
    transaction.run(`UPDATE tool_intents SET state = 'confirmed' WHERE idempotency_key = ?`, [key]);
    spend(transaction, runId, 'tokens', tokens);
    engine.crash.reach(`${boundary}.intent_confirmed`);
    const type = saved.value.first ? 'tool_executed' : 'tool_reused';
    appendEvent(engine, transaction, boundary, session, { runId, type, action, detail: key });
    const stored = savedResult(transaction, job);
    if (stored === null) throw new Error(`${key} was saved and is not there`);
    return stored;
  });
}

/** The attempt ended badly: it is tried again later, or the call has failed, or is in doubt. */
export function recordFailure(
  engine: Engine,
  job: Job,
  attempt: Claimed,
  answer: Exclude<ToolAnswer, { type: 'done' }>,
): Promise<Result<Settlement>> {
  const { run, tool, key, action } = job;
  const { runId } = run;
  const boundary = `${action}.failure`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    const intent = loadIntent(transaction, key);
    if (session === null || intent === null) return stateConflict(transaction, run);
    if (!isOpen(transaction, attempt)) return fail({ type: 'ClaimLost', key });
    closeAttempt(transaction, attempt, answer.type, answer.reason);
    const failures = intent.failures + 1;
    const again = failures < tool.attempts && (answer.type === 'unknown' || answer.retryable);
    // What may have been done is not said to have failed (a read has nothing to do).
    const isRead = tool.safety === 'read' && intent.safety === 'read';
    const mayBeDone = !isRead && wasEverUnknown(transaction, key);
    const state = again ? 'pending' : mayBeDone ? 'in_doubt' : 'failed';
    const wish = answer.type === 'failed' ? answer.after : undefined;
    const wait = retryDelay(failures, engine.random(), wish);
    transaction.run(
      'UPDATE tool_intents SET state = ?, failures = ?, next_attempt_at_utc = ? WHERE idempotency_key = ?',
      [state, failures, again ? later(engine, wait) : null, key],
    );
    engine.crash.reach(`${boundary}.intent_updated`);
    const { reason } = answer;
    const detail = `${key}: ${reason}`;
    appendEvent(engine, transaction, boundary, session, { runId, type: 'tool_failed', action, detail });
    if (again) return succeed({ type: 'retrying' });
    if (!mayBeDone) return succeed({ type: 'failed', reason: detail });
    const inDoubt = { runId, type: 'tool_in_doubt', action, detail: key } as const;
    appendEvent(engine, transaction, `${boundary}.doubt`, session, inDoubt);
    return succeed({ type: 'waiting', detail: `a person’s word on ${key}, which is in doubt` });
  });
}

function wasEverUnknown(reader: Reader, key: string): boolean {
  const row = reader.get(
    `SELECT 1 FROM tool_attempts WHERE idempotency_key = ? AND outcome IN ('unknown', 'lost')`,
    [key],
  );
  return row !== undefined;
}

/** What goes on is what was saved, not what was answered. Null: nothing is. */
export function savedResult(reader: Reader, { key, tool, argumentsHash }: Job): Result<Settlement> | null {
  const saved = findEffect(reader, key, tool.name, argumentsHash);
  return saved?.ok === true ? succeed({ type: 'settled', result: saved.value }) : saved;
}

/** Was this worker's attempt taken over? Else its answer was recorded, or its claim never was. */
export function isLost(
  reader: Reader,
  { workerId }: Pick<Engine, 'workerId'>,
  key: string,
  fence: number,
): boolean {
  const mine = attemptsOf(reader, key).find((one) => one.fence === fence && one.worker === workerId);
  return mine?.outcome === 'lost';
}
