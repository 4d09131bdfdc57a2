/** Holds effects.md, approvals: a person's yes or no, bound to exact arguments, kept across sessions, used once. */
import { beforeEach, describe, expect, test } from 'vitest';
import { decideApproval } from '../../src/engine/approvals.ts';
import { resolveDoubt } from '../../src/engine/doubt.ts';
import { fail } from '../../src/engine/failure.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { runToEnd, step } from '../../src/engine/runner.ts';
import { FaultyPageStore } from '../support/faulty-page-store.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  decide,
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

const asking = actTool({
  safety: 'at-most-once',
  approval: ({ order }) => `Shall ${String(order)} be made?`,
});
const one = { workflows: [workflowWith([asking])] };
const two = { workflows: [workflowWith([asking], { calls: callsOf(['a', 'tea'], ['b', 'tea']) })] };

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const stored = () => storedIn(world);

/** A worker whose run waits for a yes. */
async function waiting(options = one): Promise<Worker> {
  const worker = await startedIn(world, options);
  expect(must(await stepOf(worker)).status).toBe('waiting');
  return worker;
}

describe('a call that needs a yes', () => {
  test('is asked for with its reason and the hash of its arguments, and nothing leaves', async () => {
    await waiting();
    const { approvals, intents, types, run } = await stored();
    expect(types).toEqual([
      'run_started',
      'tool_intended',
      'approval_requested',
      'checkpoint_saved',
      'run_waiting',
    ]);
    expect(approvals).toMatchObject([
      { key: workKey, runId: workRun, reason: 'Shall tea be made?', state: 'requested', decidedAtUtc: null },
    ]);
    expect(approvals[0]?.argumentsHash).toBe(intents[0]?.argumentsHash);
    expect(intents).toMatchObject([{ state: 'waiting', argumentsJson: '{"order":"tea"}' }]);
    expect(run).toMatchObject({ status: 'waiting', nextAction: 'work', version: 1 });
    expect(world.calls).toEqual([]);
  });

  test('waits across sessions, for days, and is decided in whatever session', async () => {
    (await waiting()).die();
    world.clock.turnBy(5 * 86_400_000);
    const other = await workerIn(world, one);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'RunNotRunning', status: 'waiting' } });
    expect(must(await decide(world, other, 'given'))).toMatchObject({ status: 'running', version: 2 });
    other.die();
    const third = await workerIn(world, one);
    expect(must(await runToEnd(third.engine, workRun)).status).toBe('completed');
    const { approvals, violated, events } = await stored();
    expect(approvals).toMatchObject([
      { state: 'used', decidedAtUtc: '2026-01-10T09:00:00.000Z', session: 'session-2' },
    ]);
    expect(events.find(({ eventType }) => eventType === 'approval_given')?.session).toBe('session-2');
    expect(violated).toEqual([]);
    expect(world.calls).toHaveLength(1);
  });

  test('is not made when it is denied: the saved row says so, and the run goes on', async () => {
    const worker = await waiting();
    expect(must(await decide(world, worker, 'denied')).status).toBe('running');
    const run = must(await runToEnd(worker.engine, workRun));
    expect(run).toMatchObject({ status: 'completed', contextJson: '{"work":{"denied":true}}' });
    const { effects, types, intents, violated } = await stored();
    expect(effects).toMatchObject([{ idempotency_key: workKey, result_json: '{"denied":true}' }]);
    expect(types).toContain('approval_denied');
    expect(types).not.toContain('tool_executed');
    expect(intents).toMatchObject([{ state: 'denied' }]);
    expect(violated).toEqual([]);
    expect(world.calls).toEqual([]);
  });

  test('is not asked about where the tool needs no yes for these arguments', async () => {
    const choosy = actTool({ approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null) });
    const worker = await startedIn(world, { workflows: [workflowWith([choosy])] });
    expect(must(await stepOf(worker)).version).toBe(1);
    expect((await stored()).approvals).toEqual([]);
  });
});

describe('a decision', () => {
  test('counts once: the second, the same or another, is told that it is settled', async () => {
    const worker = await waiting();
    const [{ approvalId = '', argumentsHash = '' } = {}] = (await stored()).approvals;
    const decideAs = (decision: 'given' | 'denied') =>
      decideApproval(worker.engine, approvalId, argumentsHash, decision);
    must(await decideAs('given'));
    const settled = (state: string) => fail({ type: 'ApprovalSettled', approvalId, state });
    expect(await decideAs('denied')).toEqual(settled('given'));
    must(await stepOf(worker));
    expect(await decideAs('given')).toEqual(settled('used'));
    expect(await decideApproval(worker.engine, 'run-T9:work?', argumentsHash, 'given')).toMatchObject({
      failure: { type: 'ApprovalSettled', state: 'gone' },
    });
    expect((await stored()).types.filter((type) => type.startsWith('approval_'))).toHaveLength(2);
    expect(world.calls).toHaveLength(1);
  });

  test('of two tabs at once: one counts', async () => {
    const worker = await waiting();
    const other = await workerIn(world, one);
    const [{ approvalId = '', argumentsHash = '' } = {}] = (await stored()).approvals;
    const decisions = await Promise.all([
      decideApproval(worker.engine, approvalId, argumentsHash, 'given'),
      decideApproval(other.engine, approvalId, argumentsHash, 'denied'),
    ]);
    expect(decisions.filter(({ ok }) => ok)).toHaveLength(1);
    const { types } = await stored();
    expect(types.filter((type) => type === 'approval_given' || type === 'approval_denied')).toHaveLength(1);
  });

  test('on arguments that the person did not see is refused', async () => {
    const worker = await waiting();
    const [{ approvalId = '' } = {}] = (await stored()).approvals;
    expect(await decideApproval(worker.engine, approvalId, 'of other arguments', 'given')).toEqual(
      fail({ type: 'ApprovalSettled', approvalId, state: 'requested' }),
    );
    expect((await stored()).run.status).toBe('waiting');
  });

  test('stays for the attempts of its own call, and is not asked for again', async () => {
    const retried = actTool({ approval: () => 'Shall it?' });
    const options = { workflows: [workflowWith([retried])] };
    world.answers.push(failed(), done());
    const worker = await waiting(options);
    must(await decide(world, worker, 'given'));
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(worker)).version).toBe(3);
    expect((await stored()).approvals).toHaveLength(1);
    expect(world.calls).toHaveLength(2);
  });

  test('that comes between the look at it and the waiting does not leave the run waiting for ever', async () => {
    const store = new FaultyPageStore(world.store);
    const worker = await startedIn(world, { ...one, store });
    const other = await workerIn(world, one);
    store.faults.push(
      { before: () => Promise.resolve() },
      { before: async () => void must(await decide(world, other, 'given')) },
    );
    expect(must(await stepOf(worker)).status).toBe('running');
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
    expect(world.calls).toHaveLength(1);
    expect((await stored()).violated).toEqual([]);
  });
});

describe('a yes to A never makes B', () => {
  /** The run's worker dies between the yes and the call; another one takes it up. */
  async function approved(): Promise<Worker> {
    const worker = await waiting();
    must(await decide(world, worker, 'given'));
    worker.die();
    return workerIn(world, one);
  }
  const argumentsOfB = `'{"order":"gold"}'`;

  test('when the stored arguments were changed', async () => {
    const worker = await approved();
    await tamper(worker, `UPDATE tool_intents SET arguments_json = ${argumentsOfB}`);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    expect(world.calls).toEqual([]);
  });

  test('when the stored arguments and the context were changed alike', async () => {
    const worker = await approved();
    await tamper(worker, `UPDATE tool_intents SET arguments_json = ${argumentsOfB}`);
    await tamper(worker, `UPDATE agent_runs SET context_json = ${argumentsOfB}`);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    expect(world.calls).toEqual([]);
  });

  test('when arguments, their hash and the context were changed alike', async () => {
    const b = await newOutside();
    await startedIn(b, one, { order: 'gold' }).then(stepOf);
    const hashOfB = (await storedIn(b)).intents[0]?.argumentsHash ?? '';
    const worker = await approved();
    await tamper(worker, `UPDATE tool_intents SET arguments_json = ${argumentsOfB}, arguments_hash = ?`, [
      hashOfB,
    ]);
    await tamper(worker, `UPDATE agent_runs SET context_json = ${argumentsOfB}`);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'ApprovalSettled' } });
    expect(world.calls).toEqual([]);
  });

  test('when the context changes between the request and the decision', async () => {
    const worker = await waiting();
    await tamper(worker, `UPDATE agent_runs SET context_json = ${argumentsOfB}`);
    must(await decide(world, worker, 'given'));
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    expect(world.calls).toEqual([]);
  });

  test('when the call was changed before the decision, which then does not count', async () => {
    const worker = await waiting();
    await tamper(worker, `UPDATE tool_intents SET arguments_hash = 'of gold'`);
    expect(await decide(world, worker, 'given')).toMatchObject({ failure: { type: 'ApprovalSettled' } });
    expect((await stored()).run.status).toBe('waiting');
  });

  test('when the request is gone: it is asked for anew', async () => {
    const worker = await waiting();
    await tamper(worker, `UPDATE tool_intents SET state = 'pending'`);
    await tamper(worker, `UPDATE agent_runs SET status = 'running'`);
    await tamper(worker, 'DELETE FROM approvals');
    expect(must(await stepOf(worker)).status).toBe('waiting');
    expect(await stored()).toMatchObject({
      approvals: [{ state: 'requested' }],
      intents: [{ state: 'waiting' }],
    });
    expect(world.calls).toEqual([]);
    must(await decide(world, worker, 'given'));
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
  });

  test('when the intent says that nobody need be asked, though the request is not answered', async () => {
    const worker = await waiting();
    await tamper(worker, `UPDATE tool_intents SET state = 'pending'`);
    await tamper(worker, `UPDATE agent_runs SET status = 'running'`);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'ApprovalSettled', state: 'requested' } });
    expect(world.calls).toEqual([]);
  });

  test('and a yes does not set going again what is settled', async () => {
    const worker = await approved();
    must(await runToEnd(worker.engine, workRun));
    await tamper(worker, `UPDATE approvals SET state = 'requested'`);
    expect(await decide(world, worker, 'given')).toMatchObject({
      failure: { type: 'ApprovalSettled', state: 'confirmed' },
    });
    expect((await stored()).intents).toMatchObject([{ state: 'confirmed' }]);
  });
});

describe('a fork', () => {
  test('asks again, and its parent’s yes stays its parent’s', async () => {
    const worker = await waiting();
    must(await decide(world, worker, 'given'));
    const fork = must(await forkRun(worker.engine, workRun, 0, null));
    expect(must(await step(worker.engine, fork.runId)).status).toBe('waiting');
    expect((await storedIn(world, fork.runId)).approvals).toMatchObject([{ state: 'requested' }]);
    expect(world.calls).toEqual([]);
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
    expect((await storedIn(world, fork.runId)).run.status).toBe('waiting');
    expect(world.calls.map(({ key }) => key)).toEqual([workKey]);
  });

  test('of a run whose call was made asks again, too', async () => {
    const worker = await waiting();
    must(await decide(world, worker, 'given'));
    must(await runToEnd(worker.engine, workRun));
    const fork = must(await forkRun(worker.engine, workRun, 0, null));
    expect(must(await runToEnd(worker.engine, fork.runId)).status).toBe('waiting');
    expect(world.calls).toHaveLength(1);
  });
});

describe('parallel requests', () => {
  const answer = async (worker: Worker, id: string, decision: 'given' | 'denied') => {
    const { approvals } = await stored();
    const asked = approvals.find(({ key }) => key.endsWith(`/${id}`));
    return decideApproval(worker.engine, asked?.approvalId ?? '', asked?.argumentsHash ?? '', decision);
  };

  test('that are identical have ids of their own and are answered apart', async () => {
    const worker = await waiting(two);
    const { approvals } = await stored();
    expect(new Set(approvals.map(({ approvalId }) => approvalId)).size).toBe(2);
    expect(new Set(approvals.map(({ argumentsHash }) => argumentsHash)).size).toBe(1);
    expect(must(await answer(worker, 'b', 'denied'))).toMatchObject({ status: 'waiting', version: 1 });
    expect(must(await answer(worker, 'a', 'given'))).toMatchObject({ status: 'running', version: 2 });
    const run = must(await runToEnd(worker.engine, workRun));
    expect(run.contextJson).toBe('{"work":{"a":{"ok":true},"b":{"denied":true}}}');
    expect(world.calls.map(({ key }) => key)).toEqual(['run-T1:work/a']);
    expect((await stored()).violated).toEqual([]);
  });

  test('one call waits while its sibling is made once, and not again after the decision', async () => {
    const gold = actTool({ approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null) });
    const options = {
      workflows: [workflowWith([gold], { calls: callsOf(['a', 'gold'], ['b', 'tea']) })],
    };
    const worker = await waiting(options);
    expect(world.calls.map(({ key }) => key)).toEqual(['run-T1:work/b']);
    must(await decide(world, worker, 'given'));
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
    expect(world.calls.map(({ key }) => key)).toEqual(['run-T1:work/b', 'run-T1:work/a']);
    expect((await stored()).violated).toEqual([]);
  });

  test('a yes that is given while a sibling is out does not leave the run waiting for ever', async () => {
    const gold = actTool({ approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null) });
    const workflows = [workflowWith([gold], { calls: callsOf(['a', 'gold'], ['b', 'tea']) })];
    const worker = await startedIn(world, { workflows });
    const sibling = heldBack();
    world.answers.push(sibling.script);
    const stepping = stepOf(worker);
    await sibling.left;
    expect(must(await decide(world, worker, 'given')).status).toBe('running');
    sibling.give(done());
    expect(must(await stepping).status).toBe('running');
    expect(must(await runToEnd(worker.engine, workRun)).status).toBe('completed');
    expect(world.calls).toHaveLength(2);
  });

  test('an open request keeps the run waiting when the doubt beside it is resolved', async () => {
    const gold = actTool({
      safety: 'at-most-once',
      approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null),
    });
    const options = {
      workflows: [workflowWith([gold], { calls: callsOf(['a', 'gold'], ['b', 'tea']) })],
    };
    world.answers.push(unknown());
    const worker = await waiting(options);
    expect(must(await resolveDoubt(worker.engine, 'run-T1:work/b', { type: 'skip' })).status).toBe('waiting');
    expect(must(await decide(world, worker, 'denied')).status).toBe('running');
    const run = must(await runToEnd(worker.engine, workRun));
    expect(run.contextJson).toBe('{"work":{"a":{"denied":true},"b":{"skipped":true}}}');
  });
});
