/** Holds effects.md, budgets: what a run may use is stored with it, and nothing but a person gives more. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ToolAnswer } from '../../src/engine/ports.ts';
import { retryRun } from '../../src/engine/status.ts';
import { must } from '../support/lives.ts';
import type { Outside, WorkerOptions } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  failed,
  heldBack,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  workerIn,
  workflowWith,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const stored = () => storedIn(world);

describe('budgets', () => {
  const spending = (budgets: Record<string, number>, over = {}): WorkerOptions => ({
    workflows: [workflowWith([actTool({ attempts: 9, ...over })], { budgets })],
  });

  test('a crash in a call, resuming and retries refill nothing', async () => {
    const options = spending({ tool_calls: 3 });
    const first = await startedIn(world, options);
    const answer = heldBack();
    world.answers.push(answer.script);
    void stepOf(first);
    await answer.left;
    first.die();
    const second = await workerIn(world, options);
    world.answers.push(failed());
    must(await stepOf(second));
    second.die();
    world.clock.turnBy(60_000);
    const third = await workerIn(world, options);
    world.answers.push(failed());
    must(await stepOf(third));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(third)).status).toBe('failed');
    const { events, budgets } = await stored();
    expect(budgets).toEqual({ tool_calls: [3, 3] });
    expect(events.at(-1)?.detail).toBe('the budget of tool calls is used up: 3 of 3');
    expect(world.calls).toHaveLength(3);
    // Trying again raises nothing by itself.
    must(await retryRun(third.engine, workRun, 1, 0));
    expect(must(await stepOf(third)).status).toBe('failed');
    expect(world.calls).toHaveLength(3);
    must(await retryRun(third.engine, workRun, 3, 2));
    must(await stepOf(third));
    expect((await stored()).budgets).toEqual({ tool_calls: [4, 5] });
  });

  test('steps are counted with the checkpoint, and the run fails before the one too many', async () => {
    const options = spending({ steps: 1 });
    const worker = await startedIn(world, options);
    must(await stepOf(worker));
    worker.die();
    const other = await workerIn(world, options);
    expect(must(await stepOf(other))).toMatchObject({ status: 'failed', nextAction: 'end' });
    expect(await stored()).toMatchObject({ budgets: { steps: [1, 1] } });
    must(await retryRun(other.engine, workRun, 2, 1));
    expect(must(await stepOf(other)).status).toBe('completed');
    expect(await stored()).toMatchObject({ budgets: { steps: [2, 2] }, violated: [] });
  });

  test('tokens count as they are told, and none are left when they are used up', async () => {
    const calls = callsOf(['one', 'tea'], ['two', 'tea']);
    const worker = await startedIn(world, {
      workflows: [workflowWith([actTool()], { budgets: { tokens: 100 }, calls })],
    });
    world.answers.push({ type: 'done', result: {}, tokens: 150 });
    expect(must(await stepOf(worker)).status).toBe('failed');
    expect((await stored()).budgets).toEqual({ tokens: [150, 100] });
    expect(world.calls).toHaveLength(1);
  });

  test.each([-50, NaN, Infinity])('%s tokens refill nothing and harm nothing', async (tokens) => {
    const worker = await startedIn(world, spending({ tokens: 100 }));
    world.answers.push({ type: 'done', result: {}, tokens } satisfies ToolAnswer);
    must(await stepOf(worker));
    const [used] = (await stored()).budgets['tokens'] ?? [];
    expect(Number(used)).toBeGreaterThanOrEqual(0);
  });
});
