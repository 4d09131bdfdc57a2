/**
 * Owns: SQLite's own look at an image: at one that has just been opened, and at one that is to replace it. A cut-off
 * image opens without an error, and one that is too long is never noticed: the length is checked here.
 */
import { findTable, readSchema } from './files/declared.ts';
import { pageSize } from './image-pages.ts';
import type { RecordedFile } from './recorded-file.ts';
import { emptyImage } from './schema.ts';
import type { SqlDatabase, Sqlite } from './sqlite.ts';

/** In words, what is wrong with the image; null when it is sound. O(size). */
export function whyUnsound(database: SqlDatabase, file: Pick<RecordedFile, 'pageCount'>): string | null {
  try {
    const count = first(database, 'PRAGMA page_count');
    if (count !== file.pageCount)
      return `the image has ${file.pageCount} pages and should have ${String(count)}`;
    const found = first(database, 'PRAGMA quick_check(1)');
    return found === 'ok' ? null : `SQLite's check says: ${String(found)}`;
  } catch (error) {
    // Only what is wrong with the image: no memory, say, is a fault of this session and passes through.
    const message = error instanceof Error ? error.message : '';
    if (!/malformed|not a database|file is encrypted/.test(message)) throw error;
    return `SQLite cannot read it: ${message}`;
  }
}

/** As `whyUnsound`, of an image that is not open. */
export function whyUnsoundBytes(sqlite: Sqlite, bytes: Uint8Array): string | null {
  const database = sqlite.openScratch(bytes);
  try {
    return whyUnsound(database, { pageCount: bytes.length / pageSize });
  } finally {
    database.close();
  }
}

/**
 * In words, why `bytes` are no image as this page makes them: whole pages of the one size, UTF-8, sound, with the
 * lab's tables as declared here and without anything that could act on what is written. Null when they are. O(size).
 */
export function whyNotOurForm(sqlite: Sqlite, bytes: Uint8Array): string | null {
  const [database, ours] = [sqlite.openScratch(bytes), sqlite.openScratch(emptyImage(sqlite))];
  try {
    const unsound = whyUnsound(database, { pageCount: bytes.length / pageSize });
    if (unsound !== null) return unsound;
    if (first(database, 'PRAGMA page_size') !== pageSize) return 'its pages have another size';
    if (first(database, 'PRAGMA encoding') !== 'UTF-8') return 'its text is not UTF-8';
    const declared = readSchema(database);
    const acting = declared.leftOut[0];
    if (acting) return `it has a ${acting.what} named ${acting.name}`;
    const other = readSchema(ours).tables.find(({ name, sql }) => findTable(declared, name)?.sql !== sql);
    if (other) return `its table ${other.name} is not the lab’s`;
    return first(database, 'SELECT count(*) FROM lab WHERE id = 1') === 1
      ? null
      : 'it does not say which lab it is';
  } finally {
    database.close();
    ours.close();
  }
}

function first(database: SqlDatabase, sql: string): unknown {
  return database.exec(sql)[0]?.values[0]?.[0];
}
