/**
 * Owns: a result of the console as CSV, JSON and Markdown.
 * Leaves: saving and copying to the page.
 * Invariant: no cell of the CSV is a formula to a spreadsheet, and none breaks out of its place in the Markdown.
 */
import Papa from 'papaparse';
import type { Cell, StatementResult } from './console-answer.ts';
import { formulaStart } from './trace.ts';

/** Digits alone, as `-2.0`, are no formula: a number that JavaScript cannot hold comes as its digits. */
const formulaNotNumber = new RegExp(`^(?!-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?$)${formulaStart.source}`);

type Table = Pick<StatementResult, 'columns' | 'rows'>;

/** RFC 4180, lines end in CR LF. NULL is an empty cell, raw bytes are named by their number. */
export function resultCsv({ columns, rows }: Table): string {
  const csv = Papa.unparse(
    {
      fields: [...columns],
      data: rows.map((row) => row.map((cell) => (cell === null ? null : plain(cell)))),
    },
    { newline: '\r\n', escapeFormulae: formulaNotNumber },
  );
  return `${csv}\r\n`;
}

/** A list of rows as lists, after the columns: two columns may have one name. */
export function resultJson({ columns, rows }: Table): string {
  return `${JSON.stringify({ columns, rows: rows.map((row) => row.map((cell) => plain(cell))) }, null, 2)}\n`;
}

export function resultMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    line(columns.map(escaped)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(row.map((cell) => (cell === null ? '*NULL*' : escaped(String(plain(cell))))))),
  ];
  return `${lines.join('\n')}\n`;
}

/** "3 bytes" for raw bytes; digits for a number that is beyond JavaScript's. */
export function plain(cell: Cell): string | number | null {
  if (cell === null || typeof cell !== 'object') return cell;
  return cell.type === 'blob' ? `${String(cell.bytes)} ${cell.bytes === 1 ? 'byte' : 'bytes'}` : cell.digits;
}

function escaped(text: string): string {
  return text
    .replace(/[\\`*[\]<>|&]/g, (character) => `&#${String(character.charCodeAt(0))};`)
    .replace(/\r\n|[\r\n]/g, '<br>');
}
