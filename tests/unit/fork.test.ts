/** Holds forking: a run of its own, from any version that can be gone on from. The parent is not touched. */
import { beforeEach, expect, test } from 'vitest';
import { fail } from '../../src/engine/failure.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { readTables } from '../../src/bridge/lab-view.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  actTool,
  done,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  tamper,
  workerIn,
  workflowWith,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const options = { workflows: [workflowWith([actTool()], { budgets: { steps: 9, tool_calls: 2 } })] };

/** At version 1, past its call. */
async function half(): Promise<Worker> {
  world.answers.push(done({ cup: 1 }));
  const worker = await startedIn(world, options, { order: 'tea' });
  must(await stepOf(worker));
  return worker;
}

test('a fork starts at version 0 with the state of the version, and its first event names its parent', async () => {
  const worker = await half();
  const fork = must(await forkRun(worker.engine, workRun, 1, null));
  expect(fork).toMatchObject({ runId: 'run-T1-2', version: 0, status: 'running', nextAction: 'end' });
  expect(fork.contextJson).toBe('{"order":"tea","work":{"cup":1}}');
  const { events, run, violated } = await storedIn(world, fork.runId);
  expect(run).toEqual(fork);
  expect(events).toMatchObject([
    { sequence: 1, eventType: 'run_forked', action: 'fork', detail: 'run-T1 version 1' },
  ]);
  expect(violated).toEqual([]);
  const view = await worker.database.read((reader) => readTables(reader, worker.engine, [], fork.runId));
  expect(view.selected?.parent).toEqual({ runId: workRun, version: 1 });
});

test('its parent is not touched, and goes its own way', async () => {
  const worker = await half();
  const before = await storedIn(world);
  const fork = must(await forkRun(worker.engine, workRun, 0, null));
  must(await runToEnd(worker.engine, fork.runId));
  expect(await storedIn(world)).toEqual({ ...before, effects: expect.anything() });
  must(await runToEnd(worker.engine, workRun));
  expect(await storedIn(world)).toMatchObject({ run: { status: 'completed' }, violated: [] });
});

test('a call before the fork is not made again; one after it is made anew, under its own key', async () => {
  const worker = await half();
  const [past, future] = [
    must(await forkRun(worker.engine, workRun, 1, null)),
    must(await forkRun(worker.engine, workRun, 0, null)),
  ];
  must(await runToEnd(worker.engine, past.runId));
  expect(world.calls).toHaveLength(1);
  world.answers.push(done({ cup: 2 }));
  expect(must(await runToEnd(worker.engine, future.runId)).contextJson).toBe(
    '{"order":"tea","work":{"cup":2}}',
  );
  expect(world.calls.map(({ key }) => key)).toEqual(['run-T1:work', 'run-T1-3:work']);
});

test('an edited context is the fork’s, and its event says so', async () => {
  const worker = await half();
  const fork = must(await forkRun(worker.engine, workRun, 0, { order: 'coffee' }));
  must(await runToEnd(worker.engine, fork.runId));
  expect(world.calls.at(-1)?.arguments).toEqual({ order: 'coffee' });
  const { events } = await storedIn(world, fork.runId);
  expect(events[0]?.detail).toBe('run-T1 version 0, edited');
  expect(await forkRun(worker.engine, workRun, 0, { n: NaN })).toMatchObject({
    failure: { type: 'JsonRefused', path: 'context.n' },
  });
});

test('a fork has budgets of its own', async () => {
  const worker = await half();
  const fork = must(await forkRun(worker.engine, workRun, 0, null));
  expect((await storedIn(world, fork.runId)).budgets).toEqual({ steps: [0, 9], tool_calls: [0, 2] });
});

test('a waiting, a failed and a completed run can be forked; what comes of it runs', async () => {
  const worker = await half();
  must(await runToEnd(worker.engine, workRun));
  for (const status of ['completed', 'waiting', 'failed']) {
    await tamper(worker, 'UPDATE agent_runs SET status = ? WHERE run_id = ?', [status, workRun]);
    expect(must(await forkRun(worker.engine, workRun, 1, null)).status).toBe('running');
  }
});

test('a fork can be forked, and so can one of a run from elsewhere', async () => {
  const worker = await half();
  const fork = must(await forkRun(worker.engine, workRun, 1, null));
  expect(must(await forkRun(worker.engine, fork.runId, 0, null)).runId).toBe('run-T1-3');
  await tamper(worker, 'DELETE FROM run_details');
  expect(must(await forkRun(worker.engine, workRun, 1, null)).runId).toBe('run-T1-4');
});

test('what is not there, or has nothing left to do, or is of a changed workflow, is not forked', async () => {
  const worker = await half();
  must(await runToEnd(worker.engine, workRun));
  const none = (version: number) => fail({ type: 'NoSuchCheckpoint', runId: workRun, version });
  expect(await forkRun(worker.engine, workRun, 7, null)).toEqual(none(7));
  expect(await forkRun(worker.engine, workRun, 7, { order: 'tea' })).toEqual(none(7));
  expect(await forkRun(worker.engine, workRun, 2, null)).toEqual(none(2));
  expect(await forkRun(worker.engine, 'run-none', 0, null)).toMatchObject({
    failure: { type: 'RunNotFound' },
  });
  const changed = await workerIn(world, { workflows: [{ ...workflowWith(), version: 2 }] });
  expect(await forkRun(changed.engine, workRun, 0, null)).toMatchObject({
    failure: { type: 'WorkflowChanged' },
  });
  await tamper(worker, `UPDATE agent_checkpoints SET changes_json = 'no JSON'`);
  expect(await forkRun(worker.engine, workRun, 0, null)).toEqual(none(0));
  await tamper(worker, `UPDATE agent_checkpoints SET next_action = 'elsewhere', changes_json = '{}'`);
  expect(await forkRun(worker.engine, workRun, 0, null)).toMatchObject({
    failure: { type: 'UnknownAction' },
  });
});
