/**
 * Owns: taking the rows of one table over into a table of ours, value by value: each with the kind it is stored
 * with, and text byte for byte (UTF-16 as UTF-8).
 * Leaves: which tables to import-file.ts; what values are welcome to file-values.ts.
 *
 * Rows are read by a plain scan, without indexes, and written by a plain INSERT: no declaration of the file takes part.
 */
import { inMegabytes, mostTextOfTable } from './file-limits.ts';
import { quoted, type FileTable } from './file-schema.ts';
import { whyUnshowable, type Cell } from './file-values.ts';
import type { SqlDatabase } from './sqlite.ts';

type Statement = ReturnType<SqlDatabase['prepare']>;
/** Newer than the types of sql.js: whole numbers come as BigInt, exact. */
type ReadExactly = (values: null, how: { readonly useBigInt: true }) => readonly unknown[];

/** Tells the bytes of a text of the file as UTF-8. */
export type TextReader = (bytes: Uint8Array) => Uint8Array;

/** How many rows were taken over; throws what SQLite says of reading or writing them. */
export function copyRows(
  from: SqlDatabase,
  to: SqlDatabase,
  table: FileTable,
  readText: TextReader,
  row: (cells: readonly Cell[]) => void = () => undefined,
): void {
  const columns = table.columns.filter((column) => column.stored).map(({ name }) => quoted(name));
  const read = from.prepare(
    `SELECT ${columns.map((name) => `typeof(${name}), CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`).join(', ')}
       FROM ${quoted(table.name)} NOT INDEXED`,
  );
  const write = to.prepare(
    `INSERT INTO ${quoted(table.name)} (${columns.join(', ')}) VALUES (${columns.map(typedValue).join(', ')})`,
  );
  try {
    while (read.step()) {
      const cells = cellsOf(read, readText);
      row(cells);
      write.run(cells.flatMap(({ kind, value }) => [kind, value]));
    }
  } finally {
    read.free();
    write.free();
  }
}

/** Watches the rows of one of the lab's tables: the first value that does not fit ends it, thrown as a Misfit. */
export function watchRows(wanted: FileTable, order: FileTable): (cells: readonly Cell[]) => void {
  const columns = order.columns
    .filter((column) => column.stored)
    .map(({ name }) => wanted.columns.find((one) => one.name.toLowerCase() === name.toLowerCase()));
  let [rows, bytes] = [0, 0];
  return (cells) => {
    rows += 1;
    for (const [index, cell] of cells.entries()) {
      const column = columns[index];
      if (column === undefined) continue;
      const reason = whyUnshowable(cell, column);
      if (reason !== null)
        throw new Misfit(
          `in row ${String(rows)} of its table ${wanted.name}, ${column.name} holds ${reason}`,
        );
      if (cell.kind === 'text') bytes += cell.value.length;
    }
    if (bytes > mostTextOfTable)
      throw new Misfit(`its table ${wanted.name} holds more than ${inMegabytes(mostTextOfTable)} of text`);
  };
}

/** Text of a database in this encoding, as `PRAGMA encoding` names it. */
export function readerFor(encoding: string): TextReader {
  if (encoding === 'UTF-8') return (bytes) => bytes;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  return (bytes) => encoder.encode(decoder.decode(bytes));
}

/** A reason for a person, on its way out of the copying. */
export class Misfit extends Error {}

function cellsOf(read: Statement, readText: TextReader): Cell[] {
  const values = (read.get as unknown as ReadExactly).call(read, null, { useBigInt: true });
  const cells: Cell[] = [];
  for (let at = 0; at < values.length; at += 2) {
    const [kind, value] = [values[at], values[at + 1]];
    if (kind === 'text') cells.push({ kind, value: readText(value as Uint8Array) });
    else if (kind === 'integer') cells.push({ kind, value: exact(value as bigint) });
    else cells.push({ kind, value } as Cell);
  }
  return cells;
}

/** As a number where that is exact, else in digits, which SQLite reads exactly. */
function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function typedValue(_: string, index: number): string {
  const [kind, value] = [`?${String(2 * index + 1)}`, `?${String(2 * index + 2)}`];
  return `CASE ${kind} WHEN 'text' THEN CAST(${value} AS TEXT) WHEN 'integer' THEN CAST(${value} AS INTEGER) WHEN 'real' THEN CAST(${value} AS REAL) ELSE ${value} END`;
}
