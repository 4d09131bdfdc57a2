/** Holds effects.md, failures: time limits, and tries that are due later. */
import { beforeEach, describe, expect, test } from 'vitest';
import { retryDelay } from '../../src/engine/backoff.ts';
import { tryNow } from '../../src/engine/doubt.ts';
import { fail } from '../../src/engine/failure.ts';
import { retryRun } from '../../src/engine/status.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker, WorkerOptions } from '../support/outside.ts';
import {
  actTool,
  done,
  failed,
  heldBack,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  unknown,
  workerIn,
  workflowWith,
  workKey,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const using = (...tools: Parameters<typeof actTool>): WorkerOptions => ({
  workflows: [workflowWith([actTool(...tools)])],
});
const onceOnly = using({ safety: 'at-most-once' });
const started = (options?: WorkerOptions) => startedIn(world, options);
const stored = () => storedIn(world);

/** A worker with the run at a call that is out and held back. */
async function callingOut(options?: WorkerOptions) {
  const worker = await started(options);
  const answer = heldBack();
  world.answers.push(answer.script);
  const stepping = stepOf(worker);
  await answer.left;
  return { worker, answer, stepping };
}

/** The same, and then the worker is killed. */
async function killedInCall(options?: WorkerOptions): Promise<Worker> {
  const { worker } = await callingOut(options);
  worker.die();
  return worker;
}

describe('the time limit', () => {
  test('who does not answer in time is told so, and the call is of unknown outcome', async () => {
    const { worker, stepping } = await callingOut(using({ timeLimit: 30_000 }));
    expect(worker.timer.waits).toEqual([30_000]);
    worker.timer.pass(29_999);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'CallInFlight' } });
    worker.timer.pass(1);
    must(await stepping);
    expect(await stored()).toMatchObject({
      attempts: [{ outcome: 'unknown', detail: 'no answer within 30 seconds' }],
      intents: [{ state: 'pending', failures: 1 }],
    });
  });

  test('the signal fires at the time limit and not before; what is answered afterwards is not heard', async () => {
    const worker = await started(onceOnly);
    const answer = heldBack();
    let signal: AbortSignal | null = null;
    world.answers.push((request, given) => {
      signal = given;
      return typeof answer.script === 'function' ? answer.script(request, given) : answer.script;
    });
    const stepping = stepOf(worker);
    await answer.left;
    expect(signal).toMatchObject({ aborted: false });
    worker.timer.pass(10_000);
    expect(signal).toMatchObject({ aborted: true });
    answer.give(done());
    expect(must(await stepping).status).toBe('waiting');
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });

  test('an answer in time calls the wait off', async () => {
    const worker = await started();
    must(await stepOf(worker));
    expect(worker.timer.waits).toEqual([]);
  });
});

describe('attempts', () => {
  const secondsUntilNext = async (): Promise<number> => {
    const due = (await stored()).intents[0]?.nextAttemptAtUtc ?? '';
    return (Date.parse(due) - Date.parse(world.clock.now())) / 1000;
  };

  test('the wait doubles, with jitter in its upper half, up to a minute', () => {
    expect([1, 2, 3, 4].map((failures) => retryDelay(failures, 0))).toEqual([500, 1000, 2000, 4000]);
    expect([1, 2, 3, 4].map((failures) => retryDelay(failures, 0.5))).toEqual([750, 1500, 3000, 6000]);
    expect(retryDelay(7, 0.999)).toBeLessThanOrEqual(60_000);
    expect(retryDelay(1000, 0.999)).toBeLessThanOrEqual(60_000);
    expect(retryDelay(1000, 0)).toBe(30_000);
  });

  test('a failed attempt is stored with its reason and the time of the next one, by the injected clock and chance', async () => {
    const worker = await started();
    world.answers.push(failed('the desk is closed'));
    must(await stepOf(worker));
    const { types, attempts, intents, run } = await stored();
    expect(run.status).toBe('running');
    expect(types.at(-1)).toBe('tool_failed');
    expect(attempts).toMatchObject([{ outcome: 'failed', detail: 'the desk is closed' }]);
    expect(intents).toMatchObject([{ failures: 1, nextAttemptAtUtc: '2026-01-05T09:00:00.750Z' }]);
  });

  test('nothing is done before the next attempt is due, also in a later session', async () => {
    const worker = await started();
    world.answers.push(failed());
    must(await stepOf(worker));
    worker.die();
    const other = await workerIn(world);
    const dueAtUtc = '2026-01-05T09:00:00.750Z';
    world.clock.turnBy(749);
    expect(await stepOf(other)).toEqual(fail({ type: 'AttemptNotDue', key: workKey, dueAtUtc }));
    expect(world.calls).toHaveLength(1);
    world.clock.turnBy(1);
    must(await stepOf(other));
    expect(world.calls).toHaveLength(2);
  });

  test('a clock that stands still lets a person try now; one that is put back does not hurry', async () => {
    const worker = await started();
    world.answers.push(failed());
    must(await stepOf(worker));
    world.clock.turnBy(-86_400_000);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'AttemptNotDue' } });
    must(await tryNow(worker.engine, workKey));
    must(await stepOf(worker));
    const { events, violated } = await stored();
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(violated).toEqual([]);
  });

  test('the other side’s wish for a longer wait is heeded, a shorter one is not', async () => {
    const worker = await started(using({ attempts: 9 }));
    world.answers.push(failed('busy', true, 120_000), failed('busy', true, 1));
    must(await stepOf(worker));
    expect(await secondsUntilNext()).toBe(120);
    must(await tryNow(worker.engine, workKey));
    must(await stepOf(worker));
    expect(await secondsUntilNext()).toBe(1.5);
  });

  test.each([Infinity, NaN, -5, 1e300])('a wish of %s milliseconds harms nothing', async (wish) => {
    const worker = await started();
    world.answers.push(failed('busy', true, wish));
    must(await stepOf(worker));
    const seconds = await secondsUntilNext();
    expect(seconds).toBeGreaterThanOrEqual(0.5);
    expect(seconds).toBeLessThanOrEqual(86_400);
  });

  test('an error that the tool says is final fails the run at once, with its reason', async () => {
    const worker = await started();
    world.answers.push(failed('no such order', false));
    expect(must(await stepOf(worker)).status).toBe('failed');
    const { events, intents } = await stored();
    expect(intents).toMatchObject([{ state: 'failed' }]);
    expect(events.at(-1)).toMatchObject({ eventType: 'run_failed', detail: `${workKey}: no such order` });
    expect(world.calls).toHaveLength(1);
  });

  test('after the last attempt the run has failed, and can be tried again by hand with all its attempts', async () => {
    const worker = await started();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      world.answers.push(failed(`down ${String(attempt)}`));
      must(await stepOf(worker));
      world.clock.turnBy(60_000);
    }
    expect(await stored()).toMatchObject({ run: { status: 'failed', nextAction: 'work', version: 1 } });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'RunNotRunning' } });
    expect(await retryRun(worker.engine, workRun, 0, 0)).toMatchObject({
      failure: { type: 'StateConflict' },
    });
    must(await retryRun(worker.engine, workRun, 1, 0));
    expect(await retryRun(worker.engine, workRun, 2, 0)).toMatchObject({ failure: { type: 'RunNotFailed' } });
    world.answers.push(failed('down 4'));
    expect(must(await stepOf(worker)).status).toBe('running');
    world.clock.turnBy(60_000);
    must(await stepOf(worker));
    const { run, attempts, violated } = await stored();
    expect(run.version).toBe(3);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed', 'done']);
    expect(violated).toEqual([]);
  });

  test('of a read that never answers nothing can have been done: it fails', async () => {
    const worker = await started(using({ safety: 'read', attempts: 2 }));
    world.answers.push(unknown(), unknown());
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(worker)).status).toBe('failed');
  });

  test('an idempotent call that never answers is in doubt when its attempts are used up, never failed', async () => {
    const worker = await started(using({ attempts: 2 }));
    world.answers.push(unknown(), unknown());
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(worker)).status).toBe('waiting');
    const { intents, types } = await stored();
    expect(intents).toMatchObject([{ state: 'in_doubt' }]);
    expect(types).not.toContain('run_failed');
    expect(types.slice(-4)).toEqual(['tool_failed', 'tool_in_doubt', 'checkpoint_saved', 'run_waiting']);
  });

  test('a definite failure after an attempt without an answer never claims that nothing was done', async () => {
    const worker = await started();
    world.answers.push(unknown(), failed('no such order', false));
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(worker)).status).toBe('waiting');
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });

  test('nor does one after an attempt whose session died', async () => {
    await killedInCall();
    world.answers.push(failed('no such order', false));
    expect(must(await stepOf(await workerIn(world))).status).toBe('waiting');
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });
});
