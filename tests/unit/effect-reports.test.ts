/**
 * What happened to agents of other projects when they called the world outside. Each test is named after what must hold
 * here, with the report's project and number.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { traceCsv } from '../../src/bridge/trace.ts';
import { decideApproval } from '../../src/engine/approvals.ts';
import { saveCheckpoint } from '../../src/engine/checkpoint.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { redacted, secretMarker } from '../../src/engine/redaction.ts';
import { runToEnd, step } from '../../src/engine/runner.ts';
import { retryRun } from '../../src/engine/status.ts';
import { startRun } from '../../src/engine/start.ts';
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
  workerIn,
  workflowWith,
  workKey,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const onceOnly = actTool({ safety: 'at-most-once' });
const once = { workflows: [workflowWith([onceOnly])] };
const goldAsks = actTool({ approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null) });
const batch = {
  workflows: [
    workflowWith([goldAsks], { calls: callsOf(['a', 'tea'], ['b', 'gold'], ['c', 'milk'], ['d', 'cake']) }),
  ],
};
const asking = { workflows: [workflowWith([actTool({ approval: () => 'Shall it?' })])] };
const keys = () => world.calls.map(({ key }) => key.slice('run-T1:work'.length));

async function callOut(worker: Worker) {
  const answer = heldBack();
  world.answers.push(answer.script);
  const stepping = stepOf(worker);
  await answer.left;
  return { answer, stepping };
}

describe('calls', () => {
  test('a long call is not silently made again from the checkpoint (langgraph 7417)', async () => {
    const worker = await startedIn(world, once);
    const { stepping, answer } = await callOut(worker);
    world.clock.turnBy(3_600_000);
    // Another tab, a reload that finds the owner alive, and this worker itself.
    const other = await workerIn(world, once);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'ClaimedElsewhere', alive: true } });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'CallInFlight' } });
    answer.give(done());
    must(await stepping);
    expect(world.calls).toHaveLength(1);
  });

  test('after an interruption no finished call of a batch is made again (EvoScientist 463)', async () => {
    const first = await startedIn(world, batch);
    expect(must(await stepOf(first)).status).toBe('waiting');
    expect(keys()).toEqual(['/a', '/c', '/d']);
    first.die();
    const second = await workerIn(world, batch);
    must(await decide(world, second, 'given'));
    const { answer } = await callOut(second);
    second.die();
    answer.give(done());
    const third = await workerIn(world, batch);
    expect(must(await runToEnd(third.engine, workRun)).status).toBe('completed');
    expect(keys()).toEqual(['/a', '/c', '/d', '/b', '/b']);
  });

  test('a sibling is not made twice when another call interrupts (LibreChat agents 294)', async () => {
    const worker = await startedIn(world, batch);
    must(await stepOf(worker));
    for (const again of [1, 2]) {
      expect(await stepOf(worker), String(again)).toMatchObject({ failure: { type: 'RunNotRunning' } });
    }
    must(await decide(world, worker, 'denied'));
    must(await runToEnd(worker.engine, workRun));
    expect(keys()).toEqual(['/a', '/c', '/d']);
  });

  test('a call in flight is not dispatched again, by whom ever (vercel/workflow 2780, 3553)', async () => {
    const worker = await startedIn(world);
    const { stepping, answer } = await callOut(worker);
    const tabs = [await workerIn(world), await workerIn(world)];
    const tries = await Promise.all([...tabs, worker, worker].map(stepOf));
    expect(tries.map((one) => (one.ok ? 'went on' : one.failure.type))).toEqual([
      'ClaimedElsewhere',
      'ClaimedElsewhere',
      'CallInFlight',
      'CallInFlight',
    ]);
    answer.give(done());
    must(await stepping);
    expect(world.calls).toHaveLength(1);
  });

  test('a call that succeeded and could not be recorded is not made again in silence (vercel/workflow 2675)', async () => {
    const store = new FaultyPageStore(world.store);
    const worker = await startedIn(world, { ...once, store });
    world.answers.push(() => {
      const full = { failure: { type: 'StorageFull', reason: 'test' }, arrives: false } as const;
      store.faults.push(full, full);
      return done({ page: 1 });
    });
    for (const again of [1, 2]) {
      expect(await stepOf(worker), String(again)).toMatchObject({ failure: { type: 'StorageFull' } });
    }
    expect(must(await stepOf(worker)).contextJson).toBe('{"work":{"page":1}}');
    expect(world.calls).toHaveLength(1);
    // And where its worker dies with the answer: a person is asked.
    const second = await newOutside();
    world = second;
    const other = await startedIn(second, once);
    const { stepping, answer } = await callOut(other);
    other.die();
    answer.give(done());
    void stepping;
    const third = await workerIn(second, once);
    expect(must(await stepOf(third)).status).toBe('waiting');
    expect(second.calls).toHaveLength(1);
  });

  test('recovery does not execute a run that runs in this process already (dbos-transact-java 491)', async () => {
    const worker = await startedIn(world);
    const answer = heldBack();
    world.answers.push(answer.script);
    const running = runToEnd(worker.engine, workRun);
    const recovered = runToEnd(worker.engine, workRun);
    await answer.left;
    expect(await recovered).toMatchObject({ failure: { type: 'CallInFlight' } });
    answer.give(done());
    expect(must(await running).status).toBe('completed');
    expect(world.calls).toHaveLength(1);
    const { types, violated } = await storedIn(world);
    expect(types.filter((type) => type === 'checkpoint_saved')).toHaveLength(2);
    expect(violated).toEqual([]);
  });

  test('a key that comes with other arguments does not return the cached result (daintree 8429)', async () => {
    const worker = await startedIn(world, { arms: [{ boundary: 'work.checkpoint.begin', every: false }] });
    await expect(stepOf(worker)).rejects.toThrow('simulated crash');
    worker.die();
    const other = await workerIn(world);
    await tamper(other, `UPDATE agent_runs SET context_json = '{"order":"gold"}'`);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    expect((await storedIn(world)).run.version).toBe(0);
    expect(world.calls).toHaveLength(1);
  });
});

describe('runs', () => {
  test('of two that resume at once only one runs on (mastra 20443, 24590)', async () => {
    (await startedIn(world, once)).die();
    const tabs = [await workerIn(world, once), await workerIn(world, once)];
    const ends = await Promise.all(tabs.map(({ engine }) => runToEnd(engine, workRun)));
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(world.calls).toHaveLength(1);
    const { types, violated } = await storedIn(world);
    expect(types.filter((type) => type === 'checkpoint_saved')).toHaveLength(2);
    expect(violated).toEqual([]);
  });

  test('a run does not stay running for ever after a crash, nor a dead owner’s lease in the way (meho 1501, OpenHands sdk 3842)', async () => {
    for (const hasLocks of [true, false]) {
      world = await newOutside();
      world.hasLocks = hasLocks;
      const worker = await startedIn(world);
      await callOut(worker);
      worker.die();
      if (!hasLocks) world.clock.turnBy(20_000);
      const other = await workerIn(world);
      expect(must(await runToEnd(other.engine, workRun)).status).toBe('completed');
    }
  });

  test('resuming refills no budget (OpenTag 27)', async () => {
    const options = {
      workflows: [workflowWith([actTool({ attempts: 99 })], { budgets: { tool_calls: 3 } })],
    };
    let worker = await startedIn(world, options);
    for (let life = 1; life <= 3; life += 1) {
      world.answers.push(failed());
      must(await stepOf(worker));
      worker.die();
      world.clock.turnBy(60_000);
      worker = await workerIn(world, options);
    }
    expect(must(await stepOf(worker)).status).toBe('failed');
    must(await retryRun(worker.engine, workRun, 1, 0));
    expect(must(await stepOf(worker)).status).toBe('failed');
    expect(world.calls).toHaveLength(3);
  });

  test('an accepted run is there, though the crash comes before its first checkpoint (langgraph 8764)', async () => {
    for (const boundary of ['start.durable', 'work.intent.begin', 'work.call.sent', 'work.confirm.begin']) {
      world = await newOutside();
      const worker = await workerIn(world, { arms: [{ boundary, every: false }] });
      await expect(
        startRun(worker.engine, 'T1', {}).then(() => stepOf(worker)),
        boundary,
      ).rejects.toThrow('simulated crash');
      worker.die();
      const other = await workerIn(world);
      expect(must(await runToEnd(other.engine, workRun)).status).toBe('completed');
    }
  });

  test('storage does not grow with the square of the steps (deer-flow 3015)', async () => {
    const worker = await startedIn(world);
    let { run } = await storedIn(world);
    const kept: number[] = [];
    const messages: string[] = [];
    for (let turn = 1; turn <= 400; turn += 1) {
      messages.push(`message ${String(turn)}, of a conversation that goes on`);
      const checkpoint = { status: 'running', nextAction: 'work', context: { messages } } as const;
      run = must(await saveCheckpoint(worker.engine, run, 'work', checkpoint));
      if (turn % 100 === 0) kept.push(worker.database.state.bytes);
    }
    const [first = 0, second = 0, third = 0, fourth = 0] = kept;
    expect(fourth - third).toBeLessThanOrEqual((second - first) * 1.3);
    expect(fourth).toBeLessThan(400 * 1024);
  });

  test('what is redacted in the trace is redacted in the checkpoint, and in its history (open-multi-agent 339)', async () => {
    const secret = `${secretMarker}hush`;
    world.answers.push(failed(secret), done({ secret }));
    const worker = await startedIn(world, {}, { secret });
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    const run = must(await runToEnd(worker.engine, workRun));
    const stored = await worker.database.read((reader) => ({
      trace: traceCsv(reader, null),
      checkpoint: reader.get('SELECT context_json FROM agent_runs')?.['context_json'],
      history: reader.all('SELECT changes_json FROM agent_checkpoints'),
    }));
    expect(JSON.stringify([stored, run])).not.toContain(secret);
    expect(stored.trace).toContain(redacted);
    expect(stored.checkpoint).toBe(`{"secret":"${redacted}","work":{"secret":"${redacted}"}}`);
    expect(Buffer.from(await worker.database.image()).includes('hush')).toBe(false);
  });
});

describe('approvals', () => {
  test('a yes to A does not execute B (extra 139)', async () => {
    const worker = await startedIn(world, asking, { order: 'tea' });
    must(await stepOf(worker));
    must(await decide(world, worker, 'given'));
    await tamper(worker, `UPDATE agent_runs SET context_json = '{"order":"gold"}'`);
    await tamper(worker, `UPDATE tool_intents SET arguments_json = '{"order":"gold"}'`);
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'KeyReused' } });
    expect(world.calls).toEqual([]);
  });

  test('parallel requests have ids of their own (langgraph 6626)', async () => {
    const tool = actTool({ approval: () => 'Shall it?' });
    const two = { workflows: [workflowWith([tool], { calls: callsOf(['a', 'tea'], ['b', 'tea']) })] };
    const worker = await startedIn(world, two);
    must(await stepOf(worker));
    const [a, b] = (await storedIn(world)).approvals;
    expect(a?.approvalId).not.toBe(b?.approvalId);
    must(await decideApproval(worker.engine, b?.approvalId ?? '', b?.argumentsHash ?? '', 'given'));
    must(await decideApproval(worker.engine, a?.approvalId ?? '', a?.argumentsHash ?? '', 'denied'));
    must(await runToEnd(worker.engine, workRun));
    expect(keys()).toEqual(['/b']);
  });

  test('an old yes does not count after time travel (langgraph 7038)', async () => {
    const worker = await startedIn(world, asking);
    must(await stepOf(worker));
    must(await decide(world, worker, 'given'));
    must(await runToEnd(worker.engine, workRun));
    for (const version of [0, 1, 2]) {
      const fork = must(await forkRun(worker.engine, workRun, version, null));
      expect(must(await step(worker.engine, fork.runId)).status).toBe('waiting');
    }
    expect(world.calls.map(({ key }) => key)).toEqual([workKey]);
  });
});
