/** Holds effects.md, claims: who may deliver a call, who may take one over, and what a crash in a call leads to. */
import { beforeEach, describe, expect, test } from 'vitest';
import { fail } from '../../src/engine/failure.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { resumeRun, startRun } from '../../src/engine/start.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { FaultyPageStore } from '../support/faulty-page-store.ts';
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
  tamper,
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

describe('claim, lease and fence', () => {
  test('the lease is longer than the call may take', async () => {
    await callingOut(using({ timeLimit: 30_000 }));
    const [attempt] = (await stored()).attempts;
    expect(attempt).toMatchObject({
      claimedAtUtc: '2026-01-05T09:00:00.000Z',
      leaseUntilUtc: '2026-01-05T09:00:40.000Z',
    });
  });

  test('an owner that lives is not robbed, though its lease is over, and not disturbed by an event', async () => {
    const { answer, stepping } = await callingOut();
    const other = await workerIn(world);
    for (const time of [0, 3_600_000]) {
      world.clock.turnBy(time);
      expect(await stepOf(other)).toMatchObject({
        failure: { type: 'ClaimedElsewhere', key: workKey, session: 'session-1', alive: true },
      });
    }
    expect((await stored()).types).toEqual(['run_started', 'tool_intended']);
    answer.give(done());
    must(await stepping);
    expect(world.calls).toHaveLength(1);
  });

  test('a dead owner is not waited for', async () => {
    await killedInCall();
    const other = await workerIn(world);
    must(await stepOf(other));
    expect(world.calls).toHaveLength(2);
    expect(await stored()).toMatchObject({
      types: ['run_started', 'tool_intended', 'run_resumed', 'tool_executed', 'checkpoint_saved'],
      attempts: [
        { fence: 1, outcome: 'lost' },
        { fence: 2, worker: other.engine.workerId, session: 'session-2', outcome: 'done' },
      ],
    });
  });

  test('where nobody can say who lives, the end of the lease is waited for, and no longer', async () => {
    world.hasLocks = false;
    await killedInCall();
    const other = await workerIn(world);
    const leaseUntilUtc = '2026-01-05T09:00:20.000Z';
    for (const time of [0, 19_999]) {
      world.clock.turnBy(time);
      expect(await stepOf(other)).toEqual(
        fail({ type: 'ClaimedElsewhere', key: workKey, session: 'session-1', alive: false, leaseUntilUtc }),
      );
    }
    world.clock.turnBy(1);
    must(await stepOf(other));
    expect((await stored()).attempts.map(({ fence }) => fence)).toEqual([1, 2]);
  });

  test('a lease that cannot be read is over for nobody by itself', async () => {
    world.hasLocks = false;
    const dead = await killedInCall();
    const other = await workerIn(world);
    await tamper(other, `UPDATE tool_attempts SET lease_until_utc = 'soon'`);
    world.clock.turnBy(3_600_000);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ClaimedElsewhere' } });
    expect(dead.plan.touchedAfterCrash).toBe(0);
  });

  test.each([done({ from: 'the first' }), failed(), unknown()])(
    'an old fencing number records nothing: %j',
    async (late) => {
      world.hasLocks = false;
      const { worker, answer, stepping } = await callingOut();
      world.clock.turnBy(20_000);
      const other = await workerIn(world);
      world.answers.push(done({ from: 'the second' }));
      must(await stepOf(other));
      answer.give(late);
      expect(await stepping).toEqual(fail({ type: 'ClaimLost', key: workKey }));
      const { attempts, run } = await stored();
      expect(attempts).toMatchObject([{ outcome: 'lost' }, { outcome: 'done' }]);
      expect(run.contextJson).toBe('{"work":{"from":"the second"}}');
      expect(worker.engine.calls.size).toBe(0);
    },
  );

  test('an old fencing number records nothing while the new attempt is out, either', async () => {
    world.hasLocks = false;
    const first = await callingOut();
    world.clock.turnBy(20_000);
    const other = await workerIn(world);
    const second = heldBack();
    world.answers.push(second.script);
    const stepping = stepOf(other);
    await second.left;
    first.answer.give(done({ from: 'the first' }));
    expect(await first.stepping).toEqual(fail({ type: 'ClaimLost', key: workKey }));
    second.give(done({ from: 'the second' }));
    expect(must(await stepping).contextJson).toBe('{"work":{"from":"the second"}}');
  });

  test('of two workers that come to a new call at once one makes it', async () => {
    const [a, b] = [await started(), await workerIn(world)];
    must(await resumeRun(b.engine, workRun));
    const answer = heldBack();
    world.answers.push(answer.script);
    const steps = [stepOf(a), stepOf(b)];
    await answer.left;
    expect(await Promise.race(steps)).toMatchObject({ failure: { type: 'ClaimedElsewhere', alive: true } });
    answer.give(done());
    await Promise.all(steps);
    expect(world.calls).toHaveLength(1);
    expect((await stored()).intents).toHaveLength(1);
  });

  test('two workers that resume the same version do not both run on', async () => {
    const [a, b] = [await started(), await workerIn(world)];
    const ends = await Promise.all([runToEnd(a.engine, workRun), runToEnd(b.engine, workRun)]);
    const { run, violated, types } = await stored();
    expect(ends.some(({ ok }) => ok)).toBe(true);
    expect(run).toMatchObject({ status: 'completed', version: 2 });
    expect(types.filter((type) => type === 'checkpoint_saved')).toHaveLength(2);
    expect(violated).toEqual([]);
    expect(world.calls).toHaveLength(1);
  });

  test.each([
    ['has gone on', `UPDATE agent_runs SET version = version + 1`],
    ['has failed', `UPDATE agent_runs SET status = 'failed'`],
  ])('a run that %s between the look and the claim is not called for', async (_, sql) => {
    const store = new FaultyPageStore(world.store);
    const worker = await started({ store });
    const other = await workerIn(world);
    const change = async () => {
      must(await other.database.refresh());
      await tamper(other, sql);
    };
    store.faults.push({ before: () => Promise.resolve() }, { before: change });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'StateConflict' } });
    expect(world.calls).toEqual([]);
    expect(world.held.size).toBe(0);
  });

  test('an answer is not recorded in another lab, under a claim that another worker has there', async () => {
    const { worker, answer, stepping } = await callingOut(onceOnly);
    // The lab is reset, and the run of the same name comes to the same call, with the same fencing number.
    const other = await workerIn(world, onceOnly);
    const bytes = freshImage(world.parts.sqlite, cryptoRandom);
    must(await other.database.replace('reset', { bytes }));
    const again = heldBack();
    world.answers.push(again.script);
    must(await startRun(other.engine, 'T1', {}));
    const others = stepOf(other);
    await again.left;
    // This worker has a label there, too.
    must(await startRun(worker.engine, 'T2', {}));
    answer.give(done({ from: 'the former lab' }));
    expect(await stepping).toMatchObject({ ok: false });
    again.give(done({ from: 'this lab' }));
    expect(must(await others).contextJson).toBe('{"work":{"from":"this lab"}}');
  });
});
