/** Holds effects.md, retention: a finished run goes with all its rows, gives its room back, and its name never comes again. */
import { beforeEach, describe, expect, test } from 'vitest';
import { succeed } from '../../src/engine/failure.ts';
import { deleteRuns, finishedRuns } from '../../src/engine/retention.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { dispatchRun, linesOf, liveDispatch, newWorld, engineIn } from '../support/dispatch-lives.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { must, open, ticketContext } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  decide,
  failed,
  newOutside,
  startedIn,
  stepOf,
  tamper,
  unknown,
  workerIn,
  workflowWith,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const notOfRuns = [
  ...['schema_migrations', 'lab', 'agent_sessions', 'run_numbers'],
  ...['threads', 'thread_tombstones', 'quarantined_threads'],
];

/** Rows of every table, but for those that are not of a run. */
async function rowsLeft({ database }: Worker): Promise<Record<string, number>> {
  return database.read((reader) => {
    const tables = reader
      .all(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .map(({ name }) => String(name))
      .filter((name) => !notOfRuns.includes(name));
    return Object.fromEntries(
      tables.map((name) => [name, Number(reader.get(`SELECT COUNT(*) AS n FROM ${name}`)?.['n'])] as const),
    );
  });
}

/** Completed, with rows in every table. */
async function completed(): Promise<Worker> {
  const tool = actTool({ approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null) });
  const options = {
    workflows: [
      workflowWith([tool], { calls: callsOf(['a', 'gold'], ['b', 'tea']), budgets: { steps: 9, tokens: 9 } }),
    ],
  };
  world.answers.push(unknown());
  const worker = await startedIn(world, options);
  must(await stepOf(worker));
  world.clock.turnBy(60_000);
  must(await stepOf(worker));
  must(await decide(world, worker, 'given'));
  must(await runToEnd(worker.engine, workRun));
  await tamper(worker, `INSERT INTO touched_runs VALUES ('${workRun}', 'today')`);
  return worker;
}

test('a finished run goes with its rows in every table, in one commit', async () => {
  const worker = await completed();
  const before = await rowsLeft(worker);
  expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
  const { generation } = worker.database.state;
  expect(must(await deleteRuns(worker.engine, [workRun]))).toBe(1);
  expect(worker.database.state.generation).toBe(generation + 1);
  expect(new Set(Object.values(await rowsLeft(worker)))).toEqual(new Set([0]));
});

test('what is deleted is not missed by the runs that stay', async () => {
  const worker = await completed();
  // Ids that begin alike, and one that sorts between.
  for (const ticketId of ['T1', 'T10', 'T1']) must(await startRun(worker.engine, ticketId, {}));
  await tamper(worker, `INSERT INTO tool_effects VALUES ('run-T1-2:x', 'x', '{}'), ('run-T10:x', 'x', '{}')`);
  must(await deleteRuns(worker.engine, [workRun]));
  const rows = await rowsLeft(worker);
  expect(rows).toMatchObject({ agent_runs: 3, agent_events: 3, run_details: 3, tool_effects: 2 });
});

test('an unfinished run is not deleted, and none beside it', async () => {
  const worker = await completed();
  must(await startRun(worker.engine, 'T2', {}));
  const before = await rowsLeft(worker);
  expect(await deleteRuns(worker.engine, [workRun, 'run-T2'])).toMatchObject({
    failure: { type: 'RunUnfinished', runId: 'run-T2', status: 'running' },
  });
  expect(await rowsLeft(worker)).toEqual(before);
});

test('a run that is gone already is fine', async () => {
  const worker = await completed();
  const other = await workerIn(world);
  must(await deleteRuns(other.engine, [workRun]));
  expect(must(await deleteRuns(worker.engine, [workRun, 'run-none']))).toBe(0);
});

test('a call that is out for a run that is deleted meanwhile records nothing', async () => {
  const tool = actTool({ attempts: 1 });
  const workflows = [workflowWith([tool], { calls: callsOf(['a', 'tea'], ['b', 'tea']) })];
  const worker = await startedIn(world, { workflows });
  const other = await workerIn(world, { workflows });
  world.answers.push(failed('no', false), async () => {
    must(await other.database.refresh());
    await tamper(other, `UPDATE agent_runs SET status = 'failed'`);
    must(await deleteRuns(other.engine, [workRun]));
    return { type: 'done', result: {} };
  });
  expect(await stepOf(worker)).toMatchObject({ failure: { type: 'StateConflict', stored: null } });
  expect(new Set(Object.values(await rowsLeft(worker)))).toEqual(new Set([0]));
});

test('finished runs are listed by their end, whatever another program wrote there', async () => {
  const worker = await completed();
  for (const ticketId of ['T2', 'T3', 'T4']) {
    world.clock.turnBy(86_400_000);
    must(await startRun(worker.engine, ticketId, {}));
  }
  await tamper(worker, `UPDATE agent_runs SET status = 'failed' WHERE run_id IN ('run-T2', 'run-T3')`);
  await tamper(worker, `UPDATE agent_events SET created_at_utc = 'long ago' WHERE run_id = 'run-T3'`);
  const listed = await worker.database.read((reader) => finishedRuns(reader));
  expect(listed.map(({ runId, status }) => [runId, status])).toEqual([
    [workRun, 'completed'],
    ['run-T2', 'failed'],
    ['run-T3', 'failed'],
  ]);
});

test('deleting a thousand runs gives the room back, and leaves a row a ticket', async () => {
  const worker = await workerIn(world);
  const empty = worker.database.state.bytes;
  must(
    await worker.database.commit('fill', (transaction) => {
      const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)';
      transaction.run(
        `INSERT INTO agent_runs ${numbers} SELECT 'run-T1-' || i, 'T1', 'completed', NULL, hex(randomblob(500)), 0 FROM n`,
      );
      return succeed(null);
    }),
  );
  expect(worker.database.state.bytes).toBeGreaterThan(empty + 1_000_000);
  must(
    await deleteRuns(
      worker.engine,
      Array.from({ length: 1000 }, (_, at) => `run-T1-${String(at + 1)}`),
    ),
  );
  must(await worker.database.vacuum());
  expect(worker.database.state.bytes).toBe(empty);
  expect(await worker.database.read((reader) => reader.all('SELECT * FROM run_numbers'))).toEqual([
    { ticket_id: 'T1', number: 1000 },
  ]);
});

describe('the name of a deleted run does not come again', () => {
  test('neither by starting nor by forking', async () => {
    const worker = await completed();
    must(await startRun(worker.engine, 'T1', {}));
    must(await deleteRuns(worker.engine, [workRun]));
    expect(must(await startRun(worker.engine, 'T1', {})).runId).toBe('run-T1-3');
    expect(must(await forkRun(worker.engine, 'run-T1-2', 0, null)).runId).toBe('run-T1-4');
    must(await runToEnd(worker.engine, 'run-T1-4'));
    await tamper(worker, `UPDATE agent_runs SET status = 'failed' WHERE run_id = 'run-T1-4'`);
    must(await deleteRuns(worker.engine, ['run-T1-4']));
    expect(must(await startRun(worker.engine, 'T1', {})).runId).toBe('run-T1-5');
    expect(must(await startRun(worker.engine, 'T2', {})).runId).toBe('run-T2');
  });

  test('so that its work is done, and not taken for the deleted run’s, by a desk that honours keys', async () => {
    const desk = newWorld((await newOutside()).store, {});
    await liveDispatch(world.parts, desk);
    const plan = new CrashPlan();
    const database = await open(world.parts, desk.store, plan, desk.clock);
    const engine = engineIn(desk, plan, database);
    must(await deleteRuns(engine, [dispatchRun]));
    const again = must(await startRun(engine, 'T104', ticketContext, dispatch));
    must(await runToEnd(engine, again.runId));
    await database.close();
    const works = (await linesOf(desk))
      .filter(({ tool }) => tool === 'open_work_order')
      .map(({ work, answerJson }) => [work, answerJson]);
    expect(works).toEqual([
      ['done', '{"work_order":"WO-1001"}'],
      ['done', '{"work_order":"WO-1002"}'],
    ]);
  });
});
