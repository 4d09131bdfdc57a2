/** Holds effects.md, safety: what a crash in a call leads to, by what the tool and the stored intent say of a second call. */
import { beforeEach, describe, expect, test } from 'vitest';
import { runToEnd } from '../../src/engine/runner.ts';
import { adoptRun } from '../../src/engine/start.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker, WorkerOptions } from '../support/outside.ts';
import {
  actTool,
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

describe('after a crash, by the tool’s safety', () => {
  test.each(['read', 'idempotent'] as const)('a %s call is made again under the same key', async (safety) => {
    await killedInCall(using({ safety }));
    const other = await workerIn(world, using({ safety }));
    expect(must(await stepOf(other)).version).toBe(1);
    expect(world.calls.map(({ key }) => key)).toEqual([workKey, workKey]);
    expect(world.asked).toEqual([]);
  });

  test('an at-most-once call is never made again by itself', async () => {
    await killedInCall(onceOnly);
    for (let life = 0; life < 3; life += 1) {
      const other = await workerIn(world, onceOnly);
      await runToEnd(other.engine, workRun);
      other.die();
    }
    expect(world.calls).toHaveLength(1);
    expect(await stored()).toMatchObject({ run: { status: 'waiting' }, intents: [{ state: 'in_doubt' }] });
  });

  test('a call that was intended and not claimed is simply made', async () => {
    const first = await started({ ...onceOnly, arms: [{ boundary: 'work.intent.durable', every: false }] });
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const other = await workerIn(world, onceOnly);
    expect(must(await stepOf(other)).version).toBe(1);
    expect(world.calls).toHaveLength(1);
  });

  test('what is stored as at-most-once stays so, whatever the workflow of today says', async () => {
    await killedInCall(onceOnly);
    const other = await workerIn(world, onceOnly);
    await tamper(other, `UPDATE tool_intents SET safety = 'a word of elsewhere'`);
    expect(must(await stepOf(other)).status).toBe('waiting');
    expect(world.calls).toHaveLength(1);
  });

  test('a tool that is at-most-once today is not called again, though it was intended as another kind', async () => {
    await killedInCall();
    const other = await workerIn(world, onceOnly);
    must(await adoptRun(other.engine, workRun));
    expect(must(await stepOf(other)).status).toBe('waiting');
    expect(world.calls).toHaveLength(1);
  });

  test('a call intended as at-most-once that goes unanswered is in doubt, though the tool is of another kind today', async () => {
    const first = await started({ ...onceOnly, arms: [{ boundary: 'work.intent.durable', every: false }] });
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const other = await workerIn(world);
    must(await adoptRun(other.engine, workRun));
    world.answers.push(unknown());
    expect(must(await stepOf(other)).status).toBe('waiting');
    expect((await stored()).intents).toMatchObject([{ state: 'in_doubt' }]);
  });
});
