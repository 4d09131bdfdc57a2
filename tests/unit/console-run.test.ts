import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSql, schemaOf, trySql } from '../../src/bridge/console-run.ts';
import { literal, statementsOf, whyNotWritten, withValues } from '../../src/bridge/console-sql.ts';
import { sameBytes } from '../../src/storage/recorder-check.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { seededRandom } from '../support/random.ts';
import { testSqlite } from '../support/sqlite.ts';

const sqlite = await testSqlite();
const image = freshImage(sqlite, seededRandom(1));
const before = image.slice();
const read = (sql: string) => readSql(sqlite, image, sql);
const rowsOf = (sql: string) => read(sql).results.map(({ rows }) => rows);

describe('a query on the copy', () => {
  test('gives the rows of each statement in turn, each value with its kind', () => {
    const { results, problem } = read(`SELECT 1 AS one, 'text' AS t, NULL AS n;
      -- a remark; with a semicolon
      SELECT x'0001' AS bytes, 9007199254740993 AS large, 2.0 AS whole, 0.5 AS half;`);
    expect(problem).toBeNull();
    expect(results.map(({ columns }) => columns)).toEqual([
      ['one', 't', 'n'],
      ['bytes', 'large', 'whole', 'half'],
    ]);
    expect(results[0]?.rows).toEqual([[1, 'text', null]]);
    expect(results[1]?.rows).toEqual([
      [
        { type: 'blob', bytes: 2 },
        { type: 'number', digits: '9007199254740993' },
        { type: 'number', digits: '2.0' },
        0.5,
      ],
    ]);
  });

  test('changes neither the bytes of the copy nor what the next query sees, whatever it does', () => {
    for (const sql of [
      'DELETE FROM lab; SELECT count(*) FROM lab',
      'DROP TABLE agent_runs',
      'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)',
      'PRAGMA user_version = 7; PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; DELETE FROM sqlite_schema',
      `ATTACH 'other.db' AS other; CREATE TABLE other.kept (a)`,
      `VACUUM INTO 'left.db'`,
      'BEGIN; DELETE FROM schema_migrations',
    ]) {
      read(sql);
      expect(sameBytes(image, before), sql).toBe(true);
      expect(rowsOf('SELECT count(*) FROM lab'), sql).toEqual([[[1]]]);
      expect(rowsOf('PRAGMA user_version; SELECT count(*) FROM schema_migrations')[0], sql).toEqual([[0]]);
    }
  });

  test('that leaves files in the worker’s memory says that the worker is not to be used again', () => {
    expect(read(`ATTACH 'other.db' AS other`).worn).toBe(true);
    expect(read('SELECT 1').worn).toBe(false);
  });

  test('with more rows than a person reads ends early, and says so', () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
    const [some] = read(endless).results;
    expect(some?.rows).toHaveLength(20_000);
    expect(some?.more).toBe(true);
  });

  test('keeps what ran before a problem, and tells how many rows changed in the copy', () => {
    const { results, problem } = read(`UPDATE lab SET undo_runs = 1; SELECT nope FROM lab; SELECT 2`);
    expect(results.map(({ changed }) => changed)).toEqual([1]);
    expect(problem?.message).toBe('no such column: nope');
  });
});

describe('a problem is told in SQLite’s words, and marked where it stands', () => {
  test.each([
    ['SELECT FROM agent_runs', 'near "FROM": syntax error', 'FROM', 7],
    ['SELECT 1;\nSELEC 2', 'near "SELEC": syntax error', 'SELEC', 10],
    // Not the first comma, the one that is wrong.
    ['SELECT 1, 2, FROM lab', 'near "FROM": syntax error', 'FROM', 13],
    ['SELECT (1, 2) , , 3', 'near ",": syntax error', ',', 16],
    ['SELECT nope FROM lab', 'no such column: nope', 'nope', 7],
    ['SELECT undo_name, l.nope FROM lab AS l', 'no such column: l.nope', 'nope', 20],
    ['SELECT * FROM agent_run', 'no such table: agent_run', 'agent_run', 14],
    ["SELECT nope('nope') FROM lab", 'no such function: nope', 'nope', 7],
    ['SELECT * FROM lab WHERE', 'incomplete input', 'WHERE', 18],
    ["SELECT 'open", 'unrecognized token: "\'open"', "'open", 7],
    ['INSERT INTO lab (id, nope) VALUES (1, 2)', 'table lab has no column named nope', 'nope', 21],
    ['SELECT id FROM lab AS a, lab AS b', 'ambiguous column name: id', 'id', 7],
    ['SELECT 1 FROM lab WHERE count(*) > 1', 'misuse of aggregate function count()', 'count', 24],
  ])('%s', (sql, message, word, start) => {
    const { problem } = read(sql);
    expect(problem?.message).toBe(message);
    expect(problem?.place).toEqual({ start, length: word.length });
    expect(sql.slice(start, start + word.length)).toBe(word);
  });

  test('a rule that a row breaks has no place in the text, and its statement has', () => {
    const { problem } = read('SELECT 1;\n INSERT INTO lab (id, lab_id) VALUES (1, 2)');
    expect(problem).toEqual({ message: 'UNIQUE constraint failed: lab.id', place: null, statementStart: 11 });
  });
});

test('what is tried gives the image as it would be; what changes nothing, or fails, gives none', () => {
  const tried = trySql(sqlite, image, `UPDATE lab SET undo_name = 'x'`);
  expect(tried.image).not.toBeNull();
  expect(readSql(sqlite, tried.image ?? image, 'SELECT undo_name FROM lab').results[0]?.rows).toEqual([
    ['x'],
  ]);
  expect(trySql(sqlite, image, 'SELECT 1').image).toBeNull();
  expect(trySql(sqlite, image, `UPDATE lab SET undo_name = 'x'; SELECT nope`).image).toBeNull();
  expect(sameBytes(image, before)).toBe(true);
});

test('the schema is the database’s own, with keys and numbers of rows', () => {
  const tables = schemaOf(sqlite, image);
  const runs = tables.find(({ name }) => name === 'agent_runs');
  expect(runs?.rows).toBe(0);
  expect(runs?.columns.map(({ name, isKey }) => `${name}${isKey ? '*' : ''}`)).toEqual([
    'run_id*',
    'ticket_id',
    'status',
    'next_action',
    'context_json',
    'version',
  ]);
  expect(tables.find(({ name }) => name === 'lab')?.rows).toBe(1);
});

describe('statements as text', () => {
  test('are split where SQLite splits them', () => {
    const pieces = fc.constantFrom(
      ...['SELECT 1', ';', "';'", '"a;b"', '`;`', '[;]', '-- ;\n', '/* ; */', ' ', '\n', "''", 'AS x', 'x'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const sql = parts.join(' ');
        const { results, problem } = read(sql);
        if (problem !== null) return;
        expect(statementsOf(sql).map((one) => one.sql)).toEqual(
          results.map((one) => statementsOf(one.sql)[0]?.sql),
        );
      }),
    );
  });

  test.each([
    ['SELECT 1; UPDATE lab SET undo_runs = 0', null],
    ["INSERT INTO lab VALUES (2, 'a; DROP TABLE lab', NULL, NULL)", null],
    ['with x as (select 1) delete from lab', null],
    ['/* DROP */ DROP TABLE lab', 'DROP is not allowed: it would change the schema'],
    ['SELECT 1; PRAGMA foreign_keys = OFF', 'PRAGMA is not allowed'],
    ['COMMIT; DELETE FROM lab', 'COMMIT is not allowed: everything that you run here is one transaction'],
    ["ATTACH 'x' AS x", 'ATTACH is not allowed'],
    ['VACUUM', 'VACUUM is not allowed'],
    ['UPDATE lab SET undo_runs = ?1', 'nothing is bound to the parameter ?1'],
    ['UPDATE lab SET undo_runs = $a(;DROP TABLE lab)', 'nothing is bound to the parameter $a'],
    ['UPDATE lab SET undo_runs = random()', 'random gives another value each time'],
    ['UPDATE lab SET undo_runs = "RandomBlob" (9)', '"RandomBlob" gives another value each time'],
    ["UPDATE lab SET undo_name = 'random'", null],
    ['EXPLODE', 'only SELECT, INSERT, UPDATE and DELETE are'],
  ])('%s may be written: %s', (sql, reason) => {
    if (reason === null) expect(whyNotWritten(sql)).toBeNull();
    else expect(whyNotWritten(sql)).toContain(reason);
  });

  test.each(["'", '"', '`'])('a value of twelve million characters between %s is one token', (quote) => {
    const sql = `${quote}${'a'.repeat(6_000_000)}${quote}${quote}${'b'.repeat(6_000_000)}${quote}`;
    expect(statementsOf(`SELECT ${sql}; SELECT 2`).map(({ sql: text }) => text.length)).toEqual([
      12_000_011, 8,
    ]);
  });

  test('values in the place of parameters mean the values, whatever they hold', () => {
    const odd = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.uint8Array());
    fc.assert(
      fc.property(odd, (value) => {
        if (typeof value === 'string' && value.includes('\0')) return;
        const sql = withValues(`SELECT ?1 IS ?1, '?1', typeof(?1), ${literal('?1')}`, [value]);
        const type = { string: 'text', number: 'integer', object: value === null ? 'null' : 'blob' };
        const said = type[typeof value as keyof typeof type];
        expect(rowsOf(sql)).toEqual([[[1, '?1', said, '?1']]]);
      }),
    );
  });
});
