/**
 * Owns: one delivery of a pending intent: who may, the claim, the call with its time limit, recording what became of it.
 * Leaves: the claim's row to claims.ts; the rows of the answer to confirm.ts and doubt.ts.
 * Invariants: the call is outside every transaction (R11), and after its claim is durable (R9); an answer is recorded only
 * under the newest fencing number.
 */
import type { Attempt } from './attempts.ts';
import { budgetReason } from './budgets.ts';
import { claim, heldElsewhere, isAhead } from './claims.ts';
import { confirm, recordFailure } from './confirm.ts';
import { askOrDoubt, doubt } from './doubt.ts';
import type { Settlement } from './effects.ts';
import type { Engine } from './engine.ts';
import type { Result } from './failure.ts';
import { succeed } from './failure.ts';
import type { Intent } from './intents.ts';
import { loadIntent, mayRepeat, requestOf } from './intents.ts';
import type { Job } from './job.ts';
import { encodeJson } from './json.ts';
import type { ToolAnswer } from './ports.ts';

/** Delivers it if that may be done now. `last`: the newest attempt as it was seen. */
export async function deliver(
  engine: Engine,
  job: Job,
  intent: Intent,
  last: Attempt | null,
): Promise<Result<Settlement> | 'look_again'> {
  const { key } = job;
  if (last?.outcome === null) {
    const held = last.worker === engine.workerId ? null : await heldElsewhere(engine, last);
    if (held !== null) return succeed({ type: 'held', failure: held });
    if (!mayRepeat(intent, job.tool)) return askOrDoubt(engine, job, intent, last);
  } else if (intent.nextAttemptAtUtc !== null && isAhead(engine, intent.nextAttemptAtUtc)) {
    const dueAtUtc = intent.nextAttemptAtUtc;
    return succeed({ type: 'held', failure: { type: 'AttemptNotDue', key, dueAtUtc } });
  }
  await engine.owners.hold(key);
  const claimed = await claim(engine, job, last);
  if (!claimed.ok || claimed.value.type !== 'claimed') engine.owners.letGo(key);
  if (!claimed.ok) {
    // Should the claim be stored after all, the next step records that nothing was sent under it.
    if (claimed.failure.type === 'OutcomeUnknown') {
      engine.calls.set(key, { fence: (last?.fence ?? 0) + 1, answer: notSent });
    }
    return claimed;
  }
  if (claimed.value.type === 'look_again') return 'look_again';
  if (claimed.value.type === 'no_budget') {
    return succeed({ type: 'failed', reason: budgetReason(claimed.value.budget) });
  }
  const { fence } = claimed.value;
  const answer = await callInTime(engine, job, intent);
  engine.crash.reach(`${job.action}.call.answered`);
  return record(engine, job, fence, answer);
}

const notSent: ToolAnswer = {
  type: 'failed',
  reason: 'nothing was sent: the browser did not say whether the claim was stored',
  retryable: true,
};

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

/** Failures after which there is nothing to record any more. */
const ends: readonly string[] = ['StateConflict', 'ClaimLost', 'KeyReused'];

/**
 * Records what became of this worker's attempt. What storage does not take is kept in memory, and recorded by the next
 * step: the call is not made again.
 */
export async function record(
  engine: Engine,
  job: Job,
  fence: number,
  answer: ToolAnswer,
): Promise<Result<Settlement>> {
  const recorded = await recordAnswer(engine, job, fence, answer);
  if (recorded.ok || ends.includes(recorded.failure.type)) engine.owners.letGo(job.key);
  else engine.calls.set(job.key, { fence, answer });
  return recorded;
}

async function recordAnswer(
  engine: Engine,
  job: Job,
  fence: number,
  answer: ToolAnswer,
): Promise<Result<Settlement>> {
  const attempt = { key: job.key, fence, worker: engine.workerId };
  if (answer.type === 'done') {
    const json = encodeJson(answer.result, 'result');
    if (json.ok) return confirm(engine, job, attempt, answer.result, answer.tokens ?? 0);
    const { path, reason } = json.failure;
    const unreadable = `it answered with ${path}: ${reason}`;
    return recordAnswer(engine, job, fence, { type: 'unknown', reason: unreadable });
  }
  const intent = await engine.database.read((reader) => loadIntent(reader, job.key));
  return answer.type === 'unknown' && intent !== null && !mayRepeat(intent, job.tool)
    ? doubt(engine, job, attempt, answer.reason)
    : recordFailure(engine, job, attempt, answer);
}
