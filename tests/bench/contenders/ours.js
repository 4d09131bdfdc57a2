/** Owns: this project's storage, as it is, under the benchmark's load. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { noCrash } from '../../../src/engine/crash.ts';
import { loadChecksum } from '../../../src/storage/checksum.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { idbStorage } from '../../../src/storage/idb-page-store.ts';
import { cryptoRandom } from '../../../src/storage/random.ts';
import { loadSqlite } from '../../../src/storage/sqlite.ts';

let loaded = null;

function value(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

async function load() {
  const bytes = await (await fetch(wasmUrl)).arrayBuffer();
  return { sqlite: value(await loadSqlite(bytes)), checksum: await loadChecksum() };
}

export async function prepare() {
  loaded ??= await load();
}

export async function open(name) {
  const clock = { now: () => new Date().toISOString() };
  const store = idbStorage({ factory: indexedDB, storageName: name, random: cryptoRandom, clock }).pages;
  const database = value(
    await openDatabase({ ...loaded, store, crash: noCrash, random: cryptoRandom, clock }),
  );
  return {
    transaction: async (statements) =>
      value(
        await database.commit('bench', (transaction) => {
          for (const [sql, values] of statements) transaction.run(sql, values);
          return { ok: true, value: null };
        }),
      ),
    count: (sql) => database.read((reader) => Number(Object.values(reader.get(sql))[0])),
    idle: async () => value(await database.compactIfWorthwhile()),
    close: () => database.close(),
  };
}
