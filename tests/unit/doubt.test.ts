/** Holds effects.md, doubt: what nobody knows is asked, decided by a person, and never called again by itself. */
import { beforeEach, describe, expect, test } from 'vitest';
import { resolveDoubt, takeOver, tryNow } from '../../src/engine/doubt.ts';
import { fail } from '../../src/engine/failure.ts';
import { runToEnd } from '../../src/engine/runner.ts';
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

const onceOnly = { workflows: [workflowWith([actTool({ safety: 'at-most-once' })])] };

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const stored = () => storedIn(world);

/** A call that is out, held back. */
async function callingOut(options: WorkerOptions = onceOnly) {
  const worker = await startedIn(world, options);
  const answer = heldBack();
  world.answers.push(answer.script);
  const stepping = stepOf(worker);
  await answer.left;
  return { worker, answer, stepping };
}

/** The worker of the call has died; another one has come. */
async function interrupted(options: WorkerOptions = onceOnly): Promise<Worker> {
  (await callingOut(options)).worker.die();
  return workerIn(world, options);
}

/** The run waits, with its call in doubt. */
async function inDoubt(): Promise<Worker> {
  world.answers.push(unknown('the line was cut'));
  const worker = await startedIn(world, onceOnly);
  expect(must(await stepOf(worker)).status).toBe('waiting');
  return worker;
}

describe('after a crash in the call the other side is asked first', () => {
  test('what it says was done is recorded as the result, told apart from an answer, and nothing is called', async () => {
    const worker = await interrupted();
    world.status = { type: 'done', result: { page: 7 } };
    expect(must(await stepOf(worker))).toMatchObject({ version: 1, contextJson: '{"work":{"page":7}}' });
    const { attempts, types, violated } = await stored();
    expect(attempts).toMatchObject([{ outcome: 'done', detail: 'as the other side said when asked' }]);
    expect(types.slice(-2)).toEqual(['tool_executed', 'checkpoint_saved']);
    expect(world.asked).toEqual([world.calls[0]]);
    expect(world.calls).toHaveLength(1);
    expect(violated).toEqual([]);
  });

  test.each([
    [{ type: 'not_received' }, 'says that it has not received it'],
    [{ type: 'under_way' }, 'says that it is still at it'],
    [{ type: 'cannot_tell', reason: 'no book' }, 'can’t be asked (no book)'],
    [{ type: 'done', result: { text: '\ud800' } }, 'with a result that can’t be kept'],
  ] as const)('when it says %j a person decides', async (status, reason) => {
    const worker = await interrupted();
    world.status = status;
    expect(must(await stepOf(worker)).status).toBe('waiting');
    const { intents, attempts, events } = await stored();
    expect(intents).toMatchObject([{ state: 'in_doubt' }]);
    expect(attempts).toMatchObject([{ outcome: 'unknown' }]);
    expect(attempts[0]?.detail).toContain(reason);
    expect(events.find(({ eventType }) => eventType === 'tool_in_doubt')?.detail).toContain(reason);
    expect(world.calls).toHaveLength(1);
  });

  test('a read, and what the other side recognises, is called again without a question', async () => {
    const worker = await interrupted({ workflows: [workflowWith()] });
    must(await stepOf(worker));
    expect(world.asked).toEqual([]);
  });

  test('two sessions that ask at once record one doubt', async () => {
    const a = await interrupted();
    const b = await workerIn(world, onceOnly);
    await Promise.all([stepOf(a), stepOf(b)]);
    const { types, violated, run } = await stored();
    expect(types.filter((type) => type === 'tool_in_doubt')).toHaveLength(1);
    expect(run.status).toBe('waiting');
    expect(violated).toEqual([]);
  });
});

describe('a person says', () => {
  test('call again: it is, under the same key, and counted', async () => {
    const worker = await inDoubt();
    expect(must(await resolveDoubt(worker.engine, workKey, { type: 'retry' }))).toMatchObject({
      status: 'running',
      version: 2,
    });
    world.answers.push(done({ page: 8 }));
    expect(must(await runToEnd(worker.engine, workRun)).contextJson).toBe('{"work":{"page":8}}');
    expect(world.calls.map(({ key }) => key)).toEqual([workKey, workKey]);
    const { attempts, violated, events } = await stored();
    expect(attempts).toMatchObject([
      { fence: 1, outcome: 'unknown', detail: 'the line was cut' },
      { fence: 2, outcome: 'done' },
    ]);
    expect(events.find(({ eventType }) => eventType === 'doubt_resolved')?.detail).toBe(
      `${workKey}: call again`,
    );
    expect(violated).toEqual([]);
  });

  test('call again, and the worker dies in that call, too: it is in doubt again, not called a third time', async () => {
    const worker = await inDoubt();
    must(await resolveDoubt(worker.engine, workKey, { type: 'retry' }));
    const answer = heldBack();
    world.answers.push(answer.script);
    void stepOf(worker);
    await answer.left;
    worker.die();
    const other = await workerIn(world, onceOnly);
    expect(must(await stepOf(other)).status).toBe('waiting');
    expect(world.calls).toHaveLength(2);
  });

  test('call again, and that fails for sure: it is not said that nothing was done', async () => {
    const worker = await inDoubt();
    must(await resolveDoubt(worker.engine, workKey, { type: 'retry' }));
    world.answers.push(failed('refused', false));
    expect(must(await stepOf(worker)).status).toBe('waiting');
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });

  test('skip: the saved row says so, and the run goes on', async () => {
    const worker = await inDoubt();
    must(await resolveDoubt(worker.engine, workKey, { type: 'skip' }));
    const run = must(await runToEnd(worker.engine, workRun));
    expect(run).toMatchObject({ status: 'completed', contextJson: '{"work":{"skipped":true}}' });
    const { effects, intents, violated } = await stored();
    expect(effects).toMatchObject([{ result_json: '{"skipped":true}' }]);
    expect(intents).toMatchObject([{ state: 'skipped' }]);
    expect(violated).toEqual([]);
    expect(world.calls).toHaveLength(1);
  });

  test('it was done, with this result: the run goes on with it', async () => {
    const worker = await inDoubt();
    const entered = { type: 'result', result: { page: 9, __proto__: null } } as const;
    must(await resolveDoubt(worker.engine, workKey, entered));
    expect(must(await runToEnd(worker.engine, workRun)).contextJson).toBe('{"work":{"page":9}}');
    expect(await stored()).toMatchObject({ intents: [{ state: 'confirmed' }], violated: [] });
    expect(world.calls).toHaveLength(1);
  });

  test('a result that JSON cannot hold is refused, and the call stays in doubt', async () => {
    const worker = await inDoubt();
    const result = { readings: [1, NaN] };
    expect(await resolveDoubt(worker.engine, workKey, { type: 'result', result })).toMatchObject({
      failure: { type: 'JsonRefused', path: 'result.readings[1]' },
    });
    expect(await stored()).toMatchObject({ run: { status: 'waiting' }, intents: [{ state: 'in_doubt' }] });
  });

  test('anything of a call that is not in doubt: it is told so, and nothing is written', async () => {
    const worker = await inDoubt();
    must(await resolveDoubt(worker.engine, workKey, { type: 'skip' }));
    const before = await stored();
    for (const key of [workKey, 'run-T9:work']) {
      expect(await resolveDoubt(worker.engine, key, { type: 'retry' })).toEqual(
        fail({ type: 'NotInDoubt', key }),
      );
    }
    expect(await stored()).toEqual(before);
  });
});

describe('a person takes a call over', () => {
  const takenBy = async (other: Worker) => {
    const fence = (await stored()).attempts.at(-1)?.fence ?? 0;
    return takeOver(other.engine, workKey, fence);
  };

  test('an at-most-once call is in doubt then; the late answer is not recorded', async () => {
    const { answer, stepping } = await callingOut();
    const other = await workerIn(world, onceOnly);
    must(await takenBy(other));
    expect(await stored()).toMatchObject({
      intents: [{ state: 'in_doubt' }],
      attempts: [{ outcome: 'lost' }],
    });
    answer.give(done({ page: 'late' }));
    expect(await stepping).toEqual(fail({ type: 'ClaimLost', key: workKey }));
    expect(must(await stepOf(other)).status).toBe('waiting');
    must(await resolveDoubt(other.engine, workKey, { type: 'result', result: { page: 'entered' } }));
    expect(must(await runToEnd(other.engine, workRun)).contextJson).toBe('{"work":{"page":"entered"}}');
    expect(world.calls).toHaveLength(1);
    expect((await stored()).violated).toEqual([]);
  });

  test('a doubt that was resolved before the late answer comes stays as it was resolved', async () => {
    const { answer, stepping } = await callingOut();
    const other = await workerIn(world, onceOnly);
    must(await takenBy(other));
    must(await resolveDoubt(other.engine, workKey, { type: 'retry' }));
    world.answers.push(done({ page: 'second' }));
    must(await stepOf(other));
    answer.give(done({ page: 'late' }));
    expect(await stepping).toMatchObject({ ok: false });
    expect((await stored()).run.contextJson).toBe('{"work":{"page":"second"}}');
  });

  test('a call that may be repeated is pending again, and made under the same key', async () => {
    const options = { workflows: [workflowWith()] };
    const { answer, stepping } = await callingOut(options);
    const other = await workerIn(world, options);
    must(await takenBy(other));
    expect((await stored()).intents).toMatchObject([{ state: 'pending' }]);
    must(await stepOf(other));
    answer.give(done());
    expect(await stepping).toMatchObject({ ok: false });
    expect(world.calls.map(({ key }) => key)).toEqual([workKey, workKey]);
  });

  test('one whose safety is a word of elsewhere, or whose tool is unknown here, is in doubt', async () => {
    const options = { workflows: [workflowWith()] };
    const { worker } = await callingOut(options);
    worker.die();
    const other = await workerIn(world, options);
    await tamper(other, `UPDATE tool_intents SET safety = 'harmless, I swear'`);
    must(await takenBy(other));
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });

  test('in an attempt that is over or not the newest: it is told so', async () => {
    const { answer, stepping, worker } = await callingOut();
    expect(await takeOver(worker.engine, workKey, 2)).toEqual(fail({ type: 'ClaimLost', key: workKey }));
    answer.give(done());
    must(await stepping);
    expect(await takeOver(worker.engine, workKey, 1)).toEqual(fail({ type: 'ClaimLost', key: workKey }));
    expect(await takeOver(worker.engine, 'run-T9:work', 1)).toMatchObject({ failure: { type: 'ClaimLost' } });
  });

  test('trying now changes nothing of a call that is not pending', async () => {
    const worker = await inDoubt();
    const before = await stored();
    must(await tryNow(worker.engine, workKey));
    must(await tryNow(worker.engine, 'run-T9:work'));
    expect(await stored()).toEqual(before);
  });
});
