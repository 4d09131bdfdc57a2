/**
 * Owns: which tables of a foreign file come along, and into which tables of ours: the lab's own are laid as this page
 * declares them, any further one is declared plainly, with its key and no rule. Nothing that the file declares comes
 * along, so nothing of it can act on what is written later.
 * Leaves: the rows themselves to rows.ts.
 */
import { noCrash } from '../../engine/crash.ts';
import { mostColumns, type Limits } from './limits.ts';
import { copyRows, Misfit, readerFor, watchRows } from './rows.ts';
import {
  findTable,
  plainDeclaration,
  quoted,
  readSchema,
  rows,
  sameName,
  text,
  whyUnfit,
  type FileSchema,
  type FileTable,
  type LeftOut,
} from './declared.ts';
import type { Random } from '../random.ts';
import { layTables, migrate, newestMigration } from '../schema.ts';
import type { SqlDatabase } from '../sqlite.ts';
import { Statements } from '../statements.ts';

/** What a person should know before the file is opened; nothing of it stands in the way. */
export type FileNote =
  /** What was not yet folded in lies in a file of its own. */
  | { readonly type: 'write-ahead' }
  | { readonly type: 'utf-16' }
  | { readonly type: 'left-out'; readonly what: LeftOut['what']; readonly names: readonly string[] }
  /** Tables of the lab's that the file declares in another way. */
  | { readonly type: 'declared-anew'; readonly names: readonly string[] }
  /** Tables that the lab does not know. */
  | { readonly type: 'further-tables'; readonly names: readonly string[] };

/** One of the lab's tables, as laid here and as the file has it. */
interface Pair {
  readonly wanted: FileTable;
  readonly table: FileTable;
}

const migrationsTable = 'schema_migrations';
/** Every image here has its own rows in them: the tables added so far, and which lab this is. */
const notTakenOver: readonly string[] = [migrationsTable, 'lab'];

/** Did this page make the file? Throws as `takeOver` does. */
export function isOurs(file: SqlDatabase, schema: FileSchema): boolean {
  return migrationsIn(file, schema) > 0;
}

/** Fills `target`, an empty database, with what `file` holds. Throws a Misfit, or what SQLite says. */
export function takeOver(
  file: SqlDatabase,
  schema: FileSchema,
  target: SqlDatabase,
  limits: Limits,
  random: Random,
): readonly FileNote[] {
  target.exec('PRAGMA journal_mode = MEMORY');
  layTables(target, random, migrationsIn(file, schema));
  const ours = readSchema(target).tables;
  const pairs = ours
    .filter(({ name }) => !notTakenOver.includes(name))
    .map((wanted) => ({ wanted, table: fitting(schema, wanted) }));
  const known = [migrationsTable, ...ours.map(({ name }) => name)];
  const further = schema.tables.filter(({ name }) => !known.some((one) => sameName(one, name)));
  for (const table of further) {
    assertNarrow(table);
    target.exec(plainDeclaration(table));
  }

  const encoding = text(file, 'PRAGMA encoding');
  const readText = readerFor(encoding);
  target.exec('BEGIN');
  for (const { wanted, table } of pairs) {
    copyRows(file, target, { ...table, name: wanted.name }, readText, watchRows(wanted, table, limits));
  }
  for (const table of further) copyRows(file, target, table, readText);
  migrate(new Statements(target, noCrash), random);
  target.exec('COMMIT');
  for (const name of ['application_id', 'user_version']) {
    target.exec(`PRAGMA ${name} = ${String(Number(text(file, `PRAGMA ${name}`)))}`);
  }
  return [...notesOn(schema, pairs, further), ...(encoding === 'UTF-8' ? [] : [{ type: 'utf-16' } as const])];
}

/** How many of this page's migrations the file has gone through; 0 for a file of another program. */
function migrationsIn(file: SqlDatabase, schema: FileSchema): number {
  const table = findTable(schema, migrationsTable);
  if (table === undefined) return 0;
  const isOurs = table.columns.length === 1 && table.columns[0]?.name === 'number' && table.columns[0].stored;
  const numbers = isOurs
    ? rows(file, `SELECT number FROM ${quoted(table.name)} NOT INDEXED LIMIT 1000`).map(([number]) =>
        Number(number),
      )
    : [];
  if (numbers.some((number) => number > newestMigration)) {
    throw new Misfit('it was made by a newer version of this page');
  }
  if (!isOurs || numbers.some((_, index) => !numbers.includes(index + 1))) {
    throw new Misfit(`its table ${migrationsTable} is not the one that this page makes`);
  }
  return numbers.length;
}

function fitting(schema: FileSchema, wanted: FileTable): FileTable {
  const reason = whyUnfit(schema, wanted);
  const table = findTable(schema, wanted.name);
  if (reason !== null || table === undefined) throw new Misfit(reason ?? `it has no table ${wanted.name}`);
  return table;
}

function assertNarrow({ name, columns }: FileTable): void {
  if (columns.length > mostColumns) {
    throw new Misfit(`its table ${name} has more than ${String(mostColumns)} columns`);
  }
}

function notesOn(
  schema: FileSchema,
  pairs: readonly Pair[],
  further: readonly FileTable[],
): readonly FileNote[] {
  const notes: FileNote[] = [];
  for (const what of ['trigger', 'view', 'virtual table'] as const) {
    const names = schema.leftOut.filter((one) => one.what === what).map(({ name }) => name);
    if (names.length > 0) notes.push({ type: 'left-out', what, names });
  }
  const anew = pairs.filter(({ wanted, table }) => table.indexed || declared(table) !== declared(wanted));
  if (anew.length > 0) notes.push({ type: 'declared-anew', names: anew.map(({ wanted }) => wanted.name) });
  if (further.length > 0) notes.push({ type: 'further-tables', names: further.map(({ name }) => name) });
  return notes;
}

/** A declaration, whatever its spaces. */
function declared({ sql }: FileTable): string {
  return sql
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim();
}
