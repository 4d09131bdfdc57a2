/**
 * Owns: which values of a foreign file the lab can hold: those that it reads back as they are stored, and that stay
 * readable on a screen. A text on which SQLite's functions and JavaScript do not agree is none of them.
 * Leaves: where the values come from to rows.ts.
 */
import { deepestJson, inKilobytes, inMegabytes, largestNumber, longestJson, longestText } from './limits.ts';
import type { FileColumn } from './declared.ts';

/** One value as SQLite stores it. Text is in UTF-8, as bytes: it may be no text at all. */
export type Cell =
  | { readonly kind: 'null'; readonly value: null }
  | { readonly kind: 'integer'; readonly value: number | string }
  | { readonly kind: 'real'; readonly value: number }
  | { readonly kind: 'text' | 'blob'; readonly value: Uint8Array };

const inWords: Readonly<Record<Cell['kind'], string>> = {
  null: 'nothing (NULL)',
  integer: 'a number',
  real: 'a fraction or no finite number',
  text: 'a text',
  blob: 'raw bytes (a BLOB)',
};

/** In words, as in "its detail holds …", what is wrong with a value in a column of the lab's; null: nothing. */
export function whyUnshowable(cell: Cell, column: FileColumn): string | null {
  if (cell.kind === 'null' && !column.notNull && column.key === 0) return null;
  if (column.type === 'INTEGER') {
    if (cell.kind !== 'integer') return `${inWords[cell.kind]} where a whole number belongs`;
    return Math.abs(Number(cell.value)) > largestNumber
      ? `a number beyond ${String(largestNumber)}, too large to count on from exactly`
      : null;
  }
  return cell.kind === 'text'
    ? whyTextUnshowable(cell.value, column)
    : `${inWords[cell.kind]} where a text belongs`;
}

function whyTextUnshowable(bytes: Uint8Array, column: FileColumn): string | null {
  const isJson = column.name.endsWith('_json');
  if (bytes.length > (isJson ? longestJson : longestText)) {
    return isJson
      ? `more than ${inMegabytes(longestJson)}`
      : `a text of more than ${inKilobytes(longestText)}`;
  }
  if (bytes.includes(0))
    return 'a text with a zero byte (NUL) in it, where for some of SQLite’s functions a text ends';
  const decoded = decode(bytes);
  if (decoded === null) return 'bytes that are no UTF-8 text';
  return isJson && nestingOf(decoded) > deepestJson
    ? `JSON that is nested deeper than ${String(deepestJson)} levels`
    : null;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** How deep the brackets of a JSON text go, those in its strings left aside. Any other text has some number, too. */
function nestingOf(json: string): number {
  let [depth, deepest, inString] = [0, 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (inString && character === '\\') at += 1;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1));
    else if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
}
