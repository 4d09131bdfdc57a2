/**
 * Owns: a call of the world outside, from its intent to its saved result (effects.md): what is to be done next for it, by
 * what is stored.
 * Leaves: the rows to intents.ts, claims.ts and confirm.ts; the call itself to delivery.ts; a yes that is needed to
 * approvals.ts; what can't be known to doubt.ts; what the run does next to runner.ts.
 * Invariants: nothing leaves before its intent and its claim are durable (R9); a call with a saved result is not made
 * (R4); one step of this worker at a time works on a key.
 *
 * A crash leaves one of: no intent, a pending intent, a claim without an answer, a confirmed intent. `settle` goes on from
 * each of them. A call may be made twice; its result is recorded once (R14).
 */
import { loadRun, stateConflict } from './checkpoint.ts';
import { lastAttempt } from './attempts.ts';
import { isLost, savedResult } from './confirm.ts';
import { deliver, record } from './delivery.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { EngineFailure, Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Intent } from './intents.ts';
import { differsFrom, intend, loadIntent } from './intents.ts';
import type { Job } from './job.ts';
import type { JsonObject } from './json.ts';

export type Settlement =
  | { readonly type: 'settled'; readonly result: JsonObject }
  /** A person decides: on an approval, or on a call in doubt. */
  | { readonly type: 'waiting'; readonly detail: string }
  /** No attempt is left, or no budget. */
  | { readonly type: 'failed'; readonly reason: string }
  /** An attempt ended badly and is recorded; the next one is due later. */
  | { readonly type: 'retrying' }
  /** Nothing was done: not due yet, or another worker is at it. */
  | { readonly type: 'held'; readonly failure: EngineFailure };

/** Brings one call as far as it can go now. `destination`: where a new intent is sent to. Durable on return (R9). */
export async function settle(
  engine: Engine,
  job: Job,
  destination: string | null,
): Promise<Result<Settlement>> {
  const { key } = job;
  const open = engine.calls.get(key);
  if (open?.answer === null) return succeed({ type: 'held', failure: { type: 'CallInFlight', key } });
  engine.calls.set(key, { fence: open?.fence ?? 0, answer: null });
  const settled = await (open
    ? recordAgain(engine, job, destination, open)
    : bring(engine, job, destination));
  // What is left there is an answer that storage did not take.
  if (engine.calls.get(key)?.answer === null) engine.calls.delete(key);
  return settled;
}

/** Storage did not take the answer, or did not say that it had taken the answer or the claim. */
async function recordAgain(
  engine: Engine,
  job: Job,
  destination: string | null,
  { fence, answer }: NonNullable<ReturnType<Engine['calls']['get']>>,
): Promise<Result<Settlement>> {
  if (answer === null) throw new Error(`${job.key} has no answer to record`);
  const recorded = await record(engine, job, fence, answer);
  if (recorded.ok || recorded.failure.type !== 'ClaimLost') return recorded;
  const isTold = await engine.database.read((reader) => !isLost(reader, engine, job.key, fence));
  return isTold ? bring(engine, job, destination) : recorded;
}

async function bring(engine: Engine, job: Job, destination: string | null): Promise<Result<Settlement>> {
  const { key } = job;
  for (;;) {
    const { intent, last, saved } = await engine.database.read((reader) => ({
      intent: loadIntent(reader, key),
      last: lastAttempt(reader, key),
      saved: savedResult(reader, job),
    }));
    const differs = intent && differsFrom(intent, job);
    if (differs) return differs;
    if (saved !== null) return saved.ok ? reuse(engine, job, intent) : saved;
    if (intent === null) {
      const intended = await intend(engine, job, destination);
      if (!intended.ok) return intended;
      continue;
    }
    switch (intent.state) {
      case 'waiting':
        return succeed({ type: 'waiting', detail: `a person’s yes to ${key}` });
      case 'in_doubt':
        return succeed({ type: 'waiting', detail: `a person’s word on ${key}, which is in doubt` });
      case 'failed':
        return succeed({ type: 'failed', reason: `${key}: ${last?.detail ?? 'no attempt is left'}` });
      case 'pending': {
        const delivered = await deliver(engine, job, intent, last);
        if (delivered !== 'look_again') return delivered;
        continue;
      }
      default: {
        const reason = `${key} is said to be ${intent.state}, and no result is saved`;
        return fail({ type: 'ToolFailed', tool: job.tool.name, reason });
      }
    }
  }
}

/** The saved result, with one `tool_reused` for each session that comes back to it. */
async function reuse(engine: Engine, job: Job, intent: Intent | null): Promise<Result<Settlement>> {
  const { run, key, action } = job;
  const { runId } = run;
  const isAnswer = intent?.state !== 'denied' && intent?.state !== 'skipped';
  const told = await engine.database.read((reader) => {
    const mine = reader.get(
      `SELECT 1 FROM agent_events WHERE run_id = ? AND session = ? AND detail = ?
       AND event_type IN ('tool_executed', 'tool_reused')`,
      [runId, labelOf(engine, reader), key],
    );
    return mine === undefined && isAnswer ? null : savedResult(reader, job);
  });
  if (told !== null) return told;
  const boundary = `${action}.reuse`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    const saved = savedResult(transaction, job);
    if (session === null || saved === null || loadRun(transaction, runId) === undefined)
      return stateConflict(transaction, run);
    appendEvent(engine, transaction, boundary, session, { runId, type: 'tool_reused', action, detail: key });
    return saved;
  });
}
