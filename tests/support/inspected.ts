/** Looks at files in tests: what came of it, and the database that was made of a file. */
import { inspectFile, type InspectedFile } from '../../src/storage/files/inspect-file.ts';
import { limits } from '../../src/storage/files/limits.ts';
import { ForeignFiles } from './foreign-files.ts';
import { seededRandom } from './random.ts';
import { value } from './result.ts';
import { testSqlite } from './sqlite.ts';

const sqlite = await testSqlite();

export const files = new ForeignFiles((image) => sqlite.openScratch(image));

/** What looking at a file gave that must be accepted. */
export function inspected(bytes: Uint8Array, most = limits): InspectedFile {
  return value(inspectFile(sqlite, seededRandom(1), bytes, most));
}

/** Why a file is refused that must be. */
export function reasonFor(bytes: Uint8Array, most = limits): string {
  const result = inspectFile(sqlite, seededRandom(1), bytes, most);
  if (result.ok || result.failure.type !== 'FileRefused') throw new Error('the file was not refused');
  return result.failure.reason;
}

/** What a query finds in an image, as texts. */
export function found(image: Uint8Array, sql: string): unknown[][] {
  const database = sqlite.openScratch(image);
  try {
    return database.exec(sql)[0]?.values ?? [];
  } finally {
    database.close();
  }
}

/** The rows of the lesson's three tables. */
export function allRows(image: Uint8Array): unknown[][][] {
  return ['agent_runs', 'agent_events', 'tool_effects'].map((table) =>
    found(image, `SELECT * FROM ${table}`),
  );
}
