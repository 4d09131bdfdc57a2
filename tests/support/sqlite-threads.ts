/** Opens SQLite state stores over one page store, as tabs do. */
import type { Clock } from '../../src/engine/ports.ts';
import type { DatabaseParts } from '../../src/storage/agent-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { SqliteStateStore } from '../../src/threads/sqlite-state-store.ts';
import { value } from './result.ts';

export async function sqliteThreads(parts: DatabaseParts, clock: Clock): Promise<SqliteStateStore> {
  const database = value(await openDatabase(parts));
  return new SqliteStateStore({ database, refresh: () => database.refresh(), clock });
}
