/** IndexedDB that answers too late, or not for a moment: nothing is lost by it, and nothing stored that is not whole. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { noCrash } from '../../src/engine/crash.ts';
import { succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { loadChecksum, type Checksum } from '../../src/storage/checksum.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { IdbConnection } from '../../src/storage/idb-connection.ts';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import type { Sqlite } from '../../src/storage/sqlite.ts';
import { browserSqlite, browserStorage, newStorageName } from '../support/browser-storage.ts';
import { value } from '../support/result.ts';

let sqlite: Sqlite;
let checksum: Checksum;
beforeAll(async () => {
  sqlite = await browserSqlite();
  checksum = await loadChecksum();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Folds after each commit that is asked about. */
async function opened({ pages }: ImageStorage): Promise<AgentDatabase> {
  const clock = { now: () => '2025-01-01T00:00:00.000Z' };
  const parts = {
    sqlite,
    store: pages,
    checksum,
    crash: noCrash,
    random: cryptoRandom,
    clock,
  };
  return value(await openDatabase({ ...parts, foldAfter: 1 }));
}

const add =
  (key: string, text = '') =>
  (transaction: Transaction): Result<number> =>
    succeed(transaction.run('INSERT INTO tool_effects VALUES (?, ?, ?)', [key, 'tool', text]));

function keys(database: AgentDatabase): Promise<unknown[]> {
  return database.read((reader) =>
    reader.all('SELECT idempotency_key FROM tool_effects ORDER BY 1').map((row) => row['idempotency_key']),
  );
}

/** Lets nobody else at the stores of an image, as a stuck transaction does; the result lets go. */
function hold(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => {
      let held = true;
      const transaction = opening.result.transaction(['meta', 'chunks', 'log'], 'readwrite');
      transaction.oncomplete = () => opening.result.close();
      const again = (): void => {
        if (held) transaction.objectStore('meta').count().onsuccess = again;
      };
      again();
      resolve(() => (held = false));
    };
  });
}

test('a fold that is answered after it was given up stores nothing of the commits that came after it', async () => {
  const storageName = newStorageName();
  const before = await opened(browserStorage(storageName));
  value(await before.commit('test', add('a')));
  expect(value(await before.compactIfWorthwhile())).toBe(true);
  await before.close();
  // As read from storage the pieces have no room to grow, and are stored without a copy.
  const waits = { open: 5_000, transaction: 5_000 };
  const storage = browserStorage(storageName, { waits });
  const database = await opened(storage);
  value(await database.commit('test', add('b')));
  const letGo = await hold(value(await storage.pages.open())?.name ?? '');
  waits.transaction = 100;
  expect(await database.compactIfWorthwhile()).toMatchObject({
    failure: { type: 'OutcomeUnknown' },
  });
  waits.transaction = 5_000;
  // Its pages are in memory, and not yet stored, when the fold would go on.
  const committed = await database.commit('test', (transaction) => {
    letGo();
    return add('c')(transaction);
  });
  expect(committed.ok).toBe(true);
  await database.close();
  expect(await keys(await opened(browserStorage(storageName)))).toEqual(['a', 'b', 'c']);
});

test('a body that throws in the middle is called off: nothing that it asked for is written, and nobody waits', async () => {
  const told: unknown[] = [];
  const watch = {
    begin: (what: string) => (answered: boolean) => told.push([what, answered]),
  };
  const waits = { open: 5_000, transaction: 5_000, watch: watch as never };
  const connection = new IdbConnection(indexedDB, newStorageName(), ['store'], waits);
  const failed = await connection.write(['store'], (transaction) => {
    transaction.objectStore('store').put('half of it', 1);
    transaction.objectStore('store').put(() => 'a function can’t be stored', 2);
  });
  expect(failed).toMatchObject({
    ok: false,
    failure: { type: 'StorageFailed' },
  });
  expect(told).toEqual([
    ['open', true],
    ['commit', true],
  ]);
  const found = await connection.read<number>(['store'], (transaction, answer) => {
    const counted = transaction.objectStore('store').count();
    counted.onsuccess = () => answer(counted.result);
  });
  expect(found).toEqual({ ok: true, value: 0 });
});

test('a blob that can’t be read for a moment is read from a new transaction, and the image is not set aside', async () => {
  const storageName = newStorageName();
  const database = await opened(browserStorage(storageName));
  value(await database.commit('test', add('a', 'x'.repeat(1_500_000))));
  expect(value(await database.compactIfWorthwhile())).toBe(true);
  await database.close();
  const first: Blob[] = [];
  const { arrayBuffer } = Blob.prototype;
  vi.spyOn(Blob.prototype, 'arrayBuffer').mockImplementation(function (this: Blob) {
    if (first.length === 0) first.push(this);
    if (first.includes(this)) return Promise.reject(new DOMException('', 'NotReadableError'));
    return arrayBuffer.call(this);
  });
  const storage = browserStorage(storageName);
  expect(await keys(await opened(storage))).toEqual(['a']);
  expect(first).toHaveLength(1);
  expect(value(await storage.kept.list())).toEqual([]);
});
