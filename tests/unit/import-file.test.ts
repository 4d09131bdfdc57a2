import { expect, test } from 'vitest';
import schemaSql from '../../static/schema.sql?raw';
import { pageSize } from '../../src/storage/recorded-file.ts';
import { inspectFile } from '../../src/storage/import-file.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { testDatabase } from '../support/database.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';
import { testSqlite } from '../support/sqlite.ts';

const rows = `
  INSERT INTO agent_runs VALUES ('run-T104', 'T104', 'running', 'lookup_runbook', '{}', 1);
  INSERT INTO agent_runs VALUES ('run-T101', 'T101', 'completed', NULL, '{}', 4);
  INSERT INTO agent_events VALUES ('run-T104', 1, 'session-1', 'run_started', 'start', 'T104', '2025-01-01T00:00:00Z');
  INSERT INTO tool_effects VALUES ('run-T104:lookup_runbook', 'lookup_runbook', '{}');`;

async function fileWith(sql: string): Promise<Uint8Array> {
  const database = (await testSqlite()).openScratch(null);
  database.exec(sql);
  const bytes = database.export();
  database.close();
  return bytes;
}

async function reasonFor(bytes: Uint8Array): Promise<string> {
  const result = inspectFile(await testSqlite(), bytes);
  if (result.ok || result.failure.type !== 'FileRefused') throw new Error('the file was not refused');
  return result.failure.reason;
}

test('a file with the three tables is reported and can be put in place', async () => {
  const bytes = await fileWith(schemaSql + rows);
  const { image, report } = value(inspectFile(await testSqlite(), bytes));
  expect(report).toEqual({ runs: 2, events: 1, effects: 1, bytes: bytes.length, unfinished: 1 });
  const database = await testDatabase();
  value(await database.replace('import', { bytes: image }));
  expect(await database.read((reader) => reader.all('SELECT run_id FROM agent_runs ORDER BY rowid'))).toEqual(
    [{ run_id: 'run-T104' }, { run_id: 'run-T101' }],
  );
});

test.each([
  ['pages of 1024 bytes', 'PRAGMA page_size = 1024;'],
  ['pages of 65536 bytes', 'PRAGMA page_size = 65536;'],
  ['vacuuming by itself', 'PRAGMA auto_vacuum = FULL;'],
])('a file with %s is brought to the stored form', async (_, pragma) => {
  const { image } = value(inspectFile(await testSqlite(), await fileWith(pragma + schemaSql + rows)));
  expect(new DataView(image.buffer, image.byteOffset).getUint16(16)).toBe(pageSize);
  const database = await testDatabase();
  value(await database.replace('import', { bytes: image }));
  expect(await database.read((reader) => reader.all('PRAGMA integrity_check'))).toEqual([
    { integrity_check: 'ok' },
  ]);
});

test('a file in write-ahead mode is brought to the stored form, and the given bytes stay as they are', async () => {
  const bytes = await fileWith(schemaSql + rows);
  bytes[18] = bytes[19] = 2;
  const { image, report } = value(inspectFile(await testSqlite(), bytes));
  expect([...image.subarray(18, 20)]).toEqual([1, 1]);
  expect(report.runs).toBe(2);
  expect([...bytes.subarray(18, 20)]).toEqual([2, 2]);
});

test('our own image, downloaded, is accepted', async () => {
  const sqlite = await testSqlite();
  expect(inspectFile(sqlite, freshImage(sqlite, seededRandom(1)))).toMatchObject({
    ok: true,
    value: { report: { runs: 0 } },
  });
});

test.each([
  ['UTF-16 text', `PRAGMA encoding = 'UTF-16';${schemaSql}`, 'UTF-16'],
  [
    'a missing table',
    schemaSql.replace('CREATE TABLE tool_effects', 'CREATE TABLE effects'),
    'no table tool_effects',
  ],
  ['a missing column', schemaSql.replace('next_action TEXT,', ''), 'no column next_action TEXT'],
  ['another type', schemaSql.replace('version INTEGER', 'version TEXT'), 'no column version INTEGER'],
  [
    'a further column',
    schemaSql.replace('next_action TEXT,', 'next_action TEXT, extra TEXT,'),
    'further column extra',
  ],
  [
    'another key',
    schemaSql.replace('PRIMARY KEY (run_id, sequence)', 'PRIMARY KEY (sequence)'),
    'no column run_id',
  ],
  [
    'no row ids',
    schemaSql.replace('result_json TEXT NOT NULL\n)', 'result_json TEXT NOT NULL\n) WITHOUT ROWID'),
    'WITHOUT ROWID',
  ],
  [
    'a trigger',
    `${schemaSql} CREATE TRIGGER spy AFTER INSERT ON agent_events BEGIN SELECT 1; END`,
    'trigger named spy',
  ],
  ['a view', `${schemaSql} CREATE VIEW seen AS SELECT 1`, 'view named seen'],
  [
    'a rule of its own',
    `${schemaSql} CREATE UNIQUE INDEX one ON agent_runs (ticket_id)`,
    'rule of its own (one)',
  ],
  [
    'an event without its run',
    `${schemaSql} INSERT INTO agent_events VALUES ('r', 1, 's', 't', 'a', 'd', 'now')`,
    'does not exist',
  ],
  [
    'a CHECK',
    schemaSql.replace('status TEXT NOT NULL', `status TEXT NOT NULL CHECK (status <> 'x')`),
    'CHECK',
  ],
  [
    'a collation',
    schemaSql.replace('run_id TEXT PRIMARY KEY', 'run_id TEXT COLLATE NOCASE PRIMARY KEY'),
    'COLLATE',
  ],
  ['an index over an expression', `${schemaSql} CREATE INDEX picky ON agent_events (json(detail))`, 'picky'],
  ['a partial index', `${schemaSql} CREATE INDEX part ON agent_runs (status) WHERE version > 1`, 'part'],
  ['a table with a name of ours', `${schemaSql} CREATE TABLE lab (colour TEXT)`, 'table lab of another kind'],
  [
    'a newer schema',
    `${schemaSql} CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY); INSERT INTO schema_migrations VALUES (999)`,
    'newer version',
  ],
  [
    'a schema that claims more than it has',
    `${schemaSql} CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY)`,
    'no table agent_sessions',
  ],
])('a file with %s is refused, and the reason says so', async (_, sql, reason) => {
  expect(await reasonFor(await fileWith(sql))).toContain(reason);
});

test('what is no database, is empty, cut off or damaged is refused', async () => {
  const whole = await fileWith(schemaSql + rows);
  expect(await reasonFor(new Uint8Array(0))).toBe('the file is empty');
  expect(await reasonFor(new TextEncoder().encode('run_id,ticket_id'))).toBe('it is not an SQLite database');
  expect(await reasonFor(whole.slice(0, 100))).toBe('it is cut off');
  expect(await reasonFor(whole.slice(0, -pageSize))).toBe('it is cut off');
  const damaged = whole.slice();
  damaged.fill(0xff, pageSize + 1, pageSize + 40);
  expect(await reasonFor(damaged)).toMatch(/^SQLite/);
});
