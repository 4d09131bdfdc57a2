/**
 * Owns: the good files that the fuzzer spoils: one of each kind that SQLite makes, with pages of each sort in them.
 */
import { lessonRows, lessonTables, type Bytes, type ForeignFiles } from '../support/foreign-files.ts';
import { patched } from '../support/foreign-files.ts';

const many = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** Enough rows for inner pages, texts that overflow theirs, and free pages. */
const grown = `
  ${many(40)} INSERT INTO agent_runs SELECT 'run-T101-' || (i + 1), 'T101', 'running', 'draft_reply',
    json_object('priority', 'normal', 'runbook', json_object('next_step', hex(zeroblob(i * 9)))), 2 FROM n;
  ${many(120)} INSERT INTO agent_events SELECT 'run-T101-' || (i % 40 + 2), i / 40 + 1, 'session-' || (i % 7), 'checkpoint_saved',
    'classify_priority', 'version ' || (i / 40 + 1), '2026-01-05T09:00:00Z' FROM n WHERE i < 120;
  ${many(40)} INSERT INTO tool_effects SELECT 'run-T101-' || (i + 1) || ':lookup_runbook', 'lookup_runbook',
    json_object('next_step', hex(zeroblob(i * 40))) FROM n;
  DELETE FROM tool_effects WHERE rowid % 5 = 0;`;

const further = `
  CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT DEFAULT 'none' CHECK (length(body) < 9000), twice AS (id * 2) STORED, anything);
  INSERT INTO notes (body, anything) VALUES ('one', 1.5), ('two', x'00ff'), (NULL, 9223372036854775807);
  CREATE TABLE pairs (a, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO pairs VALUES (1, 'x'), (2, 'y');
  CREATE UNIQUE INDEX seek ON notes (lower(body)) WHERE id > 1;
  CREATE VIEW seen AS SELECT run_id, (SELECT count(*) FROM agent_events) AS n FROM agent_runs;
  CREATE TRIGGER spy AFTER UPDATE ON agent_runs BEGIN DELETE FROM agent_events; END;
  CREATE TABLE counted (i INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO counted VALUES (9); ANALYZE;`;

const migrated = `
  CREATE TABLE agent_sessions (worker TEXT PRIMARY KEY, number INTEGER NOT NULL);
  CREATE TABLE effect_arguments (idempotency_key TEXT PRIMARY KEY, arguments_hash TEXT NOT NULL, FOREIGN KEY (idempotency_key) REFERENCES tool_effects(idempotency_key));
  CREATE TABLE run_details (run_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, workflow_version INTEGER NOT NULL, fingerprint TEXT NOT NULL, FOREIGN KEY (run_id) REFERENCES agent_runs(run_id));
  CREATE TABLE lab (id INTEGER PRIMARY KEY CHECK (id = 1), lab_id TEXT NOT NULL, undo_name TEXT, undo_runs INTEGER);
  CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY);
  INSERT INTO schema_migrations VALUES (1); INSERT INTO lab VALUES (1, 'abc', 'undo-x', 2);
  INSERT INTO agent_sessions VALUES ('w1', 1), ('w2', 2); INSERT INTO run_details (run_id, workflow, workflow_version, fingerprint)
    VALUES ('run-T104', 'triage', 1, 'other');
  INSERT INTO effect_arguments VALUES ('run-T104:lookup_runbook', 'hash');`;

/** By name, so that a case can be told. */
export function baseFiles(files: ForeignFiles): ReadonlyMap<string, Bytes> {
  return new Map<string, Bytes>([
    ['lesson', files.lesson()],
    ['migrated', files.lesson(migrated)],
    ['grown', files.lesson(grown)],
    ['grown, pages of 512', files.lesson(grown, 'PRAGMA page_size = 512;')],
    [
      'grown and vacuuming, pages of 1024',
      files.lesson(grown, 'PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL;'),
    ],
    [
      'incremental, pages of 512',
      files.lesson(grown, 'PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL;'),
    ],
    ['pages of 65536', files.lesson('', 'PRAGMA page_size = 65536;')],
    ['UTF-16le', files.lesson(grown, `PRAGMA page_size = 1024; PRAGMA encoding = 'UTF-16le';`)],
    ['UTF-16be', files.lesson(further, `PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16be';`)],
    ['further tables', files.lesson(further)],
    ['further tables, pages of 512', files.lesson(grown + further, 'PRAGMA page_size = 512;')],
    [
      'search',
      files.lesson(
        `CREATE VIRTUAL TABLE docs USING fts4 (body); INSERT INTO docs VALUES ('hello world'), ('two');`,
      ),
    ],
    ['reserved bytes', files.withReservedBytes(32)],
    ['write-ahead', patched(files.lesson(), (header) => header.setUint16(18, 0x0202))],
    [
      'strict, without row ids and keys',
      files.of(
        lessonTables
          .replace('version INTEGER NOT NULL\n)', 'version INTEGER NOT NULL\n) STRICT')
          .replace('result_json TEXT NOT NULL\n)', 'result_json TEXT NOT NULL\n) WITHOUT ROWID')
          .replace(/,\s+PRIMARY KEY \(run_id, sequence\)/, '') + lessonRows,
      ),
    ],
  ]);
}
