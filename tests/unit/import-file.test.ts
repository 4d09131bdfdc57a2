import { describe, expect, test } from 'vitest';
import type { FileNote } from '../../src/storage/files/inspect-file.ts';
import { pageSize } from '../../src/storage/image-pages.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { testDatabase } from '../support/database.ts';
import { lessonRows, lessonTables, patched, type Bytes } from '../support/foreign-files.ts';
import { allRows, files, found, inspected } from '../support/inspected.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';
import { testSqlite } from '../support/sqlite.ts';

const held = { runs: 2, events: 4, effects: 1, unfinished: 1 };
const lessonContent = allRows(files.lesson());

describe('a file that opens', () => {
  test('with the three tables only is reported and can be put in place', async () => {
    const bytes = files.lesson();
    const { image, report } = inspected(bytes);
    expect(report).toEqual({ ...held, bytes: bytes.length, notes: [] });
    const database = await testDatabase();
    value(await database.replace('import', { bytes: image }));
    const stored = await database.read((reader) => ({
      runs: reader.all('SELECT run_id FROM agent_runs ORDER BY rowid'),
      check: reader.all('PRAGMA integrity_check'),
    }));
    expect(stored).toEqual({
      runs: [{ run_id: 'run-T101' }, { run_id: 'run-T104' }],
      check: [{ integrity_check: 'ok' }],
    });
  });

  test('keeps all its rows in an image of the stored form, and the given bytes stay as they are', () => {
    const bytes = files.lesson();
    const before = bytes.slice();
    const { image } = inspected(bytes);
    expect(allRows(image)).toEqual(lessonContent);
    expect(bytes).toEqual(before);
    expect(new DataView(image.buffer, image.byteOffset).getUint16(16)).toBe(pageSize);
  });

  test('may be our own image, downloaded, with what the further tables hold', async () => {
    const sqlite = await testSqlite();
    expect(inspected(freshImage(sqlite, seededRandom(1))).report).toMatchObject({ runs: 0, notes: [] });
    const first = inspected(files.lesson()).image;
    const ours = files.of(
      `INSERT INTO agent_sessions VALUES ('w', 7);
       INSERT INTO run_details (run_id, workflow, workflow_version, fingerprint) VALUES ('run-T104', 'triage', 1, 'f');
       INSERT INTO effect_arguments VALUES ('run-T104:lookup_runbook', 'h');`,
      first,
    );
    const { image, report } = inspected(ours);
    expect(report.notes).toEqual([]);
    for (const table of ['agent_sessions', 'run_details', 'effect_arguments']) {
      expect(found(image, `SELECT * FROM ${table}`)).toEqual(found(ours, `SELECT * FROM ${table}`));
    }
  });

  test.each<[string, Bytes, FileNote[]]>([
    ...[512, 1024, 2048, 8192, 16384, 32768, 65536].map((size): [string, Bytes, FileNote[]] => [
      `pages of ${size} bytes`,
      files.lesson('', `PRAGMA page_size = ${size};`),
      [],
    ]),
    ['text in UTF-16le', files.lesson('', `PRAGMA encoding = 'UTF-16le';`), [{ type: 'utf-16' }]],
    ['text in UTF-16be', files.lesson('', `PRAGMA encoding = 'UTF-16be';`), [{ type: 'utf-16' }]],
    ['bytes reserved on each page', files.withReservedBytes(32), []],
    ['vacuuming by itself', files.lesson('', 'PRAGMA auto_vacuum = FULL;'), []],
    [
      'incremental vacuuming and free pages',
      files.lesson(
        'CREATE TABLE big (b); INSERT INTO big VALUES (zeroblob(200000)); DROP TABLE big;',
        'PRAGMA auto_vacuum = INCREMENTAL;',
      ),
      [],
    ],
    [
      'write-ahead mode',
      patched(files.lesson(), (header) => header.setUint16(18, 0x0202)),
      [{ type: 'write-ahead' }],
    ],
    [
      'a write version of the future, which may be read',
      patched(files.lesson(), (header) => header.setUint8(18, 3)),
      [],
    ],
    [
      'a change counter that does not vouch for the number of pages',
      patched(files.lesson(), (header) => {
        header.setUint32(92, 77);
        header.setUint32(28, 9999);
      }),
      [],
    ],
    [
      'bytes behind its last page',
      new Uint8Array([...files.lesson(), ...new Uint8Array(700).fill(7)]) as Bytes,
      [],
    ],
    [
      'junk in the statistics of the query planner',
      files.lesson(`ANALYZE; UPDATE sqlite_stat1 SET stat = '99999999999999999999 -1 x', tbl = 'zz';`),
      [],
    ],
    [
      'a table that is STRICT',
      files.declaring('version INTEGER NOT NULL\n)', 'version INTEGER NOT NULL\n) STRICT'),
      [{ type: 'declared-anew', names: ['agent_runs'] }],
    ],
    [
      'a table WITHOUT ROWID',
      files.declaring('result_json TEXT NOT NULL\n)', 'result_json TEXT NOT NULL\n) WITHOUT ROWID'),
      [{ type: 'declared-anew', names: ['tool_effects'] }],
    ],
    [
      'no keys, where the rows are different all the same',
      files.of(
        lessonTables.replaceAll(' PRIMARY KEY', '').replace(/,\s+\(run_id, sequence\)/, '') + lessonRows,
      ),
      [{ type: 'declared-anew', names: ['agent_runs', 'agent_events', 'tool_effects'] }],
    ],
    [
      'names in other letters',
      files.declaring('agent_runs', 'AGENT_Runs'),
      [{ type: 'declared-anew', names: ['agent_runs', 'agent_events'] }],
    ],
  ])('may have %s', (_, bytes, notes) => {
    const { image, report } = inspected(bytes);
    expect(report).toEqual({ ...held, bytes: bytes.length, notes });
    expect(allRows(image)).toEqual(lessonContent);
    expect(found(image, 'PRAGMA encoding')).toEqual([['UTF-8']]);
    expect(found(image, 'PRAGMA integrity_check')).toEqual([['ok']]);
    expect(found(image, 'PRAGMA auto_vacuum')).toEqual([[0]]);
  });

  test('keeps its application_id and user_version', () => {
    const { image } = inspected(files.lesson('PRAGMA application_id = -7; PRAGMA user_version = 99;'));
    expect(found(image, 'PRAGMA application_id')).toEqual([[-7]]);
    expect(found(image, 'PRAGMA user_version')).toEqual([[99]]);
  });

  test('shows numbers as they are: gaps, negative and far ones', () => {
    const { image, report } = inspected(
      files.lesson(`UPDATE agent_events SET sequence = 77 WHERE run_id = 'run-T104' AND sequence = 2;
        UPDATE agent_runs SET version = -3 WHERE run_id = 'run-T104';
        UPDATE agent_runs SET version = 1000000000000000 WHERE run_id = 'run-T101';`),
    );
    expect(report).toMatchObject(held);
    expect(found(image, 'SELECT version FROM agent_runs')).toEqual([[1e15], [-3]]);
  });
});

describe('tables that the lab does not know', () => {
  const odd = `CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT DEFAULT (hex(randomblob(9))) CHECK (length(body) < 99),
      twice AS (id * 2), other REFERENCES agent_runs (status), anything);
    INSERT INTO notes (id, body, anything) VALUES (7, 'seven', 9223372036854775807), (9, 'nine', 3.0), (10, '', 1e999),
      (11, 'a' || char(0) || 'b', -9007199254740993), (12, CAST(x'ff41' AS TEXT), x'00ff'), (13, NULL, x''), (14, '5', 5);
    CREATE INDEX seek ON notes (length(body)) WHERE id > 8;`;
  const everything = `SELECT id, hex(body), typeof(body), typeof(anything), CAST(anything AS TEXT), hex(anything) FROM notes`;

  test.each([
    ['UTF-8', ''],
    ['UTF-16le', `PRAGMA encoding = 'UTF-16le';`],
  ])('come along with every value as it is, and without rules (%s)', (encoding, before) => {
    const bytes = files.lesson(odd, before);
    const { image, report } = inspected(bytes);
    expect(report.notes.filter(({ type }) => type !== 'utf-16')).toEqual([
      { type: 'further-tables', names: ['notes'] },
    ]);
    if (encoding === 'UTF-8') expect(found(image, everything)).toEqual(found(bytes, everything));
    const numbers = 'SELECT id, typeof(anything), CAST(anything AS TEXT) FROM notes WHERE id < 12';
    expect(found(image, numbers)).toEqual(found(bytes, numbers));
    expect(found(image, `SELECT sql FROM sqlite_schema WHERE name = 'notes'`)).toEqual([
      ['CREATE TABLE "notes" ("id" "INTEGER", "body" "TEXT", "other" , "anything" , PRIMARY KEY ("id"))'],
    ]);
    expect(found(image, `SELECT * FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`)).toEqual([]);
  });

  test('may have names and types that would be SQL if they were not quoted', () => {
    const name = 'a"; DROP TABLE agent_runs; --';
    const { image, report } = inspected(
      files.lesson(
        `CREATE TABLE "a""; DROP TABLE agent_runs; --" ("c"" d" "T) CHECK (1", "" TEXT, [x] "TEXT NOT NULL UNIQUE");
         INSERT INTO "a""; DROP TABLE agent_runs; --" VALUES (1, NULL, 'once'), (2, '', 'once')`,
      ),
    );
    expect(report.notes).toEqual([{ type: 'further-tables', names: [name] }]);
    expect(found(image, `SELECT * FROM "${name.replaceAll('"', '""')}"`)).toEqual([
      [1, null, 'once'],
      [2, '', 'once'],
    ]);
    expect(allRows(image)).toEqual(lessonContent);
  });

  test('SQLite’s own counters are not among them', () => {
    const { image, report } = inspected(
      files.lesson(`CREATE TABLE a (i INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO a VALUES (4);
        UPDATE sqlite_sequence SET seq = 'junk', name = x'00';`),
    );
    expect(report.notes).toEqual([{ type: 'further-tables', names: ['a'] }]);
    expect(found(image, `SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_seq%'`)).toEqual([]);
  });
});
