/** Holds the SQL console's promise: it cannot write unless unlocked, and what it writes then is met by the engine's rules. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspect } from '../../src/bridge/file-inspection.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { succeed } from '../../src/engine/failure.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { openLab, type OpenedLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

const parts = await testParts();
let lab: OpenedLab;

beforeEach(async () => {
  lab = await openLab(parts);
});
afterEach(() => lab.close());

const seen = async (): Promise<LabView> =>
  must(await lab.server.handlers.view({ selectedRunId: 'run-T104' }));
const generation = async (): Promise<number> => (await seen()).storage.generation;

async function write(sql: string) {
  return lab.server.handlers.write({ sql, generation: await generation() });
}
/** run-T104 at version 1, and run-T105 at version 0. */
async function twoRuns(): Promise<void> {
  const started = must(await lab.server.handlers.start({ ticketId: 'T104' })).selected?.run;
  must(await lab.server.handlers.step({ runId: 'run-T104', version: started?.version ?? -1 }));
  must(await lab.server.handlers.start({ ticketId: 'T105' }));
  must(await lab.server.handlers.unlockWrites({ unlocked: true }));
}

describe('writing by hand', () => {
  test('is refused until it is unlocked, in each session anew, and nothing changes', async () => {
    must(await lab.server.handlers.start({ ticketId: 'T104' }));
    const before = await generation();
    const sql = 'UPDATE agent_runs SET version = 9';
    expect(await write(sql)).toMatchObject({ ok: false, failure: { type: 'SqlRefused' } });
    must(await lab.server.handlers.unlockWrites({ unlocked: true }));
    must(await lab.server.handlers.unlockWrites({ unlocked: false }));
    expect(await write(sql)).toMatchObject({ ok: false, failure: { type: 'SqlRefused' } });
    expect(await generation()).toBe(before);
    must(await lab.server.handlers.unlockWrites({ unlocked: true }));
    must(await write(sql));
    const { storage } = lab;
    await lab.close();
    lab = await openLab(parts, storage);
    expect(await write(sql)).toMatchObject({ ok: false, failure: { type: 'SqlRefused' } });
  });

  test('marks the runs that it changed, and no other, durably', async () => {
    await twoRuns();
    const written = must(
      await write(`UPDATE agent_runs SET version = 7 WHERE run_id = 'run-T104'; SELECT 1`),
    );
    expect(written.touched).toEqual(['run-T104']);
    expect(written.runs.map(({ runId, version }) => [runId, version])).toEqual([
      ['run-T104', 7],
      ['run-T105', 0],
    ]);
    expect(written.lastCommit?.boundary).toBe('console');
    const { storage } = lab;
    await lab.close();
    lab = await openLab(parts, storage);
    expect((await seen()).touched).toEqual(['run-T104']);
  });

  test.each([
    ['an event', `DELETE FROM agent_events WHERE run_id = 'run-T104' AND sequence = 2`],
    ['a saved result', `INSERT INTO tool_effects VALUES ('run-T104:lookup_runbook', 'lookup_runbook', '{}')`],
    ['what it was started with', `UPDATE run_details SET fingerprint = 'x' WHERE run_id = 'run-T104'`],
    ['its history', `DELETE FROM agent_checkpoints WHERE run_id = 'run-T104' AND version = 1`],
  ])('of %s marks its run', async (_, sql) => {
    await twoRuns();
    expect(must(await write(sql)).touched).toEqual(['run-T104']);
  });

  test('that leaves the rows as they are marks none', async () => {
    await twoRuns();
    expect(must(await write('UPDATE agent_runs SET version = version')).touched).toEqual([]);
  });

  test('a changed version is a conflict to who saw the former one, and breaks what must hold', async () => {
    await twoRuns();
    const version = (await seen()).runs[0]?.version ?? -1;
    const written = must(await write(`UPDATE agent_runs SET version = 8 WHERE run_id = 'run-T104'`));
    expect(await lab.server.handlers.step({ runId: 'run-T104', version })).toMatchObject({
      ok: false,
      failure: { type: 'StateConflict', expected: 1, stored: 8 },
    });
    expect(written.invariants.filter(({ violations }) => violations > 0).map(({ id }) => id)).toEqual(['I4']);
  });

  test('a run that is deleted by hand leaves no mark to a new one of its name', async () => {
    await twoRuns();
    must(await write(`UPDATE agent_runs SET version = 8 WHERE run_id = 'run-T105'`));
    const gone = ['agent_events', 'agent_checkpoints', 'run_budgets', 'run_details', 'agent_runs'];
    const deleted = must(
      await write(gone.map((of) => `DELETE FROM ${of} WHERE run_id = 'run-T105'`).join(';')),
    );
    expect(deleted.touched).toEqual([]);
    const again = must(await lab.server.handlers.start({ ticketId: 'T105' }));
    expect([again.selected?.run.runId, again.touched]).toEqual(['run-T105', []]);
  });

  test.each([
    ['DROP TABLE agent_runs', 'DROP is not allowed'],
    ['PRAGMA foreign_keys = OFF', 'PRAGMA is not allowed'],
    ['UPDATE agent_runs SET version = 5; COMMIT', 'COMMIT is not allowed'],
    ['DELETE FROM lab', 'the page’s own'],
    ['INSERT INTO schema_migrations VALUES (99)', 'the page’s own'],
    [`INSERT INTO touched_runs VALUES ('run-T104', '')`, 'the page’s own'],
    ['UPDATE agent_runs SET version = 5; DELETE FROM agent_runs', 'FOREIGN KEY constraint failed'],
    ['UPDATE agent_runs SET version = 5; SELECT nope', 'no such column: nope'],
    ['UPDATE OR ROLLBACK agent_runs SET version = NULL', 'NOT NULL constraint failed: agent_runs.version'],
    ['DELETE FROM sqlite_schema', 'table sqlite_master may not be modified'],
  ])('%s is refused in words, and nothing of it is written', async (sql, reason) => {
    await twoRuns();
    const before = await seen();
    const result = await write(sql);
    expect(result).toMatchObject({ ok: false, failure: { type: 'SqlRefused' } });
    expect(JSON.stringify(result)).toContain(reason);
    const after = await seen();
    expect(after.storage.generation).toBe(before.storage.generation);
    expect(after.runs).toEqual(before.runs);
    must(await lab.server.handlers.step({ runId: 'run-T105', version: 0 }));
  });

  test('is refused when another commit came since it was tried', async () => {
    await twoRuns();
    const { generation: tried } = must(await lab.server.handlers.readCopy({}));
    must(await lab.server.handlers.step({ runId: 'run-T105', version: 0 }));
    expect(
      await lab.server.handlers.write({ sql: 'UPDATE agent_runs SET version = 5', generation: tried }),
    ).toMatchObject({ ok: false, failure: { type: 'SqlRefused' } });
    expect((await seen()).runs.map(({ version }) => version)).toEqual([1, 1]);
  });

  test('a file with marks opens again, with its marks', async () => {
    await twoRuns();
    must(await write(`UPDATE agent_runs SET version = 8 WHERE run_id = 'run-T104'`));
    const bytes = must(await lab.server.handlers.exportDatabase({}));
    const looked = must(
      await inspect(
        { loadSqlite: () => Promise.resolve(succeed(parts.sqlite)), random: cryptoRandom },
        new Blob([new Uint8Array(bytes)]),
      ),
    );
    expect(looked.report.notes).toEqual([]);
    expect(must(await lab.server.handlers.importFile({ image: looked.image })).touched).toEqual(['run-T104']);
  });
});

test('the view tells which boundaries the last command reached, in order', async () => {
  expect((await seen()).reached).toEqual([]);
  must(await lab.server.handlers.start({ ticketId: 'T104' }));
  must(await lab.server.handlers.step({ runId: 'run-T104', version: 0 }));
  const name = 'classify_priority.checkpoint';
  const instants = ['begin', 'updated', 'recorded', 'event_appended', 'committed', 'durable'];
  expect((await seen()).reached).toEqual(instants.map((instant) => `${name}.${instant}`));
});
