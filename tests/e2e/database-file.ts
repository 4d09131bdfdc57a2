/**
 * Owns: a database file outside the page: read by an SQLite of the test's own, and made for the page to open.
 * It shares no code with the page, so it can contradict it.
 */
import { readFileSync } from 'node:fs';
import initSqlJs, { type Database, type SqlValue } from 'sql.js';
import type { EventRow } from './lab-page.ts';

const loaded = initSqlJs();
const schema = readFileSync(new URL('../../static/schema.sql', import.meta.url), 'utf8');

export type Row = Readonly<Record<string, SqlValue>>;

export class DatabaseFile {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async read(bytes: Uint8Array): Promise<DatabaseFile> {
    const sql = await loaded;
    return new DatabaseFile(new sql.Database(bytes));
  }

  /** A file as another program makes it: the three tables and these rows. */
  static async make(fill: (database: Database) => void, tables: string = schema): Promise<Buffer> {
    const sql = await loaded;
    const database = new sql.Database();
    database.exec(tables);
    fill(database);
    const bytes = Buffer.from(database.export());
    database.close();
    return bytes;
  }

  /** Gives its memory back. */
  close(): void {
    this.#database.close();
  }

  rows(query: string, values: SqlValue[] = []): readonly Row[] {
    const statement = this.#database.prepare(query, values);
    const found: Row[] = [];
    while (statement.step()) found.push(statement.getAsObject());
    statement.free();
    return found;
  }

  events(runId: string): readonly EventRow[] {
    return this.rows('SELECT * FROM agent_events WHERE run_id = ? ORDER BY sequence', [runId]).map((row) => ({
      sequence: Number(row['sequence']),
      session: String(row['session']),
      eventType: String(row['event_type']),
      action: String(row['action']),
      detail: String(row['detail']),
    }));
  }

  /** What is wrong with the file, whoever made it: none of these may ever find anything. */
  problems(): readonly Row[] {
    return [
      ...this.rows(
        `SELECT integrity_check AS damaged FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
      ),
      ...this.rows('SELECT "table" AS points_nowhere, rowid FROM pragma_foreign_key_check'),
      ...this.rows(
        `SELECT run_id AS version_differs, version FROM agent_runs
         WHERE version <> (SELECT count(*) FROM agent_events AS e
                           WHERE e.run_id = agent_runs.run_id AND event_type = 'checkpoint_saved')`,
      ),
      ...this.rows(
        `SELECT run_id AS has_gaps FROM agent_events GROUP BY run_id
         HAVING min(sequence) <> 1 OR max(sequence) <> count(*)`,
      ),
      ...this.rows(
        `SELECT run_id AS checkpoint_twice, detail FROM agent_events WHERE event_type = 'checkpoint_saved'
         GROUP BY run_id, detail HAVING count(*) > 1`,
      ),
      ...this.rows(
        `SELECT detail AS result_missing FROM agent_events WHERE event_type IN ('tool_executed', 'tool_reused')
         AND detail NOT IN (SELECT idempotency_key FROM tool_effects)`,
      ),
      ...this.rows(
        `SELECT idempotency_key AS recorded_without_one_reason FROM tool_effects
         WHERE (SELECT count(*) FROM agent_events
                WHERE (event_type = 'tool_executed' AND detail = idempotency_key)
                   OR (event_type = 'approval_denied' AND detail = idempotency_key || '?')
                   OR (event_type = 'doubt_resolved' AND detail IN (
                         idempotency_key || ': go on without a result',
                         idempotency_key || ': the result was entered'))) <> 1`,
      ),
    ];
  }
}
