/**
 * Owns: running a person's SQL on a copy of the lab's database, in memory: nothing that it does is kept.
 * Leaves: stopping what takes too long to console-client.ts, which ends the worker; writing for real to console-write.ts.
 * Invariant: each text runs on the copy as it was read, whatever ran before.
 */
import type { SqlDatabase, Sqlite } from '../storage/sqlite.ts';
import type { Cell, SchemaTable, SqlAnswer, SqlProblem, StatementResult } from './console-answer.ts';
import { placeOf } from './console-place.ts';
import { onlyAsks, statementsOf } from './console-sql.ts';

/** What is sent to the page of one statement: more is no reading. */
const mostRows = 20_000;
const mostCharacters = 20_000_000;

/** What such a statement leaves behind outlives the copy: files in the worker's memory. */
const leaving = ['ATTACH', 'VACUUM'];

/** Runs all statements in their order, up to the first that fails. Never throws for what the SQL does. */
export function readSql(sqlite: Sqlite, image: Uint8Array, sql: string): SqlAnswer {
  return onCopy(sqlite, image, (database) => runAll(database, sql));
}

/** The copy as it is after these statements, in one transaction; null: they came to a problem, or changed nothing. */
export function trySql(
  sqlite: Sqlite,
  image: Uint8Array,
  sql: string,
): { readonly answer: SqlAnswer; readonly image: Uint8Array | null } {
  return onCopy(sqlite, image, (database) => {
    database.exec('BEGIN IMMEDIATE');
    const answer = runAll(database, sql);
    if (answer.problem !== null || answer.results.every(({ changed }) => changed === 0)) {
      return { answer, image: null };
    }
    database.exec('COMMIT');
    return { answer, image: database.export() };
  });
}

/** Tables and columns, asked from the database itself. */
export function schemaOf(sqlite: Sqlite, image: Uint8Array): readonly SchemaTable[] {
  return onCopy(sqlite, image, (database) => {
    const names = valuesOf(database, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid`);
    return names.map(([name]) => {
      const table = String(name);
      const columns = valuesOf(database, 'SELECT name, type, pk FROM pragma_table_info(?)', [table]);
      const count = valuesOf(database, `SELECT count(*) FROM "${table.replaceAll('"', '""')}"`)[0];
      return {
        name: table,
        rows: Number(count?.[0]),
        columns: columns.map(([column, type, key]) => ({
          name: String(column),
          type: String(type),
          isKey: Number(key) > 0,
        })),
      };
    });
  });
}

function onCopy<T>(sqlite: Sqlite, image: Uint8Array, work: (database: SqlDatabase) => T): T {
  const database = sqlite.openScratch(image);
  try {
    database.exec('PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY');
    return work(database);
  } finally {
    closeAny(database);
  }
}

function runAll(database: SqlDatabase, sql: string): SqlAnswer {
  const results: StatementResult[] = [];
  const worn = statementsOf(sql).some(({ word }) => leaving.includes(word));
  if (sql.includes('\0'))
    return { results, worn, problem: atStart(0, 'the text holds a zero byte, where SQL ends') };
  const statements = database.iterateStatements(sql);
  let start = 0;
  try {
    for (;;) {
      start = sql.length - statements.getRemainingSQL().length;
      const next = statements.next();
      if (next.done) return { results, worn, problem: null };
      results.push(resultOf(database, next.value));
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const outOfMemory =
      message === 'out of memory' || !(error instanceof Error) || error instanceof RangeError;
    const first = statementsOf(sql.slice(start))[0];
    const statementStart = start + (first?.start ?? 0);
    const place = outOfMemory
      ? null
      : placeOf(sql, statementStart, message, (text) => whyNotPrepared(database, text));
    return { results, worn: worn || outOfMemory, problem: { message, place, statementStart } };
  }
}

function atStart(statementStart: number, message: string): SqlProblem {
  return { message, place: null, statementStart };
}

type Statement = ReturnType<SqlDatabase['prepare']>;

function resultOf(database: SqlDatabase, statement: Statement): StatementResult {
  const before = totalChanges(database);
  const columns = statement.getColumnNames();
  const rows: Cell[][] = [];
  let [characters, more] = [0, false];
  while (statement.step()) {
    // What is left of a statement that changes rows still has to be done.
    if (more) continue;
    if (rows.length >= mostRows || characters >= mostCharacters) {
      more = true;
      if (onlyAsks(statement.getSQL())) break;
      continue;
    }
    const row = cellsOf(statement);
    for (const cell of row) if (typeof cell === 'string') characters += cell.length;
    rows.push(row);
  }
  const sql = statement.getSQL().trim();
  statement.reset();
  return { sql, columns, rows, more, changed: totalChanges(database) - before };
}

/** sql.js gives whole numbers exactly when it is asked so; its types do not know. */
function cellsOf(statement: Statement): Cell[] {
  const exact = statement as unknown as {
    get(
      parameters: null,
      how: { readonly useBigInt: true },
    ): (string | number | bigint | Uint8Array | null)[];
  };
  return exact.get(null, { useBigInt: true }).map((value): Cell => {
    if (value instanceof Uint8Array) return { type: 'blob', bytes: value.length };
    if (typeof value === 'bigint') {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : { type: 'number', digits: String(value) };
    }
    // A fraction that is whole is told from a whole number, as SQLite's own shell does.
    if (typeof value === 'number' && Number.isInteger(value)) {
      return { type: 'number', digits: Number.isSafeInteger(value) ? value.toFixed(1) : String(value) };
    }
    return typeof value === 'number' && !Number.isFinite(value)
      ? { type: 'number', digits: value > 0 ? 'Inf' : '-Inf' }
      : value;
  });
}

function totalChanges(database: SqlDatabase): number {
  return Number(valuesOf(database, 'SELECT total_changes()')[0]?.[0]);
}

function whyNotPrepared(database: SqlDatabase, sql: string): string | null {
  try {
    database.prepare(sql).free();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function valuesOf(
  database: SqlDatabase,
  sql: string,
  parameters: readonly string[] = [],
): readonly unknown[][] {
  return database.exec(sql, [...parameters])[0]?.values ?? [];
}

/** SQLite that was hurt by a query may fail here again; its memory goes with the worker. */
function closeAny(database: SqlDatabase): void {
  try {
    database.close();
  } catch {
    // The answer says so (`worn`) where it matters.
  }
}
