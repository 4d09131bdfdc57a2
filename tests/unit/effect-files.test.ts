/** Databases from elsewhere, as far as the world outside is concerned: older ones, our own downloads, hostile ones. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readTables } from '../../src/bridge/lab-view.ts';
import { approvalsOf, decideApproval } from '../../src/engine/approvals.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { resolveDoubt, takeOver, tryNow } from '../../src/engine/doubt.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { checkpointsOf } from '../../src/engine/history.ts';
import { deleteRuns } from '../../src/engine/retention.ts';
import { runToEnd, step } from '../../src/engine/runner.ts';
import { adoptRun } from '../../src/engine/start.ts';
import { retryRun } from '../../src/engine/status.ts';
import { inspectFile } from '../../src/storage/files/inspect-file.ts';
import { ImagePages } from '../../src/storage/image-pages.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { layTables } from '../../src/storage/schema.ts';
import { sealBase } from '../../src/storage/stored-records.ts';
import { assemble } from '../../src/storage/stored-image.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { triage } from '../../src/triage/workflow.ts';
import { storedInFormat1 } from '../support/format-1.ts';
import { seededRandom } from '../support/random.ts';
import { engineOver, must, open, runId, survivors, ticketContext } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  decide,
  failed,
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

/** A store that holds this image. */
async function storeOf(image: Uint8Array): Promise<MemoryPageStore> {
  const store = new MemoryPageStore();
  const head = { incarnation: 'i', generation: 0, id: 'start' };
  must(await store.create(sealBase(world.parts.checksum, head, ImagePages.of(image))));
  return store;
}

/** Opened by the lab as *Open database…* does it. */
async function openedAgain(image: Uint8Array): Promise<Outside> {
  const inspected = must(inspectFile(world.parts.sqlite, cryptoRandom, image));
  return { ...(await newOutside()), store: await storeOf(inspected.image) };
}

describe('a database of before there were calls of the world outside', () => {
  test('opens, has a history from its current version on, and its run goes on', async () => {
    const image = assemble(world.parts.checksum, storedInFormat1());
    if (image.type !== 'image') throw new Error(JSON.stringify(image));
    const pages = Array.from({ length: image.pages.pageCount }, (_, at) => image.pages.page(at + 1));
    const left = survivors('fixed', world.clock, await storeOf(Buffer.concat(pages)));
    const plan = new CrashPlan();
    const database = await open(world.parts, left.store, plan, world.clock);
    expect(plan.reached).toContain('open.migrate.durable');
    const history = () => database.read((reader) => checkpointsOf(reader, runId));
    const before = await history();
    expect(before).toMatchObject([
      { version: 1, status: 'running', nextAction: 'lookup_runbook', savedAtUtc: null },
    ]);
    const engine = engineOver(database, left, plan);
    // What that page kept of a ticket is of no matter here.
    await tamper({ database }, 'UPDATE agent_runs SET context_json = ?', [
      JSON.stringify({ ...ticketContext, priority: 'urgent' }),
    ]);
    expect(must(await runToEnd(engine, runId)).status).toBe('completed');
    expect((await history()).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    expect((await history())[0]).toEqual(before[0]);
    const fork = await forkRun(engine, runId, 1, ticketContext);
    expect(must(fork).nextAction).toBe('lookup_runbook');
  });

  test('gets each run’s current version into the history, whatever stands in it', async () => {
    const scratch = world.parts.sqlite.openScratch(null);
    layTables(scratch, seededRandom(1), 1);
    scratch.exec(`INSERT INTO agent_runs VALUES ('a', 'T', 'completed', NULL, '{"x":1}', 4),
      ('b', 'T', 'odd', 'work', 'no JSON', 0)`);
    const old = { ...world, store: await storeOf(scratch.export()) };
    scratch.close();
    const { database } = await workerIn(old);
    const found = await database.read((reader) => [checkpointsOf(reader, 'a'), checkpointsOf(reader, 'b')]);
    expect(found).toEqual([
      [{ version: 4, status: 'completed', nextAction: null, context: { x: 1 }, savedAtUtc: null }],
      [{ version: 0, status: 'odd', nextAction: 'work', context: null, savedAtUtc: null }],
    ]);
  });
});

describe('a file of another program', () => {
  test('that saved the result of a call: the call is not made again', async () => {
    const worker = await startedIn(world);
    const scratch = world.parts.sqlite.openScratch(await worker.database.image());
    scratch.exec(`DELETE FROM agent_checkpoints; DELETE FROM run_details;
      INSERT INTO tool_effects VALUES ('${workKey}', 'act', '{"from":"elsewhere"}')`);
    const elsewhere = { ...world, store: await storeOf(scratch.export()) };
    scratch.close();
    const later = await workerIn(elsewhere, {
      workflows: [workflowWith([actTool({ safety: 'at-most-once', approval: () => 'Shall it?' })])],
    });
    expect(must(await runToEnd(later.engine, workRun)).contextJson).toBe('{"work":{"from":"elsewhere"}}');
    expect(world.calls).toEqual([]);
    expect((await storedIn(elsewhere)).types).toContain('tool_reused');
  });

  test('whose saved result is another tool’s is not used, and nothing is called', async () => {
    const worker = await startedIn(world);
    const scratch = world.parts.sqlite.openScratch(await worker.database.image());
    scratch.exec(`INSERT INTO tool_effects VALUES ('${workKey}', 'other', '{}')`);
    const later = await workerIn({ ...world, store: await storeOf(scratch.export()) });
    scratch.close();
    expect(await stepOf(later)).toMatchObject({ failure: { type: 'KeyReused', differs: 'tool' } });
    expect(world.calls).toEqual([]);
  });
});

/** A run with rows in every table: a call that waits, one in doubt, one that is tried again, one that is done. */
const tool = actTool({
  safety: 'at-most-once',
  approval: ({ order }) => (order === 'gold' ? 'Gold is dear.' : null),
});
const rich = {
  workflows: [
    workflowWith([tool], {
      calls: callsOf(['gold', 'gold'], ['doubt', 'tea'], ['again', 'coffee'], ['done', 'milk']),
      budgets: { steps: 9, tool_calls: 9, tokens: 9 },
    }),
    triage,
    dispatch,
  ],
};

async function richImage(): Promise<Uint8Array> {
  world.answers.push(unknown(), failed('down', true, 60_000));
  const worker = await startedIn(world, rich, { ticket: { n: 1 } });
  must(await stepOf(worker));
  must(await forkRun(worker.engine, workRun, 0, null));
  const image = await worker.database.image();
  await worker.database.close();
  return image;
}

/** All rows of all tables of ours, but for the lab's own. */
function rowsIn(image: Uint8Array): Readonly<Record<string, unknown>> {
  const database = world.parts.sqlite.openScratch(image);
  const names = database
    .exec(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'lab' ORDER BY name`)[0]
    ?.values.map(([name]) => String(name));
  const rows = Object.fromEntries(
    (names ?? []).map((name) => [
      name,
      database.exec(`SELECT * FROM ${name} ORDER BY rowid`)[0]?.values ?? [],
    ]),
  );
  database.close();
  return rows;
}

describe('our own download', () => {
  test('opened again has lost nothing, and goes on where it stood', async () => {
    const image = await richImage();
    const again = await openedAgain(image);
    const later = await workerIn(again, rich);
    const before = rowsIn(image);
    expect(rowsIn(await later.database.image())).toEqual(before);
    for (const table of ['agent_checkpoints', 'tool_intents', 'tool_attempts', 'approvals', 'run_budgets']) {
      expect(before[table], table).not.toEqual([]);
    }
    again.clock.turnBy(60_000);
    must(await stepOf(later));
    must(await decide(again, later, 'given'));
    must(await resolveDoubt(later.engine, 'run-T1:work/doubt', { type: 'skip' }));
    expect(must(await runToEnd(later.engine, workRun)).status).toBe('completed');
    expect(again.calls.map(({ key }) => key)).toEqual(['run-T1:work/again', 'run-T1:work/gold']);
    expect((await storedIn(again)).violated).toEqual([]);
  });
});

describe('a hostile file', () => {
  const tables: Readonly<Record<string, readonly string[]>> = {
    run_details: [
      'workflow',
      'workflow_version',
      'fingerprint',
      'started_at_utc',
      'parent_run_id',
      'parent_version',
    ],
    agent_checkpoints: ['version', 'status', 'next_action', 'changes_json', 'removed_json', 'saved_at_utc'],
    run_budgets: ['resource', 'used', 'allowed'],
    tool_intents: [
      'run_id',
      'action',
      'tool_name',
      'safety',
      'arguments_json',
      'arguments_hash',
      'destination',
      'scope',
      'state',
      'failures',
      'next_attempt_at_utc',
    ],
    tool_attempts: ['fence', 'worker', 'session', 'claimed_at_utc', 'lease_until_utc', 'outcome', 'detail'],
    approvals: [
      'idempotency_key',
      'run_id',
      'arguments_hash',
      'reason',
      'state',
      'decided_at_utc',
      'session',
    ],
    agent_runs: ['status', 'next_action', 'context_json', 'version'],
    tool_effects: ['tool_name', 'result_json'],
    run_numbers: ['ticket_id', 'number'],
  };
  const places = Object.entries(tables).flatMap(([table, columns]) =>
    columns.map((column) => [table, column] as const),
  );
  const numbers = [
    'workflow_version',
    'parent_version',
    'version',
    'used',
    'allowed',
    'failures',
    'fence',
    'number',
  ];
  const texts = [
    '',
    'banana',
    'pending',
    'waiting',
    'in_doubt',
    'confirmed',
    'failed',
    'running',
    'completed',
    'given',
    'requested',
    'at-most-once',
    'idempotent',
    'work',
    'end',
    'act',
    'run-T1-2',
    'run-T1:work/done',
    '{}',
    '[]',
    '{"order":"gold"}',
    '{"/a":1}',
    '["/"]',
    'null',
    '{',
    '"\\ud800"',
    '9999-99-99',
    '2026-01-05T09:00:00Z',
    `'); DROP TABLE agent_runs; --`,
    '<img src=x onerror=alert(1)>',
    '\u202e',
    'x'.repeat(5000),
  ];
  const change = fc.constantFrom(...places).chain(([table, column]) =>
    fc.record({
      table: fc.constant(table),
      column: fc.constant(column),
      value: numbers.includes(column) ? fc.constantFrom(0, 1, -1, 2, 1e15, -1e15) : fc.constantFrom(...texts),
      row: fc.constantFrom('1', 'rowid = 1', 'rowid = 2', 'rowid % 2 = 0'),
    }),
  );

  let image: Uint8Array;

  /** All that a person can do with it. None of it may throw: a worker that throws stops. */
  async function everythingWith(worker: Worker): Promise<void> {
    const { engine, database } = worker;
    const view = () => database.read((reader) => readTables(reader, engine, [], workRun));
    await view();
    await database.read((reader) => checkpointsOf(reader, workRun));
    await step(engine, workRun);
    const asked = await database.read((reader) => approvalsOf(reader, workRun));
    for (const { approvalId, argumentsHash } of asked) {
      await decideApproval(engine, approvalId, argumentsHash, 'given');
    }
    await tryNow(engine, 'run-T1:work/again');
    await step(engine, workRun);
    const words = {
      gold: { type: 'retry' },
      doubt: { type: 'skip' },
      again: { type: 'result', result: { cup: 1 } },
      done: { type: 'retry' },
    } as const;
    for (const [id, word] of Object.entries(words)) {
      await takeOver(engine, `run-T1:work/${id}`, 1);
      await resolveDoubt(engine, `run-T1:work/${id}`, word);
    }
    await adoptRun(engine, workRun);
    await step(engine, workRun);
    const run = (await view()).runs.find((one) => one.runId === workRun);
    await retryRun(engine, workRun, run?.version ?? 0, 1);
    await step(engine, workRun);
    await forkRun(engine, workRun, 0, null);
    await forkRun(engine, workRun, 1, { order: 'tea' });
    await deleteRuns(engine, [workRun]);
    await view();
  }

  test('is refused with a reason, or opens and is shown; and whatever is done with it fails at most', async () => {
    image = await richImage();
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const scratch = world.parts.sqlite.openScratch(image);
        for (const { table, column, value, row } of changes) {
          scratch.exec(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE ${row}`, [value]);
        }
        const bytes = scratch.export();
        scratch.close();
        const inspected = inspectFile(world.parts.sqlite, cryptoRandom, bytes);
        if (!inspected.ok) return;
        opened += 1;
        const hostile = { ...(await newOutside()), store: await storeOf(inspected.value.image) };
        hostile.clock.turnBy(120_000);
        const worker = await workerIn(hostile, rich);
        await everythingWith(worker);
        await worker.database.close();
      }),
      { seed: 5, numRuns: Number(process.env['HOSTILE_ROWS'] ?? 120) },
    );
    expect(opened).toBeGreaterThan(50);
  }, 600_000);
});
