import { describe, expect, test } from 'vitest';
import { limits } from '../../src/storage/files/limits.ts';
import { pageSize } from '../../src/storage/image-pages.ts';
import { lessonTables, patched, replaced, type Bytes } from '../support/foreign-files.ts';
import { files, inspected, reasonFor } from '../support/inspected.ts';
import { seededRandom } from '../support/random.ts';

const whole = files.lesson();
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
      'a table is wider than SQLite reads with kinds',
      files.lesson(`CREATE TABLE wide (${Array.from({ length: 1001 }, (_, at) => `c${at}`).join()})`),
      'its table wide has more than 1000 columns',
    ],
    [
      'it has more tables than can be read at each opening',
      files.lesson(Array.from({ length: 998 }, (_, at) => `CREATE TABLE t${at} (a);`).join('')),
      'it has more than 1000 tables',
    ],
    [
      'a table of its own has the name of one of ours',
      files.lesson('CREATE TABLE Lab (colour)'),
      'it has a table lab of another kind than the lab’s',
    ],
    [
      'a newer page made it',
      files.lesson(`${migrations} INSERT INTO schema_migrations VALUES (1), (2), (3), (4), (5)`),
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
    expect(reasonFor(new Uint8Array(limits.ours.bytes + 1))).toBe('it is larger than 128 MB');
  });
});

test('after all of these the same SQLite still reads a good file', () => {
  expect(inspected(whole).report).toMatchObject({ runs: 2, events: 4, effects: 1, notes: [] });
});
