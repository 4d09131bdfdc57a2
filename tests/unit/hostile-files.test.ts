import { describe, expect, test } from 'vitest';
import { mostFileBytes } from '../../src/storage/file-limits.ts';
import { pageSize } from '../../src/storage/image-pages.ts';
import { lessonRows, lessonTables, lie, patched, replaced, type Bytes } from '../support/foreign-files.ts';
import { files, inspected, reasonFor } from '../support/inspected.ts';
import { seededRandom } from '../support/random.ts';

const whole = files.lesson();
const many = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
const setDetail = (sql: string): string =>
  `UPDATE agent_events SET detail = ${sql} WHERE run_id = 'run-T104' AND sequence = 3`;
const setContext = (sql: string): string =>
  `UPDATE agent_runs SET context_json = ${sql} WHERE run_id = 'run-T104'`;
const migrations = 'CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY);';

describe('a file is refused with the reason', () => {
  test.each<[string, Bytes, string]>([
    ['it is empty', new Uint8Array(0), 'the file is empty'],
    ['it is no database', new TextEncoder().encode('run_id,ticket_id'), 'it is not an SQLite database'],
    [
      'it is encrypted, or random bytes',
      new Uint8Array(seededRandom(7).bytes(8192)),
      'it is not an SQLite database, or it is encrypted; then save it without its password first',
    ],
    [
      'it is the write-ahead log beside a database',
      new Uint8Array([0x37, 0x7f, 0x06, 0x82, ...new Uint8Array(28)]),
      'it is the write-ahead log of a database: choose the file without “-wal” in its name',
    ],
    [
      'it is the rollback journal beside a database',
      new Uint8Array([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, ...new Uint8Array(504)]),
      'it is the rollback journal of a database: choose the file without “-journal” in its name',
    ],
    ...[16, 99, 100, 511, 3000, pageSize, pageSize + 1, whole.length - pageSize, whole.length - 1].map(
      (length): [string, Bytes, string] => [
        `it ends after ${length} of ${whole.length} bytes`,
        whole.slice(0, length),
        'it is cut off',
      ],
    ),
    [
      'its page size is none',
      patched(whole, (header) => header.setUint16(16, 4095)),
      'its header is damaged: no SQLite has such a page size',
    ],
    [
      'its format is of the future',
      patched(whole, (header) => header.setUint8(19, 3)),
      'it says that it needs a newer SQLite than the one in this page, or its header is damaged',
    ],
    [
      'its pages reserve more than they have',
      patched(files.lesson('', 'PRAGMA page_size = 512;'), (header) => header.setUint8(20, 255)),
      'its header is damaged (not a database)',
    ],
    [
      'its text is said to be in another encoding',
      patched(whole, (header) => header.setUint32(56, 2)),
      'its list of tables is damaged',
    ],
    [
      'a page is overwritten',
      (() => {
        const damaged = whole.slice();
        return damaged.fill(0xff, pageSize + 1, pageSize + 40);
      })(),
      'its inner structure is damaged (',
    ],
    [
      'the index of a search is damaged',
      files.lesson(
        `CREATE VIRTUAL TABLE docs USING fts4 (body); INSERT INTO docs VALUES ('hello'); UPDATE docs_segdir SET root = x'ffffffff'`,
      ),
      'its inner structure is damaged (malformed inverted index for FTS4 table main.docs)',
    ],
    [
      'it sorts by a rule of another program',
      replaced(
        files.declaring('run_id TEXT PRIMARY KEY', 'run_id TEXT COLLATE NOCASE PRIMARY KEY'),
        'NOCASE',
        'GERMAN',
      ),
      'it sorts by a rule that this page does not have (collation GERMAN)',
    ],
    [
      'it computes by a function of another program',
      replaced(
        files.lesson('CREATE TABLE x (a, b AS (lower(a)) NOT NULL); INSERT INTO x (a) VALUES (1)'),
        'lower(a)',
        'tower(a)',
      ),
      'it computes by a function that this page does not have (tower()',
    ],
    [
      'a table is missing',
      files.of(lessonTables.split('CREATE TABLE tool_effects')[0] ?? ''),
      'it has no table tool_effects',
    ],
    [
      'a view has the name of a table',
      files.of(
        lessonTables.replace('TABLE agent_events', 'TABLE e') + 'CREATE VIEW agent_events AS SELECT * FROM e',
      ),
      'it has no table agent_events (agent_events is a view there)',
    ],
    [
      'a virtual table has the name of a table',
      files.of(
        lessonTables.replace(
          /CREATE TABLE tool_effects[^;]*/,
          'CREATE VIRTUAL TABLE tool_effects USING fts4 (idempotency_key, tool_name, result_json)',
        ),
      ),
      'it has no table tool_effects (tool_effects is a virtual table there)',
    ],
    [
      'a column is missing',
      files.of(lessonTables.replace('next_action TEXT,', '')),
      'its table agent_runs has no column next_action',
    ],
    [
      'a column is computed',
      files.of(lessonTables.replace('next_action TEXT,', 'next_action TEXT AS (status),')),
      'the column next_action of its table agent_runs is computed, not stored',
    ],
    [
      'there is a further column',
      files.of(lessonTables.replace('next_action TEXT,', 'next_action TEXT, owner TEXT NOT NULL,')),
      'its table agent_runs has a further column owner, for which the lab’s table has no place',
    ],
    [
      'a key is missing and was needed',
      files.of(
        lessonTables.replace('run_id TEXT PRIMARY KEY', 'run_id TEXT').replace(/,\s+FOREIGN KEY[^\n]*/, '') +
          lessonRows +
          'INSERT INTO agent_runs SELECT * FROM agent_runs',
      ),
      'two rows of its table agent_runs have the same run_id',
    ],
    [
      'two events have one sequence',
      files.of(
        lessonTables.replace(/,\s+PRIMARY KEY \(run_id, sequence\)/, '') +
          lessonRows +
          'UPDATE agent_events SET sequence = 2',
      ),
      'two rows of its table agent_events have the same run_id and sequence',
    ],
    [
      'a run has no id',
      files.lesson(`INSERT INTO agent_runs VALUES (NULL, 'T1', 'running', 'finish', '{}', 0)`),
      'in row 3 of its table agent_runs, run_id holds nothing (NULL) where a text belongs',
    ],
    [
      'a foreign key points nowhere',
      files.lesson(`INSERT INTO agent_events VALUES ('gone', 1, 's', 't', 'a', 'd', 'now')`),
      'a row of agent_events points at a row of agent_runs that does not exist',
    ],
    [
      'a text has a NUL in it',
      files.lesson(setDetail(`'version' || char(0) || '2'`)),
      'in row 4 of its table agent_events, detail holds a text with a zero byte (NUL) in it: what follows that byte would not be seen here',
    ],
    [
      'a text is not UTF-8',
      files.lesson(setDetail(`CAST(x'76ff32' AS TEXT)`)),
      'in row 4 of its table agent_events, detail holds bytes that are no UTF-8 text',
    ],
    [
      'a text is half a character of UTF-16',
      files.lesson(setDetail(`CAST(x'00d8' AS TEXT)`), `PRAGMA encoding = 'UTF-16le';`),
      'it holds bytes that are no UTF-16le text',
    ],
    [
      'a blob stands where a text belongs',
      files.lesson(setDetail(`x'76657273'`)),
      'in row 4 of its table agent_events, detail holds raw bytes (a BLOB) where a text belongs',
    ],
    [
      'a context is JSON in SQLite’s own binary form',
      files.lesson(setContext(`jsonb('{"a":1}')`)),
      'in row 2 of its table agent_runs, context_json holds raw bytes (a BLOB) where a text belongs',
    ],
    [
      'a number stands where a text belongs',
      files.of(
        lessonTables.replace('ticket_id TEXT', 'ticket_id INTEGER') +
          lessonRows +
          `UPDATE agent_runs SET ticket_id = 104`,
      ),
      'in row 1 of its table agent_runs, ticket_id holds a number where a text belongs',
    ],
    ...[
      [`'three'`, 'a text where a whole number belongs'],
      ['1e999', 'a fraction or no finite number where a whole number belongs'],
      ['1.5', 'a fraction or no finite number where a whole number belongs'],
      ['9007199254740993', 'a number beyond 1000000000000000, too large to count on from exactly'],
      ['-9223372036854775808', 'a number beyond 1000000000000000, too large to count on from exactly'],
    ].map(([version = '', holds = '']): [string, Bytes, string] => [
      `a version is ${version}`,
      files.lesson(`UPDATE agent_runs SET version = ${version}`),
      `in row 1 of its table agent_runs, version holds ${holds}`,
    ]),
    [
      'a context is nested 100,000 deep',
      files.lesson(setContext(`replace(hex(zeroblob(50000)), '0', '[')`)),
      'in row 2 of its table agent_runs, context_json holds JSON that is nested deeper than 200 levels',
    ],
    [
      'a context has 50 MB',
      files.lesson(setContext(`'{"a":"' || hex(zeroblob(26214400)) || '"}'`)),
      'in row 2 of its table agent_runs, context_json holds more than 1 MB',
    ],
    [
      'a detail has 11 KB',
      files.lesson(setDetail(`hex(zeroblob(5632))`)),
      'in row 4 of its table agent_events, detail holds a text of more than 10 KB',
    ],
    [
      'all contexts together have 33 MB',
      files.lesson(
        `${many(34)} INSERT INTO agent_runs SELECT 'r' || i, 't', 'completed', NULL, hex(zeroblob(500000)), 0 FROM n`,
      ),
      'its table agent_runs holds more than 32 MB of text',
    ],
    [
      'there are 1,002 runs',
      files.lesson(
        `${many(1000)} INSERT INTO agent_runs SELECT 'r' || i, 't', 'completed', NULL, '{}', 0 FROM n`,
      ),
      'it holds 1002 runs; the lab shows up to 1000',
    ],
    [
      'there are 10,001 saved results',
      files.lesson(`${many(10000)} INSERT INTO tool_effects SELECT 'r' || i, 't', '{}' FROM n`),
      'it holds 10001 saved results; the lab shows up to 10000',
    ],
    [
      'a run has 2,003 events',
      files.lesson(
        `${many(2000)} INSERT INTO agent_events SELECT 'run-T104', i + 9, 's', 'e', 'a', 'd', 't' FROM n`,
      ),
      'its run run-T104 has 2003 events; the lab shows up to 2000 of a run',
    ],
    [
      'the events of a run have 3 MB',
      files.lesson(
        `${many(300)} INSERT INTO agent_events SELECT 'run-T104', i + 9, 's', 'e', 'a', hex(zeroblob(5000)), 't' FROM n`,
      ),
      'the events of its run run-T104 hold more than 2 MB',
    ],
    [
      'a table is wider than SQLite reads with kinds',
      files.lesson(`CREATE TABLE wide (${Array.from({ length: 1001 }, (_, at) => `c${at}`).join()})`),
      'its table wide has more than 1000 columns',
    ],
    [
      'a table of its own has the name of one of ours',
      files.lesson('CREATE TABLE Lab (colour)'),
      'it has a table lab of another kind than the lab’s',
    ],
    [
      'a newer page made it',
      files.lesson(`${migrations} INSERT INTO schema_migrations VALUES (1), (2), (3)`),
      'it was made by a newer version of this page',
    ],
    [
      'it claims tables that it does not have',
      files.lesson(`${migrations} INSERT INTO schema_migrations VALUES (1)`),
      'it has no table agent_sessions',
    ],
    [
      'its list of migrations has a gap',
      files.lesson(`${migrations} INSERT INTO schema_migrations VALUES (-1), (1)`),
      'its table schema_migrations is not the one that this page makes',
    ],
  ])('when %s', (_, bytes, reason) => {
    // What SQLite itself adds may differ.
    expect(reasonFor(bytes).slice(0, reason.length)).toBe(reason);
  });

  test('when it is larger than the limit, in words', () => {
    expect(reasonFor(new Uint8Array(mostFileBytes + 1))).toBe('it is larger than 100 MB');
  });
});

describe('a schema that lies is refused with a reason', () => {
  const its = (name: string): string => `WHERE name = '${name}'`;
  const rootOf = (name: string): string => `(SELECT rootpage FROM sqlite_schema ${its(name)})`;
  const damagedList = /^its list of tables is damaged \(at /;
  const damaged = /^its inner structure is damaged \(/;

  test.each<[string, string, RegExp]>([
    ['a root page that is the schema’s own', `rootpage = 1 ${its('agent_runs')}`, damagedList],
    ['a root page beyond the file', `rootpage = 99999 ${its('agent_runs')}`, damagedList],
    ['a negative root page', `rootpage = -5 ${its('agent_runs')}`, damagedList],
    ['a root page that is a word', `rootpage = 'two' ${its('agent_runs')}`, damagedList],
    ['no root page', `rootpage = NULL ${its('agent_runs')}`, damagedList],
    ['the root page of nothing', `rootpage = 0 ${its('agent_runs')}`, damaged],
    ['the root page of another table', `rootpage = ${rootOf('agent_events')} ${its('agent_runs')}`, damaged],
    [
      'an index with the root page of a table',
      `rootpage = ${rootOf('agent_runs')} ${its('sqlite_autoindex_agent_runs_1')}`,
      damaged,
    ],
    [
      'another table’s name in its SQL',
      `sql = replace(sql, 'agent_runs', 'agent_ruin') ${its('agent_runs')}`,
      damagedList,
    ],
    ['another statement in its SQL', `sql = 'DROP TABLE agent_events' ${its('agent_runs')}`, damagedList],
    ['a query in its SQL', `sql = 'CREATE TABLE agent_runs AS SELECT 1' ${its('agent_runs')}`, damagedList],
    ['no SQL', `sql = NULL ${its('agent_runs')}`, damagedList],
    ['nonsense', `sql = 'CREATE nonsense' ${its('agent_runs')}`, damagedList],
    [
      'rows of another form',
      `sql = 'CREATE TABLE agent_runs (run_id TEXT PRIMARY KEY) WITHOUT ROWID' ${its('agent_runs')}`,
      damaged,
    ],
    ['a table that is said to be a view', `type = 'view' ${its('agent_runs')}`, damagedList],
    ['a table of an unknown type', `type = 'tables' ${its('agent_runs')}`, damagedList],
    [
      'other names of columns',
      `sql = replace(sql, 'ticket_id', 'tocket_id') ${its('agent_runs')}`,
      /no column ticket_id/,
    ],
    [
      'a table that is said to be virtual',
      `sql = 'CREATE VIRTUAL TABLE agent_runs USING fts4 (a)', rootpage = 0 ${its('agent_runs')}`,
      damagedList,
    ],
  ])('%s', (_, update, reason) => {
    expect(reasonFor(files.lesson(lie(update)))).toMatch(reason);
  });

  test('columns that change places show each value where the file says, or not at all', () => {
    const swapped = `sql = replace(replace(replace(sql, 'ticket_id', 'x'), 'status', 'ticket_id'), 'x TEXT', 'status TEXT') ${its('agent_runs')}`;
    const { report } = inspected(files.lesson(lie(swapped)));
    expect(report).toMatchObject({ runs: 2, notes: [{ type: 'declared-anew', names: ['agent_runs'] }] });
  });
});

test('after all of these the same SQLite still reads a good file', () => {
  expect(inspected(whole).report).toMatchObject({ runs: 2, events: 4, effects: 1, notes: [] });
});
