/** Opens databases over page stores in tests. */
import { noCrash } from '../../src/engine/crash.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import type { DatabaseParts } from '../../src/storage/agent-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { seededRandom } from './random.ts';
import { value } from './result.ts';
import { testSqlite } from './sqlite.ts';

/** What a database needs, with a memory page store of its own; `over` replaces any part. */
export async function databaseParts(over: Partial<DatabaseParts> = {}): Promise<DatabaseParts> {
  return {
    sqlite: await testSqlite(),
    store: new MemoryPageStore(),
    checksum: await loadChecksum(),
    crash: noCrash,
    random: seededRandom(1),
    clock: { now: () => '2025-01-01T00:00:00.000Z' },
    ...over,
  };
}

/** An open database, or an error when it does not open. */
export async function testDatabase(over: Partial<DatabaseParts> = {}): Promise<AgentDatabase> {
  return value(await openDatabase(await databaseParts(over)));
}
