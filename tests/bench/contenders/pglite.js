/** Owns: PGlite on IndexedDB, durable at each transaction. */
import { PGlite } from '@electric-sql/pglite';

export function prepare() {
  return Promise.resolve();
}

/** PostgreSQL numbers its parameters. */
function numbered(sql) {
  let number = 0;
  return sql.replace(/\?/g, () => `$${(number += 1)}`);
}

export async function open(name) {
  const database = await PGlite.create(`idb://${name}`, { relaxedDurability: false });
  return {
    transaction: (statements) =>
      database.transaction(async (transaction) => {
        for (const [sql, values] of statements) await transaction.query(numbered(sql), values);
      }),
    count: async (sql) => Number(Object.values((await database.query(sql)).rows[0])[0]),
    close: () => database.close(),
  };
}
