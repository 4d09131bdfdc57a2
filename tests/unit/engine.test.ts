import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadRun, saveCheckpoint } from '../../src/engine/checkpoint.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { executeOnce } from '../../src/engine/execute-once.ts';
import { labelOf } from '../../src/engine/events.ts';
import { fail, succeed } from '../../src/engine/failure.ts';
import type { SqlValue } from '../../src/engine/ports.ts';
import { runToEnd, step } from '../../src/engine/runner.ts';
import { resumeRun, startRun } from '../../src/engine/start.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { freshImage } from '../../src/storage/schema.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { triage } from '../../src/triage/workflow.ts';
import type { Parts, Survivors } from '../support/lives.ts';
import {
  engineOver,
  must,
  open,
  readEvents,
  runId,
  survivors,
  testParts,
  ticketContext,
} from '../support/lives.ts';

let parts: Parts;
let left: Survivors;
beforeAll(async () => {
  parts = await testParts();
});
beforeEach(() => {
  left = survivors();
});

interface Worker {
  readonly engine: Engine;
  readonly database: AgentDatabase;
}

/** One more worker over the same stored image, as another tab would be. */
async function worker(changes: Partial<Engine> = {}): Promise<Worker> {
  const plan = new CrashPlan();
  const database = await open(parts, left.store, plan, left.clock);
  return { database, engine: { ...engineOver(database, left, plan), ...changes } };
}

async function started(): Promise<Worker> {
  const made = await worker();
  must(await startRun(made.engine, 'T104', ticketContext));
  return made;
}

function execute(database: AgentDatabase, sql: string, values: readonly SqlValue[] = []) {
  return database.commit('test', (transaction) => succeed(transaction.run(sql, values)));
}

const tablesOfRun = ['agent_events', 'agent_checkpoints', 'run_details', 'agent_runs'];

const label = ({ engine, database }: Worker) => database.read((reader) => labelOf(engine, reader));

const rowsOf = ({ database }: Worker, table: string) =>
  database.read((reader) => reader.all(`SELECT * FROM ${table}`));

describe('starting runs', () => {
  test('an id under which results or events were left behind is not used again', async () => {
    const { engine, database } = await worker();
    await execute(
      database,
      `INSERT INTO tool_effects VALUES ('run-T104:lookup_runbook', 'lookup_runbook', '{}')`,
    );
    expect(must(await startRun(engine, 'T104', ticketContext)).runId).toBe('run-T104-2');
  });

  test('further runs of a ticket are numbered from 2', async () => {
    const { engine } = await started();
    expect(must(await startRun(engine, 'T104', ticketContext)).runId).toBe('run-T104-2');
    expect(must(await startRun(engine, 'T104', ticketContext)).runId).toBe('run-T104-3');
    expect(must(await startRun(engine, 'T101', ticketContext)).runId).toBe('run-T101');
  });

  test('two tabs that start the same ticket at once get two runs and two sessions', async () => {
    const [a, b] = [await worker(), await worker()];
    const runs = await Promise.all([a, b].map(({ engine }) => startRun(engine, 'T104', ticketContext)));
    expect(new Set(runs.map((run) => must(run).runId))).toEqual(new Set(['run-T104', 'run-T104-2']));
    expect((await Promise.all([a, b].map(label))).sort()).toEqual(['session-1', 'session-2']);
  });

  test('a context that JSON cannot hold is refused and nothing is written', async () => {
    const made = await worker();
    const result = await startRun(made.engine, 'T104', { readings: [1, NaN] } as never);
    expect(result).toMatchObject({
      ok: false,
      failure: { type: 'JsonRefused', path: 'context.readings[1]' },
    });
    expect(await rowsOf(made, 'agent_runs')).toEqual([]);
  });

  test('text with quotes, markup and SQL is stored as it is (R8)', async () => {
    const { engine, database } = await worker();
    const nasty = `T'); DROP TABLE agent_runs; --<img src=x onerror=alert(1)>"=1+1`;
    const run = must(await startRun(engine, nasty, { ticket: { issue: nasty } }));
    expect((await database.read((reader) => loadRun(reader, run.runId)))?.ticketId).toBe(nasty);
  });
});

describe('sessions', () => {
  test('deleting runs never brings a label back', async () => {
    const { database } = await started();
    for (const table of tablesOfRun) await execute(database, `DELETE FROM ${table}`);
    const second = await worker();
    must(await startRun(second.engine, 'T104', ticketContext));
    expect(await label(second)).toBe('session-2');
  });

  test('a label in the events of a file from elsewhere is counted too', async () => {
    const { database } = await started();
    await execute(database, `UPDATE agent_events SET session = 'session-41'`);
    await execute(database, 'DELETE FROM agent_sessions');
    const second = await worker();
    must(await resumeRun(second.engine, runId));
    expect(await label(second)).toBe('session-42');
  });

  test('a label of more digits than any of ours is text like any other', async () => {
    const { database } = await started();
    await execute(database, `UPDATE agent_events SET session = 'session-99999999999999999999'`);
    const second = await worker();
    must(await resumeRun(second.engine, runId));
    expect(await label(second)).toBe('session-2');
  });

  test('a commit that is rolled back draws no label', async () => {
    const refusing = { ...triage, version: 2 };
    await started();
    const second = await worker({ workflows: [refusing] });
    expect((await resumeRun(second.engine, runId)).ok).toBe(false);
    expect(await label(second)).toBeNull();
    expect(await rowsOf(second, 'agent_sessions')).toHaveLength(1);
  });

  test('a lab that was reset numbers its sessions anew, for workers that had a label, too', async () => {
    const a = await started();
    const bytes = freshImage(parts.sqlite, cryptoRandom);
    must(await a.database.replace('reset', { bytes }));
    const b = await worker();
    must(await startRun(b.engine, 'T101', ticketContext));
    must(await startRun(a.engine, 'T102', ticketContext));
    expect([await label(b), await label(a)]).toEqual(['session-1', 'session-2']);
  });
});

/** A world that answers each call like this. */
function answering(call: Engine['tools']['call']): Engine['tools'] {
  const status = () => Promise.resolve({ type: 'cannot_tell', reason: '' } as const);
  return { call, status, destinationOf: () => null };
}

describe('a lab that is replaced under a worker', () => {
  /** Takes the run up, then calls a tool during which another tab resets the lab and starts the run anew. */
  async function interrupted(after: (other: Worker) => Promise<unknown>): Promise<Worker> {
    const other = await started();
    const tools = answering(async () => {
      must(await other.database.replace('reset', { bytes: freshImage(parts.sqlite, cryptoRandom) }));
      await after(other);
      return { type: 'done', result: { next_step: 'from the former lab' } };
    });
    const a = await worker({ tools });
    must(await step(a.engine, runId));
    expect(await step(a.engine, runId)).toMatchObject({
      ok: false,
      failure: { type: 'StateConflict', runId },
    });
    return a;
  }

  test('a tool call that was under way writes nothing into the new lab', async () => {
    const a = await interrupted(() => Promise.resolve());
    expect(await rowsOf(a, 'tool_effects')).toEqual([]);
    expect(await rowsOf(a, 'agent_events')).toEqual([]);
  });

  test('nor into a run of the same name at the same version there', async () => {
    const a = await interrupted(async ({ engine }) => {
      must(await startRun(engine, 'T104', ticketContext));
      must(await step(engine, runId));
    });
    expect(await rowsOf(a, 'tool_effects')).toEqual([]);
    const events = await a.database.read((reader) => readEvents(reader, runId));
    expect(events.map((event) => event.eventType)).toEqual(['run_started', 'checkpoint_saved']);
  });
});

describe('the version guard (R3)', () => {
  test('the second of two workers gets a conflict that names run and versions, and writes nothing', async () => {
    const a = await started();
    const run = must(await resumeRun(a.engine, runId));
    const b = await worker();
    must(await resumeRun(b.engine, runId));
    must(await saveCheckpoint(b.engine, run, 'classify_priority', checkpoint));
    const before = await b.database.read((reader) => readEvents(reader, runId));
    const result = await saveCheckpoint(a.engine, run, 'classify_priority', checkpoint);
    expect(result).toEqual(fail({ type: 'StateConflict', runId, expected: 0, stored: 1 }));
    expect(await a.database.read((reader) => readEvents(reader, runId))).toEqual(before);
    expect((await a.database.read((reader) => loadRun(reader, runId)))?.version).toBe(1);
  });

  test('a run that is gone is a conflict too', async () => {
    const a = await started();
    const run = must(await resumeRun(a.engine, runId));
    for (const table of tablesOfRun) await execute(a.database, `DELETE FROM ${table}`);
    const result = await saveCheckpoint(a.engine, run, 'classify_priority', checkpoint);
    expect(result).toEqual(fail({ type: 'StateConflict', runId, expected: 0, stored: null }));
  });

  const checkpoint = { status: 'running', nextAction: 'lookup_runbook', context: {} } as const;
});

describe('the saved-result path (R4, R5)', () => {
  const lookup = async (engine: Engine, area = 'office', tool = 'lookup_runbook') => {
    const run = await engine.database.read((reader) => loadRun(reader, runId));
    if (run === undefined) throw new Error('no run');
    return executeOnce(engine, run, 'lookup_runbook', tool, { area });
  };

  test('two workers that both called: the first saved row wins and the loser returns it', async () => {
    left = survivors('changing');
    const a = await started();
    const b = await worker();
    must(await resumeRun(b.engine, runId));
    const results = (await Promise.all([lookup(a.engine), lookup(b.engine)])).map(must);
    expect(left.world.calls).toHaveLength(2);
    expect(results[0]).toEqual(results[1]);
    must(await b.database.refresh());
    const events = await b.database.read((reader) => readEvents(reader, runId));
    expect(events.map((event) => event.eventType).slice(-2)).toEqual(['tool_executed', 'tool_reused']);
    expect(await rowsOf(b, 'tool_effects')).toHaveLength(1);
  });

  test('the same key with other arguments is an error, and the tool is not called', async () => {
    const a = await started();
    must(await lookup(a.engine, 'office'));
    const failure = { type: 'KeyReused', key: `${runId}:lookup_runbook`, differs: 'arguments' };
    expect(await lookup(a.engine, 'packing')).toMatchObject({ ok: false, failure });
    expect(left.world.calls).toHaveLength(1);
  });

  test('the loser of a race whose winner had other arguments gets the error, not the winner’s result', async () => {
    let calls = 0;
    const tools = answering(() => {
      calls += 1;
      return Promise.resolve({ type: 'done', result: { next_step: 'x' } });
    });
    const a = await worker({ tools });
    must(await startRun(a.engine, 'T104', ticketContext));
    const b = await worker({ tools });
    must(await resumeRun(b.engine, runId));
    const results = await Promise.all([lookup(a.engine, 'office'), lookup(b.engine, 'packing')]);
    expect(calls).toBe(2);
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(results.find((result) => !result.ok)).toMatchObject({
      failure: { type: 'KeyReused', differs: 'arguments' },
    });
  });

  test('the same key with another tool is an error', async () => {
    const a = await started();
    must(await lookup(a.engine));
    const result = await lookup(a.engine, 'office', 'page_technician');
    expect(result).toMatchObject({
      ok: false,
      failure: { type: 'KeyReused', storedTool: 'lookup_runbook', differs: 'tool' },
    });
  });

  test('a file from elsewhere without argument hashes: only the tool is compared', async () => {
    const a = await started();
    must(await lookup(a.engine, 'office'));
    await execute(a.database, 'DELETE FROM effect_arguments');
    expect((await lookup(a.engine, 'packing')).ok).toBe(true);
  });

  test('a tool that fails records nothing, and the next try may succeed', async () => {
    let tries = 0;
    const tools = answering(() => {
      tries += 1;
      return Promise.resolve(
        tries === 1
          ? { type: 'failed', reason: 'down', retryable: true }
          : { type: 'done', result: { next_step: 'x' } },
      );
    });
    const a = await worker({ tools });
    must(await startRun(a.engine, 'T104', ticketContext));
    expect(await lookup(a.engine)).toMatchObject({
      ok: false,
      failure: { type: 'ToolFailed', reason: 'down' },
    });
    expect(await rowsOf(a, 'tool_effects')).toEqual([]);
    expect((await lookup(a.engine)).ok).toBe(true);
  });

  test('a result that JSON cannot hold is refused with its path', async () => {
    const tools = answering(() => Promise.resolve({ type: 'done', result: { readings: [NaN] } }));
    const a = await worker({ tools });
    must(await startRun(a.engine, 'T104', ticketContext));
    expect(await lookup(a.engine)).toMatchObject({
      ok: false,
      failure: { type: 'JsonRefused', path: 'result.readings[0]' },
    });
  });
});

describe('a run and its workflow (R13)', () => {
  test('a run of a changed workflow is refused and stays as it is', async () => {
    await started();
    const changed = { ...triage, version: 2 };
    const b = await worker({ workflows: [changed] });
    const result = await step(b.engine, runId);
    expect(result).toMatchObject({
      ok: false,
      failure: { type: 'WorkflowChanged', stored: 'triage 1', current: 'triage 2' },
    });
    expect(await b.database.read((reader) => readEvents(reader, runId))).toHaveLength(1);
  });

  test('a run without a recorded workflow is adopted, by an event, when its actions fit', async () => {
    const a = await started();
    await execute(a.database, 'DELETE FROM run_details');
    const b = await worker();
    must(await runToEnd(b.engine, runId));
    const events = await b.database.read((reader) => readEvents(reader, runId));
    expect(events.map((event) => event.eventType).slice(0, 3)).toEqual([
      'run_started',
      'run_adopted',
      'run_resumed',
    ]);
    expect(await rowsOf(b, 'run_details')).toHaveLength(1);
  });

  test('a next action that the workflow does not know is refused with those it knows', async () => {
    const a = await started();
    await execute(a.database, `UPDATE agent_runs SET next_action = 'send_invoice'`);
    const known = triage.actions.map((action) => action.name);
    expect(await step(a.engine, runId)).toEqual(
      fail({ type: 'UnknownAction', runId, action: 'send_invoice', known }),
    );
  });

  test.each([
    ['not JSON', '{', 'not a JSON object'],
    ['a list', '[]', 'not a JSON object'],
    ['without a ticket', '{}', 'no ticket'],
    [
      'with a ticket whose minutes are text',
      '{"ticket":{"outage_minutes":"18","safety_impact":"yes"}}',
      'outage_minutes',
    ],
  ])('a context that is %s is named, not thrown', async (_, context, reason) => {
    const a = await started();
    await execute(a.database, 'UPDATE agent_runs SET context_json = ?', [context]);
    const result = await step(a.engine, runId);
    expect(result).toMatchObject({
      ok: false,
      failure: { type: 'ContextUnusable', action: 'classify_priority' },
    });
    expect(!result.ok && result.failure.type === 'ContextUnusable' && result.failure.reason).toContain(
      reason,
    );
  });

  test('a run that can’t go on is not adopted: nothing is written for it', async () => {
    const a = await started();
    await execute(a.database, 'DELETE FROM run_details');
    await execute(a.database, `UPDATE agent_runs SET context_json = '{}'`);
    const b = await worker();
    const before = await b.database.read((reader) => readEvents(reader, runId));
    expect(await step(b.engine, runId)).toMatchObject({ failure: { type: 'ContextUnusable' } });
    expect(await resumeRun(b.engine, runId)).toMatchObject({ failure: { type: 'ContextUnusable' } });
    expect(await b.database.read((reader) => readEvents(reader, runId))).toEqual(before);
  });

  test('a completed run stays as it is', async () => {
    const a = await started();
    must(await runToEnd(a.engine, runId));
    expect(await step(a.engine, runId)).toEqual(fail({ type: 'RunNotRunning', runId, status: 'completed' }));
    expect(await step(a.engine, 'run-none')).toEqual(fail({ type: 'RunNotFound', runId: 'run-none' }));
  });

  test('a session takes a run up once, however many steps it does', async () => {
    await started();
    const b = await worker();
    must(await runToEnd(b.engine, runId));
    const events = await b.database.read((reader) => readEvents(reader, runId));
    expect(events.filter((event) => event.eventType === 'run_resumed')).toHaveLength(1);
  });
});
