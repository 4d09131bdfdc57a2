/** Owns: the official sqlite-wasm over its pool of access handles (opfs-sahpool); one tab only. */
import init from '@sqlite.org/sqlite-wasm';

let sqlite3 = null;
const pools = new Map();

export async function prepare() {
  sqlite3 ??= await init({ print: () => undefined, printErr: () => undefined });
}

export async function open(name) {
  let pool = pools.get(name);
  if (pool) await pool.unpauseVfs();
  else pool = await sqlite3.installOpfsSAHPoolVfs({ name, directory: `/${name}` });
  pools.set(name, pool);
  const database = new pool.OpfsSAHPoolDb('/bench.db');
  const prepared = new Map();
  const run = (sql, values) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = database.prepare(sql)));
    if (values.length > 0) statement.bind(values);
    const first = statement.step() ? statement.get([]) : null;
    statement.reset();
    return first;
  };
  return {
    transaction: (statements) => {
      run('BEGIN IMMEDIATE', []);
      for (const [sql, values] of statements) run(sql, values);
      run('COMMIT', []);
      return Promise.resolve();
    },
    count: (sql) => Promise.resolve(Number(run(sql, [])[0])),
    close: () => {
      for (const statement of prepared.values()) statement.finalize();
      database.close();
      pool.pauseVfs();
    },
  };
}
