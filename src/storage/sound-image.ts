/**
 * Owns: SQLite's own look at an image that has just been opened. A cut-off image opens without an error, and one that
 * is too long is never noticed: the length is checked here.
 */
import type { RecordedFile } from './recorded-file.ts';
import type { SqlDatabase } from './sqlite.ts';

/** In words, what is wrong with the image; null when it is sound. O(size). */
export function whyUnsound(database: SqlDatabase, file: RecordedFile): string | null {
  try {
    const count = database.exec('PRAGMA page_count')[0]?.values[0]?.[0];
    if (count !== file.pageCount())
      return `the image has ${file.pageCount()} pages and should have ${String(count)}`;
    const found = database.exec('PRAGMA quick_check(1)')[0]?.values[0]?.[0];
    return found === 'ok' ? null : `SQLite's check says: ${String(found)}`;
  } catch (error) {
    // Only what is wrong with the image: no memory, say, is a fault of this session and passes through.
    const message = error instanceof Error ? error.message : '';
    if (!/malformed|not a database|file is encrypted/.test(message)) throw error;
    return `SQLite cannot read it: ${message}`;
  }
}
