/** Owns: what sql.js users do most: export() after each transaction, and one put of the whole image, strict. */
import initSqlJs from 'sql.js';
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { openStore, request } from './idb.js';

let SQL = null;

export async function prepare() {
  SQL ??= await initSqlJs({ locateFile: () => wasmUrl });
}

export async function open(name) {
  const store = await openStore(name);
  const stored = await request(store.transaction('s').objectStore('s').get('image'));
  const database = new SQL.Database(stored);
  return {
    transaction: async (statements) => {
      database.run('BEGIN');
      for (const [sql, values] of statements) database.run(sql, values);
      database.run('COMMIT');
      await store.put('image', database.export());
    },
    count: (sql) => Promise.resolve(Number(database.exec(sql)[0].values[0][0])),
    close: () => {
      database.close();
      store.close();
    },
  };
}
