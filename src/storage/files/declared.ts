/**
 * Owns: what a database file declares: its tables and columns, and what stands there besides. Nothing that the file
 * declares is run or taken over: views, triggers, defaults, checks, generated columns and indexes stay behind.
 * Leaves: the rows to rows.ts.
 */
import type { SqlDatabase } from '../sqlite.ts';

export interface FileColumn {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  /** Place in the primary key, from 1; 0: not part of it. */
  readonly key: number;
  /** False: SQLite would compute it by a rule of the file. */
  readonly stored: boolean;
}

export interface FileTable {
  readonly name: string;
  readonly sql: string;
  /** It has an index that somebody declared. */
  readonly indexed: boolean;
  readonly columns: readonly FileColumn[];
}

/** What stays behind. */
export interface LeftOut {
  readonly what: 'trigger' | 'view' | 'virtual table';
  readonly name: string;
}

export interface FileSchema {
  readonly tables: readonly FileTable[];
  readonly leftOut: readonly LeftOut[];
}

/** Throws what SQLite says of a schema that it cannot read. */
export function readSchema(database: SqlDatabase): FileSchema {
  const entries = rows(database, 'SELECT type, name, tbl_name, sql FROM sqlite_schema');
  const indexed = new Set(
    entries.flatMap(([type, , table, sql]) => (type === 'index' && sql !== 'null' ? [table] : [])),
  );
  const tables: FileTable[] = [];
  const leftOut: LeftOut[] = [];
  for (const [type = '', name = '', , sql = ''] of entries) {
    if (type === 'trigger' || type === 'view') leftOut.push({ what: type, name });
    // SQLite's own: counters and statistics.
    if (type !== 'table' || /^sqlite_/i.test(name)) continue;
    if (/^\s*CREATE\s+VIRTUAL\b/i.test(sql)) leftOut.push({ what: 'virtual table', name });
    else tables.push({ name, sql, indexed: indexed.has(name), columns: columnsOf(database, name) });
  }
  return { tables, leftOut };
}

export function findTable(schema: FileSchema, name: string): FileTable | undefined {
  return schema.tables.find((table) => sameName(table.name, name));
}

/** SQLite takes names for the same whatever the case of their ASCII letters. */
export function sameName(one: string, other: string): boolean {
  const lower = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return lower(one) === lower(other);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Why rows of this table can't become rows of the lab's table of that name; null when they can. */
export function whyUnfit(schema: FileSchema, wanted: FileTable): string | null {
  const { name } = wanted;
  const table = findTable(schema, name);
  if (table === undefined) {
    const other = schema.leftOut.find((one) => sameName(one.name, name));
    return `it has no table ${name}${other ? ` (${name} is a ${other.what} there)` : ''}`;
  }
  for (const column of wanted.columns) {
    const found = table.columns.find((one) => sameName(one.name, column.name));
    if (found === undefined) return `its table ${name} has no column ${column.name}`;
    if (!found.stored) return `the column ${column.name} of its table ${name} is computed, not stored`;
  }
  const surplus = table.columns.find(
    (column) => column.stored && !wanted.columns.some((one) => sameName(one.name, column.name)),
  );
  return surplus
    ? `its table ${name} has a further column ${surplus.name}, for which the lab’s table has no place`
    : null;
}

/** A table that holds the same rows and has no rule but its key: every name and type is quoted. */
export function plainDeclaration(table: FileTable): string {
  const stored = table.columns.filter((column) => column.stored);
  const parts = stored.map(({ name, type }) => `${quoted(name)} ${type === '' ? '' : quoted(type)}`);
  const key = stored.filter((column) => column.key > 0).sort((a, b) => a.key - b.key);
  if (key.length > 0) parts.push(`PRIMARY KEY (${key.map(({ name }) => quoted(name)).join(', ')})`);
  return `CREATE TABLE ${quoted(table.name)} (${parts.join(', ')})`;
}

function columnsOf(database: SqlDatabase, table: string): FileColumn[] {
  return rows(database, `PRAGMA table_xinfo(${quoted(table)})`).map(
    ([, name = '', type = '', notNull, , key, hidden]) => ({
      name,
      type,
      notNull: notNull === '1',
      key: Number(key),
      stored: hidden === '0',
    }),
  );
}

export function rows(database: SqlDatabase, sql: string): string[][] {
  return (database.exec(sql)[0]?.values ?? []).map((row) => row.map((cell) => String(cell)));
}

/** The first value of the first row; empty when there is none. */
export function text(database: SqlDatabase, sql: string): string {
  return rows(database, sql)[0]?.[0] ?? '';
}
