import { expect, test } from 'vitest';
import { ImagePages, pageSize } from '../../src/storage/image-pages.ts';
import type { RecordedFile } from '../../src/storage/recorded-file.ts';
import { applied, sameBytes } from '../../src/storage/recorder-check.ts';
import type { SqlDatabase } from '../../src/storage/sqlite.ts';
import { seededRandom, type SeededRandom } from '../support/random.ts';
import { testSqlite } from '../support/sqlite.ts';

interface Configuration {
  readonly name: string;
  readonly pragmas: string;
  readonly rows: number;
  readonly transactions: number;
}

const configurations: readonly Configuration[] = [
  { name: 'the usual one', pragmas: 'PRAGMA journal_mode = MEMORY', rows: 20, transactions: 120 },
  {
    name: 'a cache of three pages, which spills',
    pragmas: 'PRAGMA cache_size = 3',
    rows: 120,
    transactions: 60,
  },
  { name: 'a journal that is deleted', pragmas: 'PRAGMA journal_mode = DELETE', rows: 20, transactions: 60 },
  {
    name: 'a journal that is truncated',
    pragmas: 'PRAGMA journal_mode = TRUNCATE',
    rows: 20,
    transactions: 60,
  },
  { name: 'full vacuuming by itself', pragmas: 'PRAGMA auto_vacuum = FULL', rows: 60, transactions: 60 },
  { name: 'incremental vacuuming', pragmas: 'PRAGMA auto_vacuum = INCREMENTAL', rows: 60, transactions: 60 },
  { name: 'an exclusive lock', pragmas: 'PRAGMA locking_mode = EXCLUSIVE', rows: 20, transactions: 40 },
];

/** One random transaction: inserts, updates, deletes, savepoints, rollbacks, VACUUM, an export in between. */
function transact(database: SqlDatabase, random: SeededRandom, rows: number): void {
  const write = (): void => {
    const kind = random.below(4);
    const id = random.below(400);
    if (kind === 0) database.exec('DELETE FROM t WHERE id BETWEEN ? AND ?', [id, id + random.below(40)]);
    else if (kind === 1)
      database.exec('UPDATE t SET body = hex(randomblob(?)) WHERE id % 7 = ?', [id, id % 7]);
    else
      for (let row = 0; row < random.below(rows); row += 1) {
        const size = random.below(10) === 0 ? 9000 : random.below(300);
        database.exec('INSERT OR REPLACE INTO t VALUES (?, hex(randomblob(?)))', [random.below(400), size]);
      }
  };
  const shape = random.below(10);
  if (shape === 0) return void database.exec('VACUUM');
  if (shape === 1) return void database.export();
  if (shape === 2) return void database.exec('PRAGMA incremental_vacuum(3)');
  database.exec('BEGIN IMMEDIATE');
  write();
  database.exec('SAVEPOINT inner');
  write();
  if (random.below(2) === 0) database.exec('ROLLBACK TO inner');
  database.exec('RELEASE inner');
  write();
  database.exec(random.below(3) === 0 ? 'ROLLBACK' : 'COMMIT');
}

function expectSame(mirror: Uint8Array, file: RecordedFile, step: number): void {
  if (!sameBytes(mirror, file.toBytes())) throw new Error(`the mirror differs after transaction ${step}`);
}

test.each(configurations)(
  'a mirror kept from recorded pages equals the file after every transaction: $name',
  async ({ pragmas, rows, transactions, name }) => {
    const { database, file } = (await testSqlite()).openRecorded(ImagePages.adopt([]));
    const random = seededRandom(name.length);
    database.exec(pragmas);
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX by_body ON t (body)');
    let mirror: Uint8Array = new Uint8Array(0);
    for (let step = 0; step < transactions; step += 1) {
      transact(database, random, rows);
      // In exclusive mode the lock is never given back, and the recorder refuses to answer.
      if (pragmas.includes('EXCLUSIVE')) {
        database.exec('PRAGMA locking_mode = NORMAL; SELECT count(*) FROM t');
      }
      mirror = applied(mirror, file.changes());
      file.accept();
      expectSame(mirror, file, step);
      if (pragmas.includes('EXCLUSIVE')) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    }
    expect(database.exec('PRAGMA integrity_check')[0]?.values[0]?.[0]).toBe('ok');
    database.close();
  },
);

test('recording goes on when the memory of SQLite grows', async () => {
  const { database, file } = (await testSqlite()).openRecorded(ImagePages.adopt([]));
  database.exec('CREATE TABLE t (body BLOB)');
  file.accept();
  let mirror = file.toBytes();
  for (let step = 0; step < 4; step += 1) {
    database.exec('INSERT INTO t VALUES (randomblob(12000000))');
    mirror = applied(mirror, file.changes());
    file.accept();
    expectSame(mirror, file, step);
  }
  expect(mirror.length).toBeGreaterThan(48_000_000);
  database.close();
});

test('a small transaction records few pages', async () => {
  const { database, file } = (await testSqlite()).openRecorded(ImagePages.adopt([]));
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)');
  for (let row = 0; row < 500; row += 1)
    database.exec('INSERT INTO t VALUES (?, hex(randomblob(400)))', [row]);
  file.accept();
  database.exec(`UPDATE t SET body = 'x' WHERE id = 250`);
  expect(file.changes().pages.length).toBeLessThanOrEqual(3);
  database.close();
});

test('changed pages are not given out inside a write transaction', async () => {
  const { database, file } = (await testSqlite()).openRecorded(ImagePages.adopt([]));
  database.exec('CREATE TABLE t (id INTEGER)');
  database.exec('BEGIN IMMEDIATE');
  expect(() => file.changes()).toThrow('inside a write transaction');
  expect(() => file.accept()).toThrow('inside a write transaction');
  database.exec('ROLLBACK');
  expect(() => file.changes()).not.toThrow();
  database.close();
});

test('two recorded databases and a scratch one do not see each other', async () => {
  const sqlite = await testSqlite();
  const a = sqlite.openRecorded(ImagePages.adopt([]));
  const b = sqlite.openRecorded(ImagePages.adopt([]));
  const scratch = sqlite.openScratch(null);
  scratch.exec('CREATE TABLE s (id INTEGER)');
  a.database.exec('CREATE TABLE a (id INTEGER)');
  expect(a.file.isDirty).toBe(true);
  expect(b.file.isDirty).toBe(false);
  for (const database of [a.database, b.database, scratch]) database.close();
});

test('putting back makes the file, and what SQLite reads, what they were, after any transactions', async () => {
  const { database, file } = (await testSqlite()).openRecorded(ImagePages.adopt([]));
  const random = seededRandom(7);
  const read = (): void => void database.exec('SELECT count(*) FROM sqlite_schema');
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)');
  for (let step = 0; step < 60; step += 1) {
    transact(database, random, 30);
    file.accept();
    const bytes = file.toBytes();
    const rows = database.exec('SELECT * FROM t');
    transact(database, random, 30);
    if (random.below(2) === 0) database.exec('CREATE TABLE more (id INTEGER); INSERT INTO more VALUES (1)');
    file.putBack(read);
    expectSame(bytes, file, step);
    expect(file.isDirty).toBe(false);
    expect(database.exec('SELECT * FROM t')).toEqual(rows);
    expect(database.exec(`SELECT name FROM sqlite_schema WHERE name = 'more'`)).toEqual([]);
  }
  expect(database.exec('PRAGMA integrity_check')[0]?.values[0]?.[0]).toBe('ok');
  database.close();
});

test('SQLite notices another image although change counter, size and schema number are the same', async () => {
  const sqlite = await testSqlite();
  const imageWith = (column: string, text: string): Uint8Array => {
    const scratch = sqlite.openScratch(null);
    scratch.exec(`CREATE TABLE t (${column} TEXT)`);
    scratch.exec('INSERT INTO t VALUES (?)', [text]);
    const bytes = scratch.export();
    scratch.close();
    return bytes;
  };
  const one = imageWith('first', 'one');
  const two = imageWith('other', 'two');
  expect(one.slice(24, 44)).toEqual(two.slice(24, 44));

  const { database, file } = sqlite.openRecorded(ImagePages.of(one));
  const prepared = database.prepare('SELECT * FROM t');
  prepared.step();
  expect(prepared.getAsObject()).toEqual({ first: 'one' });
  prepared.reset();
  const pages: [number, Uint8Array][] = [];
  for (let at = 0; at < two.length; at += pageSize)
    pages.push([at / pageSize + 1, two.slice(at, at + pageSize)]);
  file.rewrite(pages.length, pages, () => void database.exec('SELECT count(*) FROM sqlite_schema'));
  expect(sameBytes(two, file.toBytes())).toBe(true);
  prepared.step();
  expect(prepared.getAsObject()).toEqual({ other: 'two' });
  prepared.reset();
  expect(database.exec('SELECT other FROM t')[0]?.values).toEqual([['two']]);
  database.close();
});
