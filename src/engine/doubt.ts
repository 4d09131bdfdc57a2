/**
 * Owns: a call of which nobody knows whether it was done, where calling again might do it twice.
 * Leaves: finding that out to the other side, where it can be asked; else to a person.
 * Invariant: an at-most-once tool is never called again by itself.
 */
import { loadRun, stateConflict } from './checkpoint.ts';
import type { Attempt, Claimed } from './attempts.ts';
import { closeAttempt, isOpen, lastAttempt } from './attempts.ts';
import { confirm } from './confirm.ts';
import type { Settlement } from './effects.ts';
import type { Engine } from './engine.ts';
import { appendEvent, drawLabel, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Intent } from './intents.ts';
import { loadIntent, mayRepeat, requestOf } from './intents.ts';
import type { Job } from './job.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { Run } from './records.ts';
import { toolOf } from './run-workflow.ts';
import { goOnIfNothingWaits } from './status.ts';
import { saveEffect } from './tool-effects.ts';

/** What a person says of a call in doubt. */
export type Resolution =
  /** Call again: it was not done, or may be done twice. */
  | { readonly type: 'retry' }
  /** Go on without a result. */
  | { readonly type: 'skip' }
  /** It was done, with this result. */
  | { readonly type: 'result'; readonly result: JsonObject };

/** The owner of the open attempt is gone: the other side is asked what became of it; if it can't tell, a person is. */
export async function askOrDoubt(
  engine: Engine,
  job: Job,
  intent: Intent,
  open: Attempt,
): Promise<Result<Settlement>> {
  const status = await engine.tools.status(requestOf(intent));
  engine.crash.reach(`${job.action}.status.answered`);
  if (status.type === 'done' && encodeJson(status.result, 'result').ok) {
    return confirm(engine, job, open, status.result, 0, 'as the other side said when asked');
  }
  const why = {
    done: 'asked, the other side says that it was done, with a result that can’t be kept',
    not_received: 'asked, the other side says that it has not received it',
    under_way: 'asked, the other side says that it is still at it',
    cannot_tell: `the other side can’t be asked (${status.type === 'cannot_tell' ? status.reason : ''})`,
  }[status.type];
  return doubt(engine, job, open, `the session ended before an answer was recorded; ${why}`);
}

/** Records that it is not known whether the attempt did its work. Durable on return (R9). */
export function doubt(
  engine: Engine,
  job: Job,
  attempt: Claimed,
  reason: string,
): Promise<Result<Settlement>> {
  const { run, key, action } = job;
  const boundary = `${action}.doubt`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    if (session === null || loadRun(transaction, run.runId) === undefined)
      return stateConflict(transaction, run);
    if (!isOpen(transaction, attempt)) return fail({ type: 'ClaimLost', key });
    closeAttempt(transaction, attempt, 'unknown', reason);
    transaction.run(`UPDATE tool_intents SET state = 'in_doubt' WHERE idempotency_key = ?`, [key]);
    engine.crash.reach(`${boundary}.intent_updated`);
    const event = { runId: run.runId, type: 'tool_in_doubt', action, detail: `${key}: ${reason}` } as const;
    appendEvent(engine, transaction, boundary, session, event);
    return succeed({ type: 'waiting', detail: `a person’s word on ${key}, which is in doubt` });
  });
}

/**
 * A person resolves the doubt. The run goes on being `running` when nothing else of it waits. Durable on return (R9).
 * Fails with NotInDoubt, and with JsonRefused for a result that JSON cannot hold.
 */
export function resolveDoubt(engine: Engine, key: string, resolution: Resolution): Promise<Result<Run>> {
  return engine.database.commit<Run>('resolve', (transaction) => {
    const intent = loadIntent(transaction, key);
    if (intent?.state !== 'in_doubt') return fail({ type: 'NotInDoubt', key });
    const { runId, action } = intent;
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    const session = drawLabel(engine, transaction);
    if (resolution.type !== 'retry') {
      const secrets = toolOf(transaction, engine, runId, intent.tool)?.secrets ?? [];
      const result = resolution.type === 'skip' ? { skipped: true } : resolution.result;
      const saved = saveEffect(engine, transaction, 'resolve', key, result, secrets);
      if (!saved.ok) return saved;
    }
    const state = { retry: 'pending', skip: 'skipped', result: 'confirmed' }[resolution.type];
    transaction.run(
      'UPDATE tool_intents SET state = ?, failures = 0, next_attempt_at_utc = NULL WHERE idempotency_key = ?',
      [state, key],
    );
    engine.crash.reach('resolve.intent_updated');
    const said = { retry: 'call again', skip: 'go on without a result', result: 'the result was entered' };
    const detail = `${key}: ${said[resolution.type]}`;
    appendEvent(engine, transaction, 'resolve', session, { runId, type: 'doubt_resolved', action, detail });
    return goOnIfNothingWaits(engine, transaction, 'resolve.go_on', run);
  });
}

/**
 * A person takes a call over that another session has claimed: its answer, should one come, is not recorded. A call that
 * may be repeated is pending again; an at-most-once one is in doubt. `fence`: of the attempt that the person saw.
 */
export function takeOver(engine: Engine, key: string, fence: number): Promise<Result<Run>> {
  return engine.database.commit<Run>('take_over', (transaction) => {
    const intent = loadIntent(transaction, key);
    const run = intent ? loadRun(transaction, intent.runId) : undefined;
    const attempt = lastAttempt(transaction, key);
    if (!intent || !run || attempt?.fence !== fence || attempt.outcome !== null) {
      return fail({ type: 'ClaimLost', key });
    }
    const session = drawLabel(engine, transaction);
    closeAttempt(transaction, attempt, 'lost', 'a person took the call over');
    engine.crash.reach('take_over.closed');
    if (mayRepeat(intent, toolOf(transaction, engine, run.runId, intent.tool))) return succeed(run);
    transaction.run(`UPDATE tool_intents SET state = 'in_doubt' WHERE idempotency_key = ?`, [key]);
    const detail = `${key}: a person took the call over`;
    const event = { runId: run.runId, type: 'tool_in_doubt', action: intent.action, detail } as const;
    appendEvent(engine, transaction, 'take_over', session, event);
    return succeed(run);
  });
}

/** A person does not wait for the time of the next attempt. */
export function tryNow(engine: Engine, key: string): Promise<Result<null>> {
  return engine.database.commit<null>('try_now', (transaction) => {
    transaction.run(
      `UPDATE tool_intents SET next_attempt_at_utc = NULL WHERE idempotency_key = ? AND state = 'pending'`,
      [key],
    );
    return succeed(null);
  });
}
