/** The database over the browser's real IndexedDB: damage, refusal, lost connections, full disks. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { noCrash } from '../../src/engine/crash.ts';
import { succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import { loadChecksum, type Checksum } from '../../src/storage/checksum.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { pageSize } from '../../src/storage/image-pages.ts';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { sameBytes } from '../../src/storage/recorder-check.ts';
import type { Sqlite } from '../../src/storage/sqlite.ts';
import { joinTabs } from '../../src/storage/tabs.ts';
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

const clock = { now: () => '2025-01-01T00:00:00.000Z' };

function open(storage: ImageStorage): Promise<Result<AgentDatabase>> {
  return openDatabase({
    sqlite,
    store: storage.pages,
    checksum,
    crash: noCrash,
    random: cryptoRandom,
    clock,
  });
}

function add(key: string, text = ''): (transaction: Transaction) => Result<number> {
  return (transaction) =>
    succeed(transaction.run('INSERT INTO tool_effects VALUES (?, ?, ?)', [key, 'tool', text]));
}

async function keys(database: AgentDatabase): Promise<unknown[]> {
  return database.read((reader) =>
    reader.all('SELECT idempotency_key FROM tool_effects ORDER BY 1').map((row) => row['idempotency_key']),
  );
}

/** A stored image with two commits, closed; `name` is the database that holds it. */
async function stored(): Promise<{ storageName: string; name: string; bytes: Uint8Array }> {
  const storageName = newStorageName();
  const storage = browserStorage(storageName);
  const database = value(await open(storage));
  value(await database.commit('test', add('a', 'x'.repeat(9000))));
  value(await database.commit('test', add('b')));
  const name = value(await storage.pages.open())?.name ?? '';
  const bytes = await database.image();
  await database.close();
  return { storageName, name, bytes };
}

/** Works on a store behind everybody's back. */
function meddle(name: string, store: string, work: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onerror = () => reject(new Error('not opened'));
    request.onsuccess = () => {
      const transaction = request.result.transaction(store, 'readwrite');
      work(transaction.objectStore(store));
      transaction.oncomplete = () => {
        request.result.close();
        resolve();
      };
      transaction.onabort = () => reject(new Error('aborted'));
    };
  });
}

type Change = (value: Record<string, unknown>) => unknown;

function change(name: string, store: string, key: IDBValidKey, changed: Change): Promise<void> {
  return meddle(name, store, (objects) => {
    const request = objects.get(key);
    request.onsuccess = () => {
      objects.put(changed(request.result as Record<string, unknown>), key);
    };
  });
}

function changePiece(name: string, changed: (piece: Uint8Array) => Uint8Array): Promise<void> {
  return meddle(name, 'chunks', (chunks) => {
    const request: IDBRequest<Uint8Array> = chunks.get(0);
    request.onsuccess = () => {
      chunks.put(changed(request.result), 0);
    };
  });
}

function flipped(bytes: unknown): Uint8Array {
  const copy = (bytes as Uint8Array).slice();
  copy[copy.length >> 1]! ^= 1;
  return copy;
}

test('an acknowledged commit is there after opening again', async () => {
  const { storageName, bytes } = await stored();
  const again = value(await open(browserStorage(storageName)));
  expect(await keys(again)).toEqual(['a', 'b']);
  expect(await again.image()).toEqual(bytes);
  expect(again.state).toMatchObject({ kind: 'indexeddb', generation: 2, savedAtUtc: null });
});

test.each<[string, RegExp, (name: string) => Promise<void>]>([
  ['a flipped bit in a piece', /piece 0 of the base is damaged/, (name) => changePiece(name, flipped)],
  [
    'a piece that is too short',
    /piece 0 of the base is damaged/,
    (name) => changePiece(name, (piece) => piece.slice(0, pageSize)),
  ],
  [
    'a missing piece',
    /piece 0 of the base is missing/,
    (name) => meddle(name, 'chunks', (chunks) => chunks.delete(0)),
  ],
  [
    'a flipped bit in a commit',
    /commit 1 is damaged/,
    (name) => change(name, 'log', 1, (record) => ({ ...record, changes: flipped(record['changes']) })),
  ],
  ['a missing commit', /commit 1 is missing/, (name) => meddle(name, 'log', (log) => log.delete(1))],
  [
    'a commit that follows another',
    /commit 2 is damaged/,
    (name) => change(name, 'log', 2, (record) => ({ ...record, parent: 'nobody' })),
  ],
  [
    'another page count in the base',
    /the base record is damaged/,
    (name) => change(name, 'meta', 'base', (base) => ({ ...base, pageCount: 1 })),
  ],
  [
    'a piece too many',
    /the base has 2 of 1 pieces/,
    (name) => meddle(name, 'chunks', (chunks) => chunks.put(new Uint8Array(pageSize), 1)),
  ],
  [
    'a commit with an impossible page count',
    /commit 1 is damaged/,
    (name) => change(name, 'log', 1, (record) => ({ ...record, pageCount: 2 ** 50 })),
  ],
  [
    'an older format',
    /it has format 0, of an older page/,
    (name) => change(name, 'meta', 'base', (base) => ({ ...base, format: 0 })),
  ],
  ['no base', /the base record is not readable/, (name) => meddle(name, 'meta', (meta) => meta.clear())],
])(
  '%s: the image is set aside, can be downloaded, and a fresh one starts beside it',
  async (_, reason, damage) => {
    const { storageName, name } = await stored();
    await damage(name);
    const storage = browserStorage(storageName);
    const failed = await open(storage);
    expect(failed).toMatchObject({ ok: false, failure: { type: 'ImageDamaged', quarantined: name } });
    expect(failed).toHaveProperty('failure.reason', expect.stringMatching(reason));
    const [kept] = value(await storage.kept.list());
    expect(kept).toMatchObject({ name, kind: 'quarantined', atUtc: clock.now() });
    const fresh = value(await open(storage));
    expect(await keys(fresh)).toEqual([]);
    value(await fresh.commit('test', add('new')));
    const download = value(await storage.kept.get(name));
    expect(download?.length).toBe(kept?.bytes);
    expect(value(await storage.kept.list())).toHaveLength(1);
    value(await storage.kept.delete(name));
    expect(value(await storage.kept.list())).toEqual([]);
    expect((await indexedDB.databases()).some((database) => database.name === name)).toBe(false);
    expect(await keys(value(await open(browserStorage(storageName))))).toEqual(['new']);
  },
);

test('an image that SQLite finds unsound is set aside, byte for byte', async () => {
  const storage = browserStorage(newStorageName());
  const database = value(await open(storage));
  value(await database.commit('test', add('a', 'x'.repeat(9000))));
  const bytes = await database.image();
  // Page 2 belongs to a table; a page of 255 is none.
  bytes.fill(255, pageSize, 2 * pageSize);
  value(await database.replace('spoil', { bytes }).catch(() => succeed(null)));
  const spoilt = await database.image();
  const failed = await open(storage);
  expect(failed).toMatchObject({ ok: false, failure: { type: 'ImageDamaged' } });
  const [kept] = value(await storage.kept.list());
  expect(value(await storage.kept.get(kept?.name ?? ''))).toEqual(spoilt);
});

test('a tab that still holds an image that another set aside is told, and writes nothing there', async () => {
  const { storageName, name } = await stored();
  const holder = value(await open(browserStorage(storageName)));
  await changePiece(name, flipped);
  const storage = browserStorage(storageName);
  expect((await open(storage)).ok).toBe(false);
  value(await open(storage));
  const replaced = { ok: false, failure: { type: 'StorageGone', replaced: true } };
  expect(await holder.commit('test', add('late'))).toEqual(replaced);
  expect(await keys(holder)).toEqual(['a', 'b']);
  expect(await keys(value(await open(browserStorage(storageName))))).toEqual([]);
});

test('a newer format is opened by nobody and changed by nobody', async () => {
  const { storageName, name } = await stored();
  await change(name, 'meta', 'base', (base) => ({ ...base, format: 2 }));
  const storage = browserStorage(storageName);
  const failure = { type: 'FormatNewer', what: 'image', image: name, stored: 2, known: 1 };
  const newer = { ok: false, failure };
  expect(await open(storage)).toEqual(newer);
  expect(value(await storage.kept.list())).toEqual([]);
  expect(await open(storage)).toEqual(newer);
});

test('IndexedDB that is refused, by a throw or by an error, is a failure and never a silent fall-back', async () => {
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError');
  });
  expect(await open(browserStorage(newStorageName()))).toMatchObject({ failure: { type: 'StorageRefused' } });
});

test('IndexedDB that does not answer is a failure after two bounded waits', async () => {
  const opening = vi
    .spyOn(IDBFactory.prototype, 'open')
    .mockImplementation(() => new EventTarget() as unknown as IDBOpenDBRequest);
  const storage = browserStorage(newStorageName(), { waits: { open: 20, transaction: 20 } });
  expect(await open(storage)).toMatchObject({ failure: { type: 'StorageStuck', what: 'open' } });
  expect(opening).toHaveBeenCalledTimes(2);
});

/** Lets the next `times` transactions that add a record run to the request's success, and then fail. */
function failAfterSuccess(times: number, how: (transaction: IDBTransaction) => void): void {
  const original = IDBObjectStore.prototype.add;
  let left = times;
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(function (this: IDBObjectStore, ...values) {
    const request = original.apply(this, values);
    left -= 1;
    if (left >= 0) request.addEventListener('success', () => how(this.transaction));
    return request;
  });
}

test('a request that succeeded in a transaction that aborted is no acknowledgement', async () => {
  const storage = browserStorage(newStorageName());
  const database = value(await open(storage));
  failAfterSuccess(2, (transaction) => transaction.abort());
  expect(await database.commit('test', add('a'))).toMatchObject({
    ok: false,
    failure: { type: 'OutcomeUnknown' },
  });
  expect(await keys(database)).toEqual([]);
  expect(database.state.generation).toBe(0);
});

test('a commit whose transaction is lost once is sent again, and stored once', async () => {
  const storage = browserStorage(newStorageName());
  const database = value(await open(storage));
  failAfterSuccess(1, (transaction) => transaction.abort());
  value(await database.commit('test', add('a')));
  expect(value(await storage.pages.open())?.log).toHaveLength(1);
  expect(await keys(value(await open(storage)))).toEqual(['a']);
});

test('a full disk is told as such, and memory is what is stored', async () => {
  const storage = browserStorage(newStorageName());
  const database = value(await open(storage));
  const full = new DOMException('no room', 'QuotaExceededError');
  failAfterSuccess(1, (transaction) => {
    vi.spyOn(transaction, 'error', 'get').mockReturnValue(full);
    transaction.abort();
  });
  expect(await database.commit('test', add('a'))).toMatchObject({ failure: { type: 'StorageFull' } });
  value(await database.commit('test', add('b')));
  expect(await keys(value(await open(storage)))).toEqual(['b']);
});

test('a handle that another page asked to close is opened again at the next use', async () => {
  const { storageName, name } = await stored();
  const database = value(await open(browserStorage(storageName)));
  await new Promise((resolve) => {
    // A higher version asks all handles to close; aborting its upgrade leaves the version as it was.
    const request = indexedDB.open(name, 99);
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onerror = resolve;
  });
  value(await database.commit('test', add('c')));
  expect(await keys(value(await open(browserStorage(storageName))))).toEqual(['a', 'b', 'c']);
});

test('a store that was deleted under an open database is not made again in silence', async () => {
  const { storageName, name } = await stored();
  const database = value(await open(browserStorage(storageName)));
  await new Promise((resolve) => {
    indexedDB.deleteDatabase(name).onsuccess = resolve;
  });
  const gone = { ok: false, failure: { type: 'StorageGone', replaced: false } };
  expect(await database.commit('test', add('c'))).toEqual(gone);
  expect(value(await database.storeAgain())).toBe(true);
  value(await database.commit('test', add('d')));
  expect(await keys(value(await open(browserStorage(storageName))))).toEqual(['a', 'b', 'd']);
});

test('two tabs over IndexedDB lose and double nothing', async () => {
  const storageName = newStorageName();
  const tabs = [
    value(await open(browserStorage(storageName))),
    value(await open(browserStorage(storageName))),
  ];
  const wanted = Array.from({ length: 40 }, (_, index) => `k${index}`);
  const outcomes = await Promise.all(wanted.map((key, index) => tabs[index % 2]!.commit('test', add(key))));
  const acknowledged = wanted.filter((_, index) => outcomes[index]?.ok);
  expect(await keys(value(await open(browserStorage(storageName))))).toEqual(acknowledged.sort());
  expect(acknowledged.length).toBeGreaterThan(20);
});

/** The forms in which the pieces of an image lie in its database. */
async function pieceForms(name: string): Promise<string[]> {
  let forms: string[] = [];
  await meddle(name, 'chunks', (chunks) => {
    const request: IDBRequest<unknown[]> = chunks.getAll();
    request.onsuccess = () => {
      forms = request.result.map((piece) => Object.prototype.toString.call(piece).slice(8, -1));
    };
  });
  return forms;
}

const large = (): string => 'x'.repeat(1_500_000);

test('a large piece is stored as a blob, and is there after opening again', async () => {
  const storageName = newStorageName();
  const storage = browserStorage(storageName);
  const database = value(await open(storage));
  value(await database.commit('test', add('a', large())));
  expect(value(await database.compactIfWorthwhile())).toBe(true);
  const name = value(await storage.pages.open())?.name ?? '';
  expect(await pieceForms(name)).toEqual(['Blob']);
  const bytes = await database.image();
  await database.close();
  const again = value(await open(browserStorage(storageName)));
  expect(sameBytes(await again.image(), bytes)).toBe(true);
});

test('where the browser stores no blobs a large piece is stored as bytes, and nothing is lost', async () => {
  const put = IDBObjectStore.prototype.put;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    // As WebKit does in private windows: the transaction is given up after the request was made.
    if (value instanceof Blob) queueMicrotask(() => this.transaction.abort());
    return put.call(this, value instanceof Blob ? 'no blob' : value, key);
  });
  const storageName = newStorageName();
  const storage = browserStorage(storageName);
  const database = value(await open(storage));
  value(await database.commit('test', add('a', large())));
  expect(value(await database.compactIfWorthwhile())).toBe(true);
  const name = value(await storage.pages.open())?.name ?? '';
  expect(await pieceForms(name)).toEqual(['Uint8Array']);
  const bytes = await database.image();
  const again = value(await open(browserStorage(storageName)));
  expect(sameBytes(await again.image(), bytes)).toBe(true);
});

test('other tabs are told of a commit, and not the one that made it', async () => {
  const name = newStorageName();
  const mine: number[] = [];
  const one = joinTabs(name, (generation) => mine.push(generation));
  const heard = await new Promise((resolve) => {
    joinTabs(name, resolve);
    one.announce(7);
  });
  expect(heard).toBe(7);
  expect(mine).toEqual([]);
  one.close();
});
