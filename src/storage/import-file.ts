/**
 * Owns: looking at a database file from elsewhere (the SQLite shell, Python, an earlier download) and bringing it to
 * the form that is stored here: pages of 4096 bytes, rollback journal, only tables that fit. It works on a copy and
 * never touches what is stored.
 * Leaves: the tables of ours that the file lacks to the commit that puts it in place (database.ts), and what those tables are to schema.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { pageSize } from './recorded-file.ts';
import { emptyImage } from './schema.ts';
import type { SqlDatabase, Sqlite } from './sqlite.ts';

/** What a file holds, for the person who is about to open it. */
export interface FileReport {
  readonly runs: number;
  readonly events: number;
  readonly effects: number;
  /** Size of the file as it was given. */
  readonly bytes: number;
  /** Runs that stand in the middle. */
  readonly unfinished: number;
}

export interface InspectedFile {
  /** The image in stored form, for `replace`. */
  readonly image: Uint8Array;
  readonly report: FileReport;
}

/** What another program must have made; the further tables are added when the file is put in place. */
const lessonTables: readonly string[] = ['agent_runs', 'agent_events', 'tool_effects'];
/** Larger files are not lessons; SQLite needs their size in memory several times. */
const mostBytes = 256 * 1024 * 1024;

/** Failure: FileRefused, with the reason in words for a person. */
export function inspectFile(sqlite: Sqlite, bytes: Uint8Array): Result<InspectedFile, StorageFailure> {
  const unreadable = whyUnreadable(bytes);
  if (unreadable !== null) return refused(unreadable);
  let database: SqlDatabase | null = null;
  try {
    database = sqlite.openScratch(withRollbackJournal(bytes));
    const reason = whyUnfit(sqlite, database);
    if (reason !== null) return refused(reason);
    const report = reportOf(database, bytes.length);
    database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA page_size = ${pageSize}; VACUUM`);
    return succeed({ image: database.export(), report });
  } catch (error) {
    return refused(`SQLite cannot read it: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    database?.close();
  }
}

function whyUnreadable(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'the file is empty';
  const magic = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  if (magic !== 'SQLite format 3\0') return 'it is not an SQLite database';
  if (bytes.length > mostBytes) return 'it is larger than 256 MB';
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 512) return 'it is cut off';
  const declared = header.getUint16(16) === 1 ? 65536 : header.getUint16(16);
  const pages = header.getUint32(28);
  if (declared < 512 || (declared & (declared - 1)) !== 0) return 'its page size is not one that SQLite has';
  if (bytes.length % declared !== 0 || (pages > 0 && pages * declared > bytes.length)) return 'it is cut off';
  if (header.getUint32(56) > 1) return 'its text is UTF-16; save it as UTF-8 first (PRAGMA encoding)';
  return null;
}

/**
 * A file in write-ahead mode says so in two bytes of its header; in memory there is no such mode. What was not yet
 * checkpointed lies in a file of its own, which a person may have left behind: nothing here can tell.
 */
function withRollbackJournal(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  if (copy[18] === 2) copy[18] = 1;
  if (copy[19] === 2) copy[19] = 1;
  return copy;
}

function whyUnfit(sqlite: Sqlite, database: SqlDatabase): string | null {
  const check = text(database, 'PRAGMA quick_check(1)');
  if (check !== 'ok') return `SQLite's check says: ${check}`;
  const acting = rows(database, `SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')`)[0];
  if (acting)
    return `it has a ${acting[0] ?? ''} named ${acting[1] ?? ''}, which could act on what is written here`;
  const virtual = rows(database, `SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'`)[0];
  if (virtual) return `it has a virtual table named ${virtual[0] ?? ''}`;
  const misfit = whyTablesUnfit(sqlite, database);
  if (misfit !== null) return misfit;
  const broken = rows(database, 'PRAGMA foreign_key_check')[0];
  return broken
    ? `a row of ${broken[0] ?? ''} points at a row of ${broken[2] ?? ''} that does not exist`
    : null;
}

/**
 * Columns by name, type, NOT NULL and key, compared with those of static/schema.sql; and the further tables, where
 * the file says that it has them.
 */
function whyTablesUnfit(sqlite: Sqlite, database: SqlDatabase): string | null {
  const ours = sqlite.openScratch(emptyImage(sqlite));
  try {
    const migrated = columnsOf(database, 'schema_migrations').length > 0;
    if (migrated) {
      const known = Number(text(ours, 'SELECT max(number) FROM schema_migrations'));
      const stored = Number(text(database, 'SELECT max(number) FROM schema_migrations'));
      if (stored > known) return 'it was made by a newer version of this page';
    }
    for (const table of rows(ours, `SELECT name FROM sqlite_schema WHERE type = 'table'`).flat()) {
      const wanted = columnsOf(ours, table);
      const columns = columnsOf(database, table);
      const needed = migrated || lessonTables.includes(table);
      if (!needed && columns.length > 0) return `it has a table ${table} of another kind`;
      const reason = needed ? whyTableUnfit(database, table, wanted, columns) : null;
      if (reason !== null) return reason;
    }
    return null;
  } finally {
    ours.close();
  }
}

function whyTableUnfit(
  database: SqlDatabase,
  table: string,
  wanted: readonly string[],
  columns: readonly string[],
): string | null {
  if (columns.length === 0) return `it has no table ${table}`;
  if (text(database, `SELECT wr FROM pragma_table_list('${table}')`) === '1') {
    return `its table ${table} is WITHOUT ROWID`;
  }
  const missing = wanted.find((column) => !columns.includes(column));
  if (missing !== undefined) return `its table ${table} has no column ${missing}`;
  const surplus = columns.find((column) => !wanted.includes(column));
  if (surplus !== undefined) return `its table ${table} has a further column ${surplus}`;
  // Rules that would refuse what is written here later. Our own further tables have some.
  if (!lessonTables.includes(table)) return null;
  const declared = text(database, `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`);
  const rule = /\b(CHECK|COLLATE|GENERATED|STRICT)\b/i.exec(withoutQuoted(declared))?.[1];
  if (rule !== undefined) return `its table ${table} has a rule of its own (${rule.toUpperCase()})`;
  const unfit = text(
    database,
    `SELECT list.name FROM pragma_index_list('${table}') AS list WHERE list.origin <> 'pk' AND (
       list."unique" OR list.partial OR
       EXISTS (SELECT 1 FROM pragma_index_xinfo(list.name) AS part WHERE part.cid = -2 OR part.coll <> 'BINARY'))`,
  );
  return unfit === '' ? null : `its table ${table} has an index with a rule of its own (${unfit})`;
}

/** A declaration without comments and quoted names, which may hold any word. */
function withoutQuoted(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|"[^"]*"|`[^`]*`|\[[^\]]*\]|'[^']*'/g, ' ');
}

function columnsOf(database: SqlDatabase, table: string): string[] {
  const found = rows(
    database,
    `SELECT name || ' ' || upper(type) || iif("notnull", ' NOT NULL', '') || iif(pk, ' (key ' || pk || ')', '')
       FROM pragma_table_info('${table}')`,
  );
  return found.map((row) => row[0] ?? '');
}

function reportOf(database: SqlDatabase, bytes: number): FileReport {
  const count = (sql: string): number => Number(text(database, sql));
  return {
    runs: count('SELECT count(*) FROM agent_runs'),
    events: count('SELECT count(*) FROM agent_events'),
    effects: count('SELECT count(*) FROM tool_effects'),
    bytes,
    unfinished: count(`SELECT count(*) FROM agent_runs WHERE status <> 'completed'`),
  };
}

function rows(database: SqlDatabase, sql: string): string[][] {
  return (database.exec(sql)[0]?.values ?? []).map((row) => row.map((cell) => String(cell)));
}

function text(database: SqlDatabase, sql: string): string {
  return rows(database, sql)[0]?.[0] ?? '';
}

function refused(reason: string): Result<never, StorageFailure> {
  return fail({ type: 'FileRefused', reason });
}
