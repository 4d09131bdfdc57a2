/** Holds R13: a run goes on under the workflow that it was started with, or a person chooses; never in silence. */
import { beforeEach, describe, expect, test } from 'vitest';
import { obstacleTo } from '../../src/engine/run-workflow.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { adoptRun, resumeRun } from '../../src/engine/start.ts';
import type { Workflow } from '../../src/engine/workflow.ts';
import { fingerprint } from '../../src/engine/workflow.ts';
import { must } from '../support/lives.ts';
import type { Outside } from '../support/outside.ts';
import {
  actTool,
  decide,
  heldBack,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  tamper,
  workerIn,
  workflowWith,
  workKey,
  workRun,
} from '../support/outside.ts';

const workflow = workflowWith();
const other: Workflow = { ...workflow, name: 'other' };
const [work, end] = workflow.actions;
if (work === undefined || end === undefined) throw new Error('the workflow has two actions');

const changes: Readonly<Record<string, Workflow>> = {
  'its version': { ...workflow, version: 2 },
  'the order of its actions': { ...workflow, actions: [{ ...work, next: null }, end] },
  'an action’s name': { ...workflow, actions: [work, { ...end, name: 'finish' }] },
  'an action’s tool': {
    ...workflow,
    actions: [work, { ...end, tool: { name: 'look', arguments: () => ({ ok: true, value: {} }) } }],
  },
  'a tool’s safety': workflowWith([actTool({ safety: 'at-most-once' })]),
  'a tool’s name': workflowWith([actTool({ name: 'do' })]),
  'one tool more': workflowWith([actTool(), actTool({ name: 'do' })]),
};

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

describe.each(Object.entries(changes))('when %s has changed', (_, changed) => {
  test('the run is refused, with what was stored and what there is, and nothing is written', async () => {
    const worker = await startedIn(world);
    const before = await storedIn(world);
    const later = await workerIn(world, { workflows: [changed] });
    const failure = {
      type: 'WorkflowChanged',
      runId: workRun,
      stored: 'work 1',
      current: `work ${String(changed.version)}`,
    };
    expect(await stepOf(later)).toEqual({ ok: false, failure });
    expect(await resumeRun(later.engine, workRun)).toEqual({ ok: false, failure });
    expect(await later.database.read((reader) => obstacleTo(reader, later.engine, before.run))).toEqual(
      failure,
    );
    expect(await storedIn(world)).toEqual(before);
    expect(world.calls).toEqual([]);
    // Under the workflow it was started with it goes on.
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
  });

  test('its fingerprint is another', () => {
    expect(fingerprint(changed)).not.toBe(fingerprint(workflow));
  });
});

test('what does not matter to a run is not part of the fingerprint', () => {
  const tool = actTool({ timeLimit: 1, attempts: 99, approval: () => 'why', secrets: ['pin'] });
  expect(fingerprint(workflowWith([tool], { budgets: { steps: 1 } }))).toBe(fingerprint(workflow));
});

describe('a person lets it go on', () => {
  const changed: Workflow = { ...workflow, version: 2 };

  test('under the workflow of today: an event says so, and from then on it is the run’s', async () => {
    (await startedIn(world)).die();
    const later = await workerIn(world, { workflows: [changed] });
    must(await adoptRun(later.engine, workRun));
    expect(must(await runToEnd(later.engine, workRun)).status).toBe('completed');
    const { events, violated } = await storedIn(world);
    expect(events.map(({ eventType, detail }) => [eventType, detail]).slice(1, 3)).toEqual([
      ['run_adopted', 'work 2'],
      ['run_resumed', 'loaded durable state'],
    ]);
    expect(violated).toEqual([]);
    const first = await workerIn(world);
    expect(await stepOf(first)).toMatchObject({ failure: { type: 'RunNotRunning' } });
  });

  test('only where the stored run fits: its actions, and what its next one needs', async () => {
    const worker = await startedIn(world);
    must(await stepOf(worker));
    const renamed = await workerIn(world, { workflows: [changes['an action’s name'] ?? workflow] });
    const before = await storedIn(world);
    expect(await adoptRun(renamed.engine, workRun)).toMatchObject({
      failure: { type: 'UnknownAction', action: 'end', known: ['work', 'finish'] },
    });
    expect(await adoptRun(renamed.engine, 'run-none')).toMatchObject({ failure: { type: 'RunNotFound' } });
    expect(await storedIn(world)).toEqual(before);
  });

  test('a run of a workflow that there is no more is refused, and fits the first of today or stays', async () => {
    const worker = await startedIn(world, { workflows: [other] });
    worker.die();
    const later = await workerIn(world, { workflows: [workflow] });
    expect(await stepOf(later)).toMatchObject({
      failure: { type: 'WorkflowChanged', stored: 'other 1', current: 'work 1' },
    });
    must(await adoptRun(later.engine, workRun));
    expect(must(await runToEnd(later.engine, workRun)).status).toBe('completed');
  });

  test('a run that waits is decided first, and then refused or adopted', async () => {
    const asking = actTool({ approval: () => 'Shall it?' });
    const first = await startedIn(world, { workflows: [workflowWith([asking])] });
    must(await stepOf(first));
    first.die();
    const today = { ...workflowWith([asking]), version: 2 };
    const later = await workerIn(world, { workflows: [today] });
    must(await decide(world, later, 'given'));
    expect(await stepOf(later)).toMatchObject({ failure: { type: 'WorkflowChanged' } });
    must(await adoptRun(later.engine, workRun));
    expect(must(await runToEnd(later.engine, workRun)).status).toBe('completed');
    expect(world.calls).toHaveLength(1);
  });

  test('a call that was intended is made as it was intended, or not at all', async () => {
    const first = await startedIn(world, { arms: [{ boundary: 'work.intent.durable', every: false }] });
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const coffee = workflowWith([actTool()], {
      calls: () => ({ ok: true, value: [{ id: null, tool: 'act', arguments: { order: 'coffee' } }] }),
    });
    const later = await workerIn(world, { workflows: [{ ...coffee, version: 2 }] });
    must(await adoptRun(later.engine, workRun));
    expect(await stepOf(later)).toMatchObject({ failure: { type: 'KeyReused', key: workKey } });
    expect(world.calls).toEqual([]);
  });

  test('a living owner of the former workflow is not robbed by it', async () => {
    const worker = await startedIn(world);
    const answer = heldBack();
    world.answers.push(answer.script);
    const stepping = stepOf(worker);
    await answer.left;
    const later = await workerIn(world, { workflows: [changed] });
    must(await adoptRun(later.engine, workRun));
    expect(await stepOf(later)).toMatchObject({ failure: { type: 'ClaimedElsewhere', alive: true } });
    answer.give({ type: 'done', result: {} });
    await stepping;
    expect(world.calls).toHaveLength(1);
    expect((await storedIn(world)).violated).toEqual([]);
  });
});

test('a run from elsewhere without a workflow is taken for the first one’s, by an event, where it fits', async () => {
  const worker = await startedIn(world);
  await tamper(worker, 'DELETE FROM run_details');
  const later = await workerIn(world, { workflows: [workflow, other] });
  must(await runToEnd(later.engine, workRun));
  expect((await storedIn(world)).types.slice(0, 3)).toEqual(['run_started', 'run_adopted', 'run_resumed']);
});
