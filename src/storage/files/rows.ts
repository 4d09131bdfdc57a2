/**
 * Owns: taking the rows of one table over into a table of ours, value by value: each with the kind it is stored
 * with, and text byte for byte (UTF-16 as UTF-8).
 * Leaves: which tables to take-over.ts; what values are welcome to values.ts.
 *
 * Rows are read by a plain scan, without indexes, and written by a plain INSERT: no declaration of the file takes part.
 */
import { inMegabytes, type Limits } from './limits.ts';
import { quoted, sameName, type FileTable } from './declared.ts';
import { whyUnshowable, type Cell } from './values.ts';
import type { SqlDatabase } from '../sqlite.ts';

type Statement = ReturnType<SqlDatabase['prepare']>;

/** Tells the bytes of a text of the file as UTF-8. */
export type TextReader = (bytes: Uint8Array) => Uint8Array;

/** Copies all rows; `row` sees each before it is written. Throws what SQLite says of reading or writing them. */
export function copyRows(
  from: SqlDatabase,
  to: SqlDatabase,
  table: FileTable,
  readText: TextReader,
  row: (cells: readonly Cell[]) => void = () => undefined,
): void {
  const columns = table.columns.filter((column) => column.stored).map(({ name }) => quoted(name));
  const read = from.prepare(
    `SELECT concat(${columns.map((name) => `substr(typeof(${name}), 1, 1)`).join(', ')}), ${columns.map(readExactly).join(', ')}
       FROM ${quoted(table.name)} NOT INDEXED`,
  );
  /** One for each combination of kinds that occurs, and few of them at a time. */
  const writes = new Map<string, Statement>();
  const writing = (kinds: string): Statement => {
    const known = writes.get(kinds);
    if (known) return known;
    if (writes.size >= mostPrepared) freeAll(writes);
    const made = to.prepare(
      `INSERT INTO ${quoted(table.name)} (${columns.join(', ')}) VALUES (${[...kinds].map(writtenAs).join(', ')})`,
    );
    writes.set(kinds, made);
    return made;
  };
  try {
    while (read.step()) {
      const [kinds, ...values] = read.get();
      const cells = values.map((value, index) => cellOf(String(kinds)[index], value, readText));
      row(cells);
      writing(String(kinds)).run(cells.map(({ value }) => value));
    }
  } finally {
    read.free();
    freeAll(writes);
  }
}

/** Watches the rows of one of the lab's tables: the first value that does not fit ends it, thrown as a Misfit. */
export function watchRows(
  wanted: FileTable,
  order: FileTable,
  { textOfTable }: Limits,
): (cells: readonly Cell[]) => void {
  const columns = order.columns
    .filter((column) => column.stored)
    .map(({ name }) => wanted.columns.find((one) => sameName(one.name, name)));
  let [rows, bytes] = [0, 0];
  return (cells) => {
    rows += 1;
    for (const [index, cell] of cells.entries()) {
      const column = columns[index];
      if (column === undefined) continue;
      const reason = whyUnshowable(cell, column);
      if (reason !== null) {
        throw new Misfit(
          `in row ${String(rows)} of its table ${wanted.name}, ${column.name} holds ${reason}`,
        );
      }
      if (cell.kind === 'text') bytes += cell.value.length;
    }
    if (bytes > textOfTable) {
      throw new Misfit(`its table ${wanted.name} holds more than ${inMegabytes(textOfTable)} of text`);
    }
  };
}

/** Text of a database in this encoding, as `PRAGMA encoding` names it. UTF-8 is not looked at; UTF-16 must be whole. */
export function readerFor(encoding: string): TextReader {
  if (encoding === 'UTF-8') return (bytes) => bytes;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true, fatal: true });
  const encoder = new TextEncoder();
  return (bytes) => {
    try {
      return encoder.encode(decoder.decode(bytes));
    } catch {
      throw new Misfit(`it holds bytes that are no ${encoding} text`);
    }
  };
}

/** A reason for a person, on its way out of the copying. */
export class Misfit extends Error {}

const mostPrepared = 50;

function freeAll(statements: Map<string, Statement>): void {
  for (const statement of statements.values()) statement.free();
  statements.clear();
}

/** A text as its bytes, which may be no UTF-8; a whole number in digits where JavaScript has no such number. */
function readExactly(name: string): string {
  return `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB)
    WHEN 'integer' THEN iif(${name} BETWEEN -9007199254740991 AND 9007199254740991, ${name}, CAST(${name} AS TEXT))
    ELSE ${name} END`;
}

/** How a value of this kind is written: sql.js gives text as bytes, and one kind of number only. */
function writtenAs(kind: string): string {
  const types: Readonly<Record<string, string>> = { t: 'TEXT', i: 'INTEGER', r: 'REAL' };
  const type = types[kind];
  return type === undefined ? '?' : `CAST(? AS ${type})`;
}

function cellOf(kind: string | undefined, value: unknown, readText: TextReader): Cell {
  switch (kind) {
    case 't':
      return { kind: 'text', value: readText(value as Uint8Array) };
    case 'b':
      return { kind: 'blob', value: value as Uint8Array };
    case 'i':
      return { kind: 'integer', value: value as number | string };
    case 'r':
      return { kind: 'real', value: value as number };
    default:
      return { kind: 'null', value: null };
  }
}
