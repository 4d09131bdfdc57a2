/** Holds effects.md: intent, claim, call and confirmation, each durable before the next, and one call at a time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { tryNow } from '../../src/engine/doubt.ts';
import { fail } from '../../src/engine/failure.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { FaultyPageStore } from '../support/faulty-page-store.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker, WorkerOptions } from '../support/outside.ts';
import {
  actTool,
  done,
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

describe('nothing leaves before it is durable', () => {
  test('the world, when it is called, finds intent, event, claim and budget stored', async () => {
    const worker = await startedIn(
      world,
      { workflows: [workflowWith([actTool()], { budgets: { tool_calls: 5 } })] },
      { order: 'coffee' },
    );
    world.destination = 'https://desk.example/';
    let seen: Awaited<ReturnType<typeof stored>> | null = null;
    world.answers.push(async (request) => {
      seen = await stored();
      expect(request).toMatchObject({ key: workKey, tool: 'act', arguments: { order: 'coffee' } });
      expect(request).toMatchObject({ destination: 'https://desk.example/' });
      return done();
    });
    must(await stepOf(worker));
    expect(seen).toMatchObject({
      types: ['run_started', 'tool_intended'],
      intents: [{ key: workKey, state: 'pending', argumentsJson: '{"order":"coffee"}', failures: 0 }],
      attempts: [{ fence: 1, worker: worker.engine.workerId, session: 'session-1', outcome: null }],
      budgets: { tool_calls: [1, 5] },
      effects: [],
    });
  });

  test('a run that is acknowledged is there, though its worker dies before the first checkpoint', async () => {
    (await started()).die();
    const other = await workerIn(world);
    expect(must(await runToEnd(other.engine, workRun)).status).toBe('completed');
  });

  test('an intent or a claim that storage refuses lets nothing leave', async () => {
    const store = new FaultyPageStore(world.store);
    const worker = await started({ store });
    const full = { failure: { type: 'StorageFull', reason: 'test' }, arrives: false } as const;
    store.faults.push(full);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'StorageFull' } });
    expect(await stored()).toMatchObject({ types: ['run_started'], intents: [] });
    // The intent is stored, the claim is not.
    store.faults.push({ before: () => Promise.resolve() }, full);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'StorageFull' } });
    expect(await stored()).toMatchObject({ intents: [{ state: 'pending' }], attempts: [] });
    expect(world.calls).toEqual([]);
    expect(world.held.size).toBe(0);
    must(await stepOf(worker));
    expect(world.calls).toHaveLength(1);
  });

  test('every attempt goes where the first one went, with the same key, scope and arguments', async () => {
    const worker = await started();
    world.destination = 'https://one.example/';
    world.answers.push(unknown());
    must(await stepOf(worker));
    world.destination = 'https://two.example/';
    must(await tryNow(worker.engine, workKey));
    must(await stepOf(worker));
    expect(world.calls).toHaveLength(2);
    expect(world.calls[1]).toEqual(world.calls[0]);
    expect(world.calls[0]).toMatchObject({ destination: 'https://one.example/' });
    expect(world.calls[0]?.scope).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('the confirmation', () => {
  test('the result, its event and the end of the intent are one commit; the checkpoint comes after', async () => {
    world.answers.push(done({ cup: 1 }));
    const worker = await started({ arms: [{ boundary: 'work.confirm.durable', every: false }] });
    await expect(stepOf(worker)).rejects.toThrow('simulated crash');
    expect(await stored()).toMatchObject({
      run: { version: 0 },
      types: ['run_started', 'tool_intended', 'tool_executed'],
      intents: [{ state: 'confirmed' }],
      attempts: [{ outcome: 'done', detail: null }],
      effects: [{ idempotency_key: workKey, tool_name: 'act', result_json: '{"cup":1}' }],
    });
  });

  test('the saved result goes on, told once a session, and the tool is not called again', async () => {
    world.answers.push(done({ cup: 1 }));
    const first = await started({ arms: [{ boundary: 'work.checkpoint.begin', every: false }] });
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const second = await workerIn(world, { arms: [{ boundary: 'work.checkpoint.begin', every: false }] });
    await expect(stepOf(second)).rejects.toThrow('simulated crash');
    second.die();
    const third = await workerIn(world);
    expect(must(await runToEnd(third.engine, workRun)).contextJson).toBe('{"work":{"cup":1}}');
    const { types, violated } = await stored();
    expect(types.filter((type) => type === 'tool_reused')).toHaveLength(2);
    expect(world.calls).toHaveLength(1);
    expect(violated).toEqual([]);
  });

  test('an answer that storage had no room for is recorded by the next step, without a second call', async () => {
    const store = new FaultyPageStore(world.store);
    const worker = await started({ store });
    world.answers.push(() => {
      store.faults.push({ failure: { type: 'StorageFull', reason: 'test' }, arrives: false });
      return done({ cup: 1 });
    });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'StorageFull' } });
    // It still shows that it lives: its answer is not lost.
    expect(world.held.get(worker.engine.workerId)).toEqual(new Set([workKey]));
    const other = await workerIn(world);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ClaimedElsewhere', alive: true } });
    must(await stepOf(worker));
    expect(world.calls).toHaveLength(1);
    expect(await stored()).toMatchObject({ run: { version: 1 }, attempts: [{ fence: 1, outcome: 'done' }] });
    expect(world.held.size).toBe(0);
  });

  test.each(['done', 'unknown'] as const)(
    'a recording whose outcome is unknown, of an answer that is %s, is not taken for lost when it arrived',
    async (type) => {
      const store = new FaultyPageStore(world.store);
      const worker = await started({ store });
      world.answers.push(() => {
        store.faults.push({ failure: { type: 'OutcomeUnknown', reason: 'test' }, arrives: true });
        return type === 'done' ? done({ cup: 1 }) : unknown();
      });
      expect(await stepOf(worker)).toMatchObject({ failure: { type: 'OutcomeUnknown' } });
      const again = await stepOf(worker);
      if (type === 'done') expect(must(again).version).toBe(1);
      else expect(again).toMatchObject({ failure: { type: 'AttemptNotDue' } });
      expect(await stored()).toMatchObject({ attempts: [{ fence: 1, outcome: type }] });
      expect(world.calls).toHaveLength(1);
    },
  );

  test.each([true, false])(
    'a claim whose outcome is unknown (arrived: %s) leads to no doubt: nothing was sent under it',
    async (arrives) => {
      const store = new FaultyPageStore(world.store);
      const worker = await started({ ...onceOnly, store });
      const unanswered = { failure: { type: 'OutcomeUnknown', reason: 'test' }, arrives } as const;
      store.faults.push({ before: () => Promise.resolve() }, unanswered);
      expect(await stepOf(worker)).toMatchObject({ failure: { type: 'OutcomeUnknown' } });
      expect(world.calls).toEqual([]);
      must(await stepOf(worker));
      world.clock.turnBy(60_000);
      must(await runToEnd(worker.engine, workRun));
      expect(world.asked).toEqual([]);
      expect(world.calls).toHaveLength(1);
      expect(world.held.size).toBe(0);
      expect(await stored()).toMatchObject({ run: { status: 'completed' }, violated: [] });
    },
  );

  test.each([
    ['a number that is none', { readings: [1, NaN] }, 'result.readings[1]'],
    ['half a character', { text: '\ud800' }, 'result.text'],
  ])('a result that JSON cannot hold (%s) is no success, and no failure either', async (_, result, path) => {
    const worker = await started(onceOnly);
    world.answers.push(done(result));
    expect(must(await stepOf(worker)).status).toBe('waiting');
    const { intents, attempts, effects } = await stored();
    expect(intents).toMatchObject([{ state: 'in_doubt' }]);
    expect(attempts[0]?.detail).toContain(path);
    expect(effects).toEqual([]);
  });

  test('a saved row that is no object, or none at all, is a failure to tell and not a fault', async () => {
    const worker = await started({ arms: [{ boundary: 'work.checkpoint.begin', every: false }] });
    await expect(stepOf(worker)).rejects.toThrow('simulated crash');
    worker.die();
    const other = await workerIn(world);
    await tamper(other, `UPDATE tool_effects SET result_json = '[1]'`);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ToolFailed' } });
    await tamper(other, 'DELETE FROM effect_arguments');
    await tamper(other, 'DELETE FROM tool_effects');
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ToolFailed' } });
    await tamper(other, `UPDATE tool_intents SET state = 'banana'`);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ToolFailed' } });
    expect(world.calls).toHaveLength(1);
  });
});

describe('one worker', () => {
  test('does not dispatch a call twice that is in flight', async () => {
    const { worker, answer, stepping } = await callingOut();
    expect(await stepOf(worker)).toEqual(fail({ type: 'CallInFlight', key: workKey }));
    answer.give(done());
    must(await stepping);
    expect(world.calls).toHaveLength(1);
  });

  test.each(['idempotent', 'at-most-once'] as const)(
    'that takes two steps at once makes one call of an %s tool, and holds its lock all the while',
    async (safety) => {
      const worker = await started(using({ safety }));
      const answer = heldBack();
      world.answers.push(answer.script);
      const steps = [stepOf(worker), stepOf(worker), stepOf(worker)];
      await answer.left;
      const { intents, attempts } = await stored();
      expect([intents.length, attempts.length]).toEqual([1, 1]);
      const firstDone = await Promise.race([...steps, steps[2]]);
      expect(firstDone).toEqual(fail({ type: 'CallInFlight', key: workKey }));
      expect(world.held.get(worker.engine.workerId)).toEqual(new Set([workKey]));
      answer.give(done());
      const results = await Promise.all(steps);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(world.calls).toHaveLength(1);
      expect(world.asked).toEqual([]);
      expect(await stored()).toMatchObject({ run: { version: 1 }, violated: [] });
    },
  );

  test('that takes two steps at once takes an interrupted call over once', async () => {
    await killedInCall();
    const other = await workerIn(world);
    const answer = heldBack();
    world.answers.push(answer.script);
    const steps = [stepOf(other), stepOf(other)];
    await answer.left;
    answer.give(done());
    await Promise.all(steps);
    expect(world.calls).toHaveLength(2);
    expect(await stored()).toMatchObject({ attempts: [{ outcome: 'lost' }, { outcome: 'done' }] });
  });
});
