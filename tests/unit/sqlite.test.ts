/** What we rely on of sql.js. One that fails after an upgrade says what has to be looked at again. */
import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/storage/sqlite.ts';
import { testSqlite } from '../support/sqlite.ts';

test('SQLite loads, passes the recorder check and tells its version', async () => {
  expect((await testSqlite()).version).toMatch(/^3\.\d+\.\d+$/);
});

test('bytes that are not WebAssembly are a failure, not a hang', async () => {
  expect(await loadSqlite(Uint8Array.of(1, 2, 3))).toMatchObject({ failure: { type: 'SqliteUnavailable' } });
});

test('export keeps foreign keys on, statements alive and connection settings', async () => {
  const database = (await testSqlite()).openScratch(null);
  database.exec('PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY; CREATE TABLE t (id INTEGER)');
  const prepared = database.prepare('SELECT count(*) AS n FROM t');
  database.export();
  expect(database.exec('PRAGMA foreign_keys')[0]?.values).toEqual([[1]]);
  expect(database.exec('PRAGMA journal_mode')[0]?.values).toEqual([['memory']]);
  prepared.step();
  expect(prepared.getAsObject()).toEqual({ n: 0 });
  database.close();
});

test('export inside a write transaction throws and leaves the transaction open', async () => {
  const database = (await testSqlite()).openScratch(null);
  database.exec('CREATE TABLE t (id INTEGER)');
  database.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
  expect(() => database.export()).toThrow();
  database.exec('COMMIT');
  expect(database.exec('SELECT count(*) FROM t')[0]?.values).toEqual([[1]]);
  database.close();
});

test('a cut-off image fails at the first read only, and one that is too long never: the length is ours to check', async () => {
  const sqlite = await testSqlite();
  const whole = sqlite.openScratch(null);
  whole.exec('CREATE TABLE t (body BLOB); INSERT INTO t VALUES (randomblob(20000))');
  const bytes = whole.export();
  whole.close();
  const cut = sqlite.openScratch(bytes.slice(0, 8192));
  expect(() => cut.exec('SELECT count(*) FROM sqlite_schema')).toThrow('malformed');
  cut.close();
  const longer = new Uint8Array(bytes.length + 4096);
  longer.set(bytes);
  const long = sqlite.openScratch(longer);
  expect(long.exec('PRAGMA quick_check')[0]?.values).toEqual([['ok']]);
  long.close();
});

test('SQLite uses its own functions, not the old extensions of sql.js', async () => {
  const database = (await testSqlite()).openScratch(null);
  expect(database.exec(`SELECT replace('aa', 'a', 'b'), round(2.5)`)[0]?.values).toEqual([['bb', 3]]);
  expect(() => database.exec(`SELECT reverse('ab')`)).toThrow();
  database.close();
});
