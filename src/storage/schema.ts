/**
 * Owns: the tables. The lesson's three come from static/schema.sql to the letter and never gain a column; whatever
 * else the product keeps stands in further tables, added by numbered migrations.
 * A migration that was published is never edited: add the next one.
 */
import schemaSql from '../../static/schema.sql?raw';
import { noCrash } from '../engine/crash.ts';
import type { Reader, Transaction } from '../engine/ports.ts';
import { pageSize } from './image-pages.ts';
import { randomId, type Random } from './random.ts';
import type { SqlDatabase, Sqlite } from './sqlite.ts';
import { Statements } from './statements.ts';

type Migrate = (transaction: Transaction, random: Random) => void;

/** In order; the number is the place, from 1. */
const migrations: readonly Migrate[] = [
  (transaction, random) => {
    transaction.run('CREATE TABLE agent_sessions (worker TEXT PRIMARY KEY, number INTEGER NOT NULL)');
    transaction.run(
      `CREATE TABLE effect_arguments (
         idempotency_key TEXT PRIMARY KEY,
         arguments_hash TEXT NOT NULL,
         FOREIGN KEY (idempotency_key) REFERENCES tool_effects(idempotency_key)
       )`,
    );
    transaction.run(
      `CREATE TABLE run_details (
         run_id TEXT PRIMARY KEY,
         workflow TEXT NOT NULL,
         workflow_version INTEGER NOT NULL,
         fingerprint TEXT NOT NULL,
         FOREIGN KEY (run_id) REFERENCES agent_runs(run_id)
       )`,
    );
    // `undo_name`: the kept image that this one replaced; `undo_runs`: how many runs stood here right then.
    transaction.run(
      `CREATE TABLE lab (
         id INTEGER PRIMARY KEY CHECK (id = 1),
         lab_id TEXT NOT NULL,
         undo_name TEXT,
         undo_runs INTEGER
       )`,
    );
    transaction.run('INSERT INTO lab (id, lab_id) VALUES (1, ?)', [randomId(random)]);
  },
  (transaction) => {
    transaction.run('ALTER TABLE run_details ADD COLUMN started_at_utc TEXT');
    transaction.run('ALTER TABLE run_details ADD COLUMN parent_run_id TEXT');
    transaction.run('ALTER TABLE run_details ADD COLUMN parent_version INTEGER');
    // `removed_json` null: `changes_json` is the whole context. Else what changed since the version before.
    transaction.run(
      `CREATE TABLE agent_checkpoints (
         run_id TEXT NOT NULL,
         version INTEGER NOT NULL,
         status TEXT NOT NULL,
         next_action TEXT,
         changes_json TEXT NOT NULL,
         removed_json TEXT,
         saved_at_utc TEXT,
         PRIMARY KEY (run_id, version),
         FOREIGN KEY (run_id) REFERENCES agent_runs(run_id)
       )`,
    );
    transaction.run(
      `INSERT INTO agent_checkpoints (run_id, version, status, next_action, changes_json)
       SELECT run_id, version, status, next_action, context_json FROM agent_runs`,
    );
    transaction.run(
      `CREATE TABLE run_budgets (
         run_id TEXT NOT NULL,
         resource TEXT NOT NULL,
         used INTEGER NOT NULL,
         allowed INTEGER NOT NULL,
         PRIMARY KEY (run_id, resource),
         FOREIGN KEY (run_id) REFERENCES agent_runs(run_id)
       )`,
    );
    transaction.run(
      `CREATE TABLE tool_intents (
         idempotency_key TEXT PRIMARY KEY,
         run_id TEXT NOT NULL,
         action TEXT NOT NULL,
         tool_name TEXT NOT NULL,
         safety TEXT NOT NULL,
         arguments_json TEXT NOT NULL,
         arguments_hash TEXT NOT NULL,
         destination TEXT,
         scope TEXT NOT NULL,
         state TEXT NOT NULL,
         failures INTEGER NOT NULL,
         next_attempt_at_utc TEXT,
         created_at_utc TEXT NOT NULL,
         FOREIGN KEY (run_id) REFERENCES agent_runs(run_id)
       )`,
    );
    // A row a claim; `fence` counts them. `outcome` null: open.
    transaction.run(
      `CREATE TABLE tool_attempts (
         idempotency_key TEXT NOT NULL,
         fence INTEGER NOT NULL,
         worker TEXT NOT NULL,
         session TEXT NOT NULL,
         claimed_at_utc TEXT NOT NULL,
         lease_until_utc TEXT NOT NULL,
         outcome TEXT,
         detail TEXT,
         PRIMARY KEY (idempotency_key, fence),
         FOREIGN KEY (idempotency_key) REFERENCES tool_intents(idempotency_key)
       )`,
    );
    transaction.run(
      `CREATE TABLE approvals (
         approval_id TEXT PRIMARY KEY,
         idempotency_key TEXT NOT NULL,
         run_id TEXT NOT NULL,
         arguments_hash TEXT NOT NULL,
         reason TEXT NOT NULL,
         state TEXT NOT NULL,
         requested_at_utc TEXT NOT NULL,
         decided_at_utc TEXT,
         session TEXT,
         FOREIGN KEY (idempotency_key) REFERENCES tool_intents(idempotency_key)
       )`,
    );
    // The highest number among the ticket's deleted runs: their names do not come again.
    transaction.run('CREATE TABLE run_numbers (ticket_id TEXT PRIMARY KEY, number INTEGER NOT NULL)');
  },
  (transaction) => {
    // Runs whose rows a person has changed by hand, past the engine. No foreign key: it would stand in that person's way.
    transaction.run('CREATE TABLE touched_runs (run_id TEXT PRIMARY KEY, touched_at_utc TEXT NOT NULL)');
  },
  (transaction) => {
    // The revision stands in the document, too; here it is bound when a save is compared with it.
    transaction.run(
      `CREATE TABLE threads (
         thread_id TEXT PRIMARY KEY,
         revision INTEGER NOT NULL,
         document_json TEXT NOT NULL
       )`,
    );
    // The last revision of a deleted thread: it does not come again.
    transaction.run('CREATE TABLE thread_tombstones (thread_id TEXT PRIMARY KEY, revision INTEGER NOT NULL)');
    // Documents that can't be read, as they were found.
    transaction.run(
      `CREATE TABLE quarantined_threads (
         number INTEGER PRIMARY KEY,
         thread_id TEXT NOT NULL,
         document_json TEXT NOT NULL
       )`,
    );
  },
];

/** The newest migration that this page knows. */
export const newestMigration = migrations.length;

/** Numbers of the migrations that this image has. */
export function migrationsOf(reader: Reader): readonly number[] {
  const table = reader.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'`);
  return table ? reader.all('SELECT number FROM schema_migrations').map((row) => Number(row['number'])) : [];
}

/** Numbers of the migrations that this image lacks. */
export function missingMigrations(reader: Reader): readonly number[] {
  const done = migrationsOf(reader);
  return migrations.map((_, index) => index + 1).filter((number) => !done.includes(number));
}

/** Adds the further tables that are missing, up to this migration. Adds nothing to an image that has them. */
export function migrate(transaction: Transaction, random: Random, upTo = newestMigration): void {
  const missing = missingMigrations(transaction).filter((number) => number <= upTo);
  if (missing.length === 0) return;
  transaction.run('CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY)');
  for (const number of missing) {
    migrations[number - 1]?.(transaction, random);
    transaction.run('INSERT INTO schema_migrations (number) VALUES (?)', [number]);
  }
}

/** Lays the tables of an empty lab in an empty database, as they were after this migration. */
export function layTables(database: SqlDatabase, random: Random, upTo = newestMigration): void {
  database.exec(`PRAGMA page_size = ${pageSize}`);
  database.exec(schemaSql);
  migrate(new Statements(database, noCrash), random, upTo);
}

/** The image of an empty lab: all tables, no runs, session numbers from 1, a lab id of its own. */
export function freshImage(sqlite: Sqlite, random: Random): Uint8Array {
  const database = sqlite.openScratch(null);
  try {
    layTables(database, random);
    return database.export();
  } finally {
    database.close();
  }
}

/** As `freshImage`, to compare with: its lab id is no draw. */
export function emptyImage(sqlite: Sqlite): Uint8Array {
  return freshImage(sqlite, { bytes: (count) => new Uint8Array(count) });
}
