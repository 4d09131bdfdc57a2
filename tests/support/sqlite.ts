/** Loads the pinned sql.js in Node, once for a test file. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadSqlite, type Sqlite } from '../../src/storage/sqlite.ts';

let loaded: Promise<Sqlite> | null = null;

export function testSqlite(): Promise<Sqlite> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Sqlite> {
  const path = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');
  const result = await loadSqlite(new Uint8Array(readFileSync(path)));
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
