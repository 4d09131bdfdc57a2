/**
 * Owns: the check, at every start, that the recorder of changed pages sees everything: a mirror that is kept from
 * recorded pages only must equal the file. A few milliseconds, a small scratch database.
 * There is no slower way to fall back on: SQLite ships with the page, so this fails only after an upgrade, in CI first.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { ImagePages, pageSize } from './image-pages.ts';
import type { FileChanges } from './recorded-file.ts';
import type { Sqlite } from './sqlite.ts';

const script: readonly string[] = [
  'CREATE TABLE check_rows (id INTEGER PRIMARY KEY, body TEXT)',
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
     INSERT INTO check_rows SELECT i, hex(zeroblob(500)) FROM n`,
  'UPDATE check_rows SET body = id WHERE id % 3 = 0',
  'BEGIN; DELETE FROM check_rows; ROLLBACK',
  'DELETE FROM check_rows WHERE id > 20',
  'VACUUM',
];

/** Failure: SqliteUnfit. */
export function checkRecorder(sqlite: Sqlite): Result<null, StorageFailure> {
  const { database, file } = sqlite.openRecorded(ImagePages.adopt([]));
  try {
    let mirror: Uint8Array = new Uint8Array(0);
    for (const sql of script) {
      database.exec(sql);
      mirror = applied(mirror, file.changes());
      file.accept();
      if (!sameBytes(mirror, file.toBytes())) {
        return fail({ type: 'SqliteUnfit', reason: 'the recorder missed a changed page' });
      }
    }
    return mirror.length > 0 ? succeed(null) : fail({ type: 'SqliteUnfit', reason: 'nothing was recorded' });
  } catch (error) {
    return fail({ type: 'SqliteUnfit', reason: error instanceof Error ? error.message : String(error) });
  } finally {
    database.close();
  }
}

/** The image that results from `changes` on `image`. */
export function applied(image: Uint8Array, changes: FileChanges): Uint8Array {
  const result = new Uint8Array(changes.pageCount * pageSize);
  result.set(image.subarray(0, result.length));
  for (const page of changes.pages) result.set(page.after, (page.number - 1) * pageSize);
  return result;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
