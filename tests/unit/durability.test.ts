/** What is acknowledged is stored, what is refused leaves no trace, and two writers never lose or double anything. */
import { beforeEach, expect, test } from 'vitest';
import { succeed, type Result, type StorageFailure } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { testDatabase } from '../support/database.ts';
import { FaultyPageStore } from '../support/faulty-page-store.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';
import { testSqlite } from '../support/sqlite.ts';

let shared: MemoryPageStore;
let faulty: FaultyPageStore;
beforeEach(() => {
  shared = new MemoryPageStore();
  faulty = new FaultyPageStore(shared);
});

/** Adds one to a counter that is kept in a row, and a row of its own. */
function increment(by: string, text = ''): (transaction: Transaction) => Result<number> {
  return (transaction) => {
    const before = Number(transaction.get('SELECT count(*) AS n FROM tool_effects')?.['n']);
    transaction.run('INSERT INTO tool_effects VALUES (?, ?, ?)', [`${by}`, String(before + 1), text]);
    return succeed(before + 1);
  };
}

function keys(database: AgentDatabase): Promise<unknown[]> {
  return database.read((reader) =>
    reader.all('SELECT idempotency_key FROM tool_effects ORDER BY 1').map((row) => row['idempotency_key']),
  );
}

/** Opens what is stored, checks it through and through, and lists its rows. */
async function storedKeys(): Promise<unknown[]> {
  const fresh = await testDatabase({ store: shared, random: seededRandom(99) });
  expect(await fresh.read((reader) => reader.all('PRAGMA integrity_check'))).toEqual([
    { integrity_check: 'ok' },
  ]);
  const found = await keys(fresh);
  await fresh.close();
  return found;
}

const notSaved: StorageFailure = { type: 'NotSaved', reason: 'test' };
const full: StorageFailure = { type: 'StorageFull', reason: 'test' };
const unknown: StorageFailure = { type: 'OutcomeUnknown', reason: 'test' };

test('a tab that takes in what another wrote has its image, byte for byte, pages of zeros included', async () => {
  const writer = await testDatabase({ store: shared });
  const reader = await testDatabase({ store: shared, random: seededRandom(2) });
  value(
    await writer.commit('test', (transaction) => {
      transaction.run('CREATE TABLE blobs (id INTEGER PRIMARY KEY, body BLOB)');
      return succeed(null);
    }),
  );
  const random = seededRandom(7);
  const below = (limit: number) => (random.bytes(1)[0] ?? 0) % limit;
  for (let round = 0; round < 120; round += 1) {
    value(
      await writer.commit('test', (transaction) => {
        if (below(4) === 0) transaction.run('DELETE FROM blobs WHERE id % 3 = ?', [below(3)]);
        transaction.run('INSERT INTO blobs (body) VALUES (zeroblob(?))', [below(200) * 100]);
        if (below(3) === 0)
          transaction.run('INSERT INTO blobs (body) VALUES (?)', [random.bytes(below(250) * 10)]);
        return succeed(null);
      }),
    );
    expect(value(await reader.refresh())).toBe(true);
    const [wrote, took] = [await writer.image(), await reader.image()];
    expect(took.length).toBe(wrote.length);
    expect(Buffer.compare(took, wrote)).toBe(0);
  }
});

test.each([notSaved, full])(
  'after $type memory is what is stored, and the next commit leaves no hole',
  async (failure) => {
    const database = await testDatabase({ store: faulty });
    value(await database.commit('test', increment('a', 'x'.repeat(20_000))));
    faulty.faults.push({ failure, arrives: false });
    expect(await database.commit('test', increment('b', 'y'.repeat(30_000)))).toEqual({ ok: false, failure });
    expect(await keys(database)).toEqual(['a']);
    expect(database.state.generation).toBe(1);
    expect(value(await database.commit('test', increment('c', 'z'.repeat(10_000))))).toBe(2);
    expect(await keys(database)).toEqual(['a', 'c']);
    expect(await storedKeys()).toEqual(['a', 'c']);
  },
);

test('a commit that failed tells nothing as the last commit', async () => {
  const database = await testDatabase({ store: faulty });
  value(await database.commit('first', increment('a')));
  faulty.faults.push({ failure: notSaved, arrives: false });
  await database.commit('second', increment('b'));
  expect(database.lastCommit?.boundary).toBe('first');
});

test('a table made by a refused commit is gone, also for statements that were prepared', async () => {
  const database = await testDatabase({ store: faulty });
  faulty.faults.push({ failure: notSaved, arrives: false });
  await database.commit('test', (transaction) => succeed(transaction.run('CREATE TABLE extra (id INTEGER)')));
  value(
    await database.commit('test', (transaction) =>
      succeed(transaction.run('CREATE TABLE other (name TEXT)')),
    ),
  );
  await expect(database.read((reader) => reader.all('SELECT * FROM extra'))).rejects.toThrow('no such table');
  expect(await database.read((reader) => reader.all('SELECT name FROM other'))).toEqual([]);
  expect(await storedKeys()).toEqual([]);
});

test.each([true, false])(
  'an unknown outcome is found out by the next commit (it had arrived: %s)',
  async (arrives) => {
    const database = await testDatabase({ store: faulty });
    faulty.faults.push({ failure: unknown, arrives });
    expect(await database.commit('test', increment('a'))).toEqual({ ok: false, failure: unknown });
    expect(await keys(database)).toEqual([]);
    expect(value(await database.commit('test', increment('b')))).toBe(2);
    expect(await storedKeys()).toEqual(['a', 'b']);
  },
);

test('while an outcome stays unknown nothing else is written', async () => {
  const database = await testDatabase({ store: faulty });
  faulty.faults.push({ failure: unknown, arrives: false }, { failure: unknown, arrives: false });
  await database.commit('test', increment('a'));
  expect(await database.commit('test', increment('b'))).toEqual({ ok: false, failure: unknown });
  expect(faulty.commits).toBe(2);
  value(await database.commit('test', increment('c')));
  expect(await storedKeys()).toEqual(['a', 'c']);
});

test('when another tab won against a commit of unknown outcome, its work stands and ours can be done again', async () => {
  const database = await testDatabase({ store: faulty });
  const other = await testDatabase({ store: shared, random: seededRandom(2) });
  faulty.faults.push({ failure: unknown, arrives: false });
  await database.commit('test', increment('a'));
  value(await other.commit('test', increment('other')));
  value(await database.commit('test', increment('b')));
  expect(await storedKeys()).toEqual(['b', 'other']);
});

test('a body runs again on what another tab wrote first', async () => {
  const database = await testDatabase({ store: faulty });
  const other = await testDatabase({ store: shared, random: seededRandom(2) });
  faulty.faults.push({ before: () => other.commit('test', increment('other')) });
  expect(value(await database.commit('test', increment('mine')))).toBe(2);
  expect(await storedKeys()).toEqual(['mine', 'other']);
});

test('after five times of losing the caller is told, and nothing is written', async () => {
  const database = await testDatabase({ store: faulty });
  const other = await testDatabase({ store: shared, random: seededRandom(2) });
  for (let time = 0; time < 5; time += 1) {
    faulty.faults.push({ before: () => other.commit('test', increment(`other-${time}`)) });
  }
  expect(await database.commit('test', increment('mine'))).toEqual({
    ok: false,
    failure: { type: 'ImageConflict', tries: 5 },
  });
  expect(await storedKeys()).toEqual(['other-0', 'other-1', 'other-2', 'other-3', 'other-4']);
  value(await database.commit('test', increment('mine')));
  expect(await storedKeys()).toHaveLength(6);
});

test('refresh takes in what other tabs wrote and says whether there was something', async () => {
  const one = await testDatabase({ store: shared });
  const two = await testDatabase({ store: shared, random: seededRandom(2) });
  value(await one.commit('test', increment('a', 'x'.repeat(50_000))));
  expect(value(await two.refresh())).toBe(true);
  expect(value(await two.refresh())).toBe(false);
  expect(await keys(two)).toEqual(['a']);
  expect(two.state).toMatchObject({ generation: 1, bytes: one.state.bytes, savedAtUtc: null });
});

test('after another tab wrote, this tab’s last commit is no longer the last one', async () => {
  const one = await testDatabase({ store: shared });
  const two = await testDatabase({ store: shared, random: seededRandom(2) });
  value(await two.commit('mine', increment('a')));
  expect(value(await two.refresh())).toBe(false);
  expect(two.lastCommit?.boundary).toBe('mine');
  value(await one.commit('theirs', increment('b')));
  expect(value(await two.refresh())).toBe(true);
  expect(two.lastCommit).toBeNull();
});

test('refresh sees another schema although the number of the schema is the same', async () => {
  const one = await testDatabase({ store: shared });
  const two = await testDatabase({ store: faulty, random: seededRandom(2) });
  faulty.faults.push({ failure: notSaved, arrives: false });
  await two.commit('test', (transaction) =>
    succeed(transaction.run('CREATE TABLE mine (a INTEGER, b INTEGER)')),
  );
  value(
    await one.commit('test', (transaction) => succeed(transaction.run('CREATE TABLE theirs (name TEXT)'))),
  );
  value(await two.refresh());
  expect(
    await two.read((reader) => reader.all(`SELECT name FROM sqlite_schema WHERE name IN ('mine', 'theirs')`)),
  ).toEqual([{ name: 'theirs' }]);
  expect(await two.read((reader) => reader.all('SELECT name FROM theirs'))).toEqual([]);
});

test('a reset by another tab is taken in by refresh and by commit, and undone like any commit', async () => {
  const sqlite = await testSqlite();
  const one = await testDatabase({ store: shared });
  const two = await testDatabase({ store: shared, random: seededRandom(2) });
  value(await one.commit('test', increment('a')));
  const before = await one.image();
  value(await one.replace('reset', { bytes: freshImage(sqlite, seededRandom(3)) }));
  expect(value(await two.commit('test', increment('b')))).toBe(1);
  expect(await storedKeys()).toEqual(['b']);
  value(await one.replace('undo', { bytes: before }));
  value(await two.refresh());
  expect(await keys(two)).toEqual(['a']);
  expect(await storedKeys()).toEqual(['a']);
});

test('a refused replacement leaves everything as it was', async () => {
  const sqlite = await testSqlite();
  const database = await testDatabase({ store: faulty });
  value(await database.commit('test', increment('a')));
  const bytes = await database.image();
  faulty.faults.push({ failure: full, arrives: false });
  expect(await database.replace('reset', { bytes: freshImage(sqlite, seededRandom(3)) })).toEqual({
    ok: false,
    failure: full,
  });
  expect(await database.image()).toEqual(bytes);
  value(await database.commit('test', increment('b')));
  expect(await storedKeys()).toEqual(['a', 'b']);
});

test('a replacement by something that is no database throws, and leaves everything as it was', async () => {
  const database = await testDatabase({ store: faulty });
  value(await database.commit('test', increment('a')));
  await expect(database.replace('import', { bytes: new Uint8Array(8192).fill(7) })).rejects.toThrow();
  expect(await keys(database)).toEqual(['a']);
  value(await database.commit('test', increment('b')));
  expect(await storedKeys()).toEqual(['a', 'b']);
});

test('the log is folded when it has grown long, not before, and who slept through it goes on', async () => {
  const one = await testDatabase({ store: shared });
  const two = await testDatabase({ store: shared, random: seededRandom(2) });
  value(await one.commit('test', increment('small')));
  expect(value(await one.compactIfWorthwhile())).toBe(false);
  const bytes = (count: number): string =>
    Array.from(seededRandom(5).bytes(count), (byte) => byte.toString(16)).join('');
  value(await one.commit('test', increment('large', bytes(800_000))));
  expect(value(await one.compactIfWorthwhile())).toBe(true);
  expect(value(await one.compactIfWorthwhile())).toBe(false);
  expect(await storedKeys()).toEqual(['large', 'small']);
  expect(value(await two.commit('test', increment('two')))).toBe(3);
  value(await one.refresh());
  expect(await keys(one)).toEqual(['large', 'small', 'two']);
});

test('a usual small commit is stored in less than 1 KiB, and one that splits pages in less than those pages', async () => {
  const database = await testDatabase({ store: shared });
  for (let row = 0; row < 50; row += 1)
    value(await database.commit('test', increment(`${row}`, 'x'.repeat(100))));
  const log = value(await shared.open())?.log ?? [];
  const sizes = log.map(({ value: record }) => (record as { changes: Uint8Array }).changes.length);
  expect(sizes.sort((a, b) => a - b)[sizes.length >> 1]).toBeLessThan(1024);
  expect(Math.max(...sizes)).toBeLessThan(3 * 4096);
});

test.each([1, 2, 3, 4, 5, 6])(
  'two writers in random order lose and double nothing (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const databases = [
      await testDatabase({ store: faulty, random: seededRandom(seed + 100) }),
      await testDatabase({ store: shared, random: seededRandom(seed + 200) }),
    ];
    const acknowledged: string[] = [];
    const doubtful: string[] = [];
    const underWay: Promise<void>[] = [];
    for (let step = 0; step < 60; step += 1) {
      const database = databases[random.below(2)]!;
      const kind = random.below(8);
      if (kind === 0) underWay.push(database.refresh().then(() => undefined));
      else if (kind === 1) await Promise.all(underWay);
      else {
        const key = `k${String(step).padStart(2, '0')}`;
        if (kind === 2) faulty.faults.push({ failure: notSaved, arrives: false });
        if (kind === 3) faulty.faults.push({ failure: unknown, arrives: random.below(2) === 0 });
        underWay.push(
          database.commit('test', increment(key, 'x'.repeat(random.below(9000)))).then((result) => {
            if (result.ok) acknowledged.push(key);
            else if (result.failure.type === 'OutcomeUnknown') doubtful.push(key);
          }),
        );
      }
    }
    await Promise.all(underWay);
    const stored = (await storedKeys()).map(String);
    expect(acknowledged.filter((key) => !stored.includes(key))).toEqual([]);
    expect(stored.filter((key) => !acknowledged.includes(key) && !doubtful.includes(key))).toEqual([]);
    const numbers = await databases[1]!
      .refresh()
      .then(() =>
        databases[1]!.read((reader) =>
          reader.all('SELECT tool_name FROM tool_effects').map((row) => Number(row['tool_name'])),
        ),
      );
    expect(numbers.sort((a, b) => a - b)).toEqual(stored.map((_, index) => index + 1));
    expect(acknowledged.length).toBeGreaterThan(20);
  },
);
