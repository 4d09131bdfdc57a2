/** Owns: wa-sqlite, with whichever file system a contender names. */
import * as SQLite from 'wa-sqlite';

/** `module` is a loaded build of it, `vfs` a file system that is ready. Once for each. */
export function overFileSystem(module, vfs) {
  const sqlite3 = SQLite.Factory(module);
  sqlite3.vfs_register(vfs, false);
  return () => open(sqlite3, vfs.name);
}

async function open(sqlite3, vfsName) {
  const flags = SQLite.SQLITE_OPEN_CREATE | SQLite.SQLITE_OPEN_READWRITE;
  const database = await sqlite3.open_v2('bench.db', flags, vfsName);
  const prepared = new Map();
  const run = async (sql, values) => {
    let statement = prepared.get(sql);
    if (!statement) {
      const text = sqlite3.str_new(database, sql);
      ({ stmt: statement } = await sqlite3.prepare_v2(database, sqlite3.str_value(text)));
      sqlite3.str_finish(text);
      prepared.set(sql, statement);
    }
    sqlite3.bind_collection(statement, values);
    let first = null;
    while ((await sqlite3.step(statement)) === SQLite.SQLITE_ROW) first ??= sqlite3.row(statement);
    await sqlite3.reset(statement);
    return first;
  };
  return {
    transaction: async (statements) => {
      await run('BEGIN IMMEDIATE', []);
      for (const [sql, values] of statements) await run(sql, values);
      await run('COMMIT', []);
    },
    count: async (sql) => Number((await run(sql, []))[0]),
    close: async () => {
      for (const statement of prepared.values()) await sqlite3.finalize(statement);
      await sqlite3.close(database);
    },
  };
}
