/**
 * Owns: a call of the world outside, from its intent to its saved result (effects.md): intent, claim, call, confirm.
 * Leaves: the rows of each to intents.ts, claims.ts and confirm.ts; a yes that is needed to approvals.ts; what can't be
 * known to doubt.ts; what the run does next to runner.ts.
 * Invariants: nothing leaves before its intent and its claim are durable (R9); the call is outside every transaction
 * (R11); the result and its event are one transaction (R2), written only under the newest fencing number.
 *
 * A crash leaves one of: no intent, a pending intent, a claim without an answer, a confirmed intent. `settle` goes on from
 * each of them. A call may be made twice; its result is recorded once (R14).
 */
import { budgetReason } from './budgets.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import type { Attempt } from './claims.ts';
import { claim, heldElsewhere, isPast, lastAttempt } from './claims.ts';
import { confirm, recordFailure, savedResult } from './confirm.ts';
import { askOrDoubt, doubt } from './doubt.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { EngineFailure, Result } from './failure.ts';
import { succeed } from './failure.ts';
import type { Intent, Job } from './intents.ts';
import { differsFrom, intend, loadIntent, mayRepeat, requestOf } from './intents.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { ToolAnswer } from './ports.ts';

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
  const open = engine.calls.get(job.key);
  if (open !== undefined) {
    if (open.answer !== null) return record(engine, job, open.fence, open.answer);
    return succeed({ type: 'held', failure: { type: 'CallInFlight', key: job.key } });
  }
  for (;;) {
    const { intent, last } = await engine.database.read((reader) => ({
      intent: loadIntent(reader, job.key),
      last: lastAttempt(reader, job.key),
    }));
    if (intent === null) {
      const intended = await intend(engine, job, destination);
      if (!intended.ok) return intended;
      continue;
    }
    const differs = differsFrom(intent, job);
    if (differs !== null) return differs;
    switch (intent.state) {
      case 'waiting':
        return succeed({ type: 'waiting', detail: `a person’s yes to ${job.key}` });
      case 'in_doubt':
        return succeed({ type: 'waiting', detail: `a person’s word on ${job.key}, which is in doubt` });
      case 'failed':
        return succeed({ type: 'failed', reason: `${job.key}: ${last?.detail ?? 'no attempt is left'}` });
      case 'pending': {
        const delivered = await deliver(engine, job, intent, last);
        if (delivered !== 'look_again') return delivered;
        continue;
      }
      default:
        return reuse(engine, job, intent);
    }
  }
}

async function deliver(
  engine: Engine,
  job: Job,
  intent: Intent,
  last: Attempt | null,
): Promise<Result<Settlement> | 'look_again'> {
  if (last?.outcome === null) {
    const held = last.worker === engine.workerId ? null : await heldElsewhere(engine, last);
    if (held !== null && !held.ok && held.failure.type === 'ClaimedElsewhere') {
      return succeed({ type: 'held', failure: held.failure });
    }
    if (!mayRepeat(intent.safety)) return askOrDoubt(engine, job, intent, last);
  } else if (intent.nextAttemptAtUtc !== null && !isPast(engine, intent.nextAttemptAtUtc)) {
    const dueAtUtc = intent.nextAttemptAtUtc;
    return succeed({ type: 'held', failure: { type: 'AttemptNotDue', key: job.key, dueAtUtc } });
  }
  await engine.owners.hold(job.key);
  const claimed = await claim(engine, job, last);
  if (!claimed.ok || claimed.value.type !== 'claimed') engine.owners.letGo(job.key);
  if (!claimed.ok) return claimed;
  if (claimed.value.type === 'look_again') return 'look_again';
  if (claimed.value.type === 'no_budget') {
    return succeed({ type: 'failed', reason: budgetReason(claimed.value.budget) });
  }
  const { fence } = claimed.value;
  engine.calls.set(job.key, { fence, answer: null });
  const answer = await callInTime(engine, job, intent);
  engine.calls.set(job.key, { fence, answer });
  engine.crash.reach(`${job.action}.call.answered`);
  return record(engine, job, fence, answer);
}

/** The call, with its time limit: whoever does not answer in time has perhaps done the work. */
function callInTime(engine: Engine, job: Job, intent: Intent): Promise<ToolAnswer> {
  const { tool, action } = job;
  const patience = new AbortController();
  const request = requestOf(intent);
  const seconds = String(tool.timeLimit / 1000);
  return new Promise((resolve, reject) => {
    const callOff = engine.timer.after(tool.timeLimit, () => {
      patience.abort();
      resolve({ type: 'unknown', reason: `no answer within ${seconds} seconds` });
    });
    engine.tools.call(request, patience.signal).then(resolve, reject).finally(callOff);
    engine.crash.reach(`${action}.call.sent`);
  });
}

/** Records what became of this worker's attempt. The answer is kept in memory until that is durable. */
async function record(
  engine: Engine,
  job: Job,
  fence: number,
  answer: ToolAnswer,
): Promise<Result<Settlement>> {
  const recorded = await recordAnswer(engine, job, fence, answer);
  // What storage refused is recorded again, with the same answer, by the next step.
  const isOver = recorded.ok || ['StateConflict', 'ClaimLost', 'KeyReused'].includes(recorded.failure.type);
  if (isOver) {
    engine.calls.delete(job.key);
    engine.owners.letGo(job.key);
  }
  return recorded;
}

function recordAnswer(
  engine: Engine,
  job: Job,
  fence: number,
  answer: ToolAnswer,
): Promise<Result<Settlement>> {
  if (answer.type === 'done') {
    const json = encodeJson(answer.result, 'result');
    if (json.ok) return confirm(engine, job, fence, answer.result, answer.tokens ?? 0);
    const { path, reason } = json.failure;
    const unreadable = `it answered with ${path}: ${reason}`;
    return recordAnswer(engine, job, fence, { type: 'unknown', reason: unreadable });
  }
  return answer.type === 'unknown' && job.tool.safety === 'at-most-once'
    ? doubt(engine, job, fence, answer.reason)
    : recordFailure(engine, job, fence, answer);
}

/** The saved result, with one `tool_reused` for each session that comes back to it. */
async function reuse(engine: Engine, job: Job, intent: Intent): Promise<Result<Settlement>> {
  const { run, key, action } = job;
  const { runId } = run;
  const told = await engine.database.read((reader) => {
    const mine = reader.get(
      `SELECT 1 FROM agent_events WHERE run_id = ? AND session = ? AND detail = ?
       AND event_type IN ('tool_executed', 'tool_reused')`,
      [runId, labelOf(engine, reader), key],
    );
    return mine === undefined && intent.state === 'confirmed' ? null : savedResult(reader, job);
  });
  if (told !== null) return told;
  const boundary = `${action}.reuse`;
  return engine.database.commit<Settlement>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    if (session === null || loadRun(transaction, runId) === undefined) return stateConflict(transaction, run);
    appendEvent(engine, transaction, boundary, session, { runId, type: 'tool_reused', action, detail: key });
    return savedResult(transaction, job);
  });
}
