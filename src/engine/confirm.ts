/**
 * Owns: recording what became of an attempt: its result, or that it ended badly.
 * Leaves: the attempt itself to effects.ts; an at-most-once call without an answer to doubt.ts.
 * Invariants: the result, its event and the end of the intent are one transaction (R2); it is written only for the newest
 * attempt, while that is open.
 */
import { retryDelay } from './backoff.ts';
import { spend } from './budgets.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import { closeAttempt, later, openAttempt } from './claims.ts';
import type { Settlement } from './effects.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Job } from './intents.ts';
import { loadIntent } from './intents.ts';
import type { JsonObject } from './json.ts';
import type { Reader, ToolAnswer } from './ports.ts';
import { redactMembers } from './redaction.ts';
import { findEffect, saveEffect } from './tool-effects.ts';

/** Saves the result; the first row wins (R5). `told`: how it became known, when not by an answer in time. */
export function confirm(
  engine: Engine,
  job: Job,
  fence: number,
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
    const attempt = openAttempt(transaction, key, fence);
    if (attempt === null) return fail({ type: 'ClaimLost', key });
    const saved = saveEffect(engine, transaction, boundary, key, redactMembers(result, tool.secrets));
    if (!saved.ok) return saved;
    closeAttempt(transaction, attempt, 'done', told);
    transaction.run(`UPDATE tool_intents SET state = 'confirmed' WHERE idempotency_key = ?`, [key]);
    spend(transaction, runId, 'tokens', tokens);
    engine.crash.reach(`${boundary}.intent_confirmed`);
    const type = saved.value.first ? 'tool_executed' : 'tool_reused';
    appendEvent(engine, transaction, boundary, session, { runId, type, action, detail: key });
    return savedResult(transaction, job);
  });
}

/** The attempt ended badly: it is tried again later, or the call has failed, or is in doubt. */
export function recordFailure(
  engine: Engine,
  job: Job,
  fence: number,
  answer: Exclude<ToolAnswer, { type: 'done' }>,
): Promise<Result<Settlement>> {
  const { run, tool, key, action } = job;
  const { runId } = run;
  const boundary = `${action}.failure`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    const intent = loadIntent(transaction, key);
    if (session === null || intent === null) return stateConflict(transaction, run);
    const attempt = openAttempt(transaction, key, fence);
    if (attempt === null) return fail({ type: 'ClaimLost', key });
    closeAttempt(transaction, attempt, answer.type, answer.reason);
    const failures = intent.failures + 1;
    const again = failures < tool.attempts && (answer.type === 'unknown' || answer.retryable);
    // What may have been done is not said to have failed (a read has nothing to do).
    const mayBeDone = tool.safety !== 'read' && wasEverUnknown(transaction, key);
    const state = again ? 'pending' : mayBeDone ? 'in_doubt' : 'failed';
    const wish = answer.type === 'failed' ? (answer.after ?? 0) : 0;
    const wait = Math.max(wish, retryDelay(failures, engine.random()));
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

/** What goes on is what was saved, not what was answered. */
export function savedResult(reader: Reader, { key, tool }: Job): Result<Settlement> {
  const intent = loadIntent(reader, key);
  const saved = intent && findEffect(reader, key, tool.name, intent.argumentsHash);
  if (saved === null) throw new Error(`${key} is settled and has no saved result`);
  return saved.ok ? succeed({ type: 'settled', result: saved.value }) : saved;
}
