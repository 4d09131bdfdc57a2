/**
 * Owns: opening the stored database: reading its image, looking at it, adding the tables it lacks.
 * Leaves: the first reading to open-image.ts, what is sound to sound-image.ts, the open database to database.ts.
 */
import { succeed, type Result } from '../engine/failure.ts';
import type { AgentDatabase, DatabaseParts } from './agent-database.ts';
import { SqlJsDatabase } from './database.ts';
import { openImage, setAside } from './open-image.ts';
import { freshImage } from './schema.ts';
import { whyUnsound } from './sound-image.ts';

/**
 * Opens the stored database, checks it (storage form, checksums, `quick_check`) and adds the tables it lacks.
 * Tables of a newer page are opened read-only. Failures: ImageDamaged (it was set aside, byte for byte; open again to
 * start fresh), FormatNewer (the stored form), and the store's.
 */
export async function openDatabase(parts: DatabaseParts): Promise<Result<AgentDatabase>> {
  const opened = await openImage(parts, () => freshImage(parts.sqlite, parts.random));
  if (!opened.ok) return opened;
  const { database, file } = parts.sqlite.openRecorded(opened.value.pages);
  const reason = whyUnsound(database, file);
  if (reason !== null) {
    database.close();
    return setAside(parts.store, opened.value.name, reason);
  }
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA journal_mode = MEMORY');
  const made = new SqlJsDatabase(parts, opened.value, database, file);
  const ready = await made.addMissingTables(opened.value.name);
  if (ready.ok || made.state.readOnly !== null) return succeed(made);
  await made.close();
  return ready;
}
