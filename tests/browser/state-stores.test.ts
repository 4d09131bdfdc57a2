/** The stores of threads over the browser's real storage: SQLite over IndexedDB, files in the origin private file system. */
import { describe, expect, test } from 'vitest';
import { noCrash } from '../../src/engine/crash.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { webLock } from '../../src/threads/file-folder.ts';
import { FileStateStore } from '../../src/threads/file-state-store.ts';
import { opfsFolder } from '../../src/threads/opfs-folder.ts';
import { stateStoreContract } from '../contract/state-store.ts';
import { browserSqlite, browserStorage, newStorageName } from '../support/browser-storage.ts';
import { sqliteThreads } from '../support/sqlite-threads.ts';
import { saying } from '../support/thread-states.ts';

const fixed = { now: () => '2026-01-05T09:00:00.000Z' };

describe('in SQLite over IndexedDB', () => {
  stateStoreContract(
    async (clock) => {
      const name = newStorageName();
      const [sqlite, checksum] = await Promise.all([browserSqlite(), loadChecksum()]);
      return () => {
        const store = browserStorage(name).pages;
        const parts = { sqlite, store, checksum, crash: noCrash, random: cryptoRandom, clock: fixed };
        return sqliteThreads(parts, clock);
      };
    },
    { schedules: 2 },
  );
});

describe('in the origin private file system', () => {
  stateStoreContract(
    async (clock) => {
      const name = newStorageName().replaceAll(':', '-');
      return async () => {
        const folder = await opfsFolder(navigator.storage, name);
        return new FileStateStore({ folder, lock: webLock(navigator.locks, name), clock });
      };
    },
    { schedules: 2 },
  );

  test('a file that is written in vain leaves the one before', async () => {
    const name = newStorageName().replaceAll(':', '-');
    const folder = await opfsFolder(navigator.storage, name);
    const store = new FileStateStore({ folder, lock: webLock(navigator.locks, name), clock: fixed });
    const stored = await store.saveState('t', saying('one'));
    const root = await navigator.storage.getDirectory();
    const file = await (await root.getDirectoryHandle(name)).getFileHandle('t.json');
    const writable = await file.createWritable();
    await writable.write('half of');
    await writable.abort();
    expect(await store.loadState('t')).toEqual(stored);
    expect((await store.listThreads()).unread).toEqual([]);
  });

  test('a folder that the browser refuses is a refusal of its own', async () => {
    const storage = {
      getDirectory: () => Promise.reject(new DOMException('no', 'SecurityError')),
    } as unknown as StorageManager;
    await expect(opfsFolder(storage, 'threads')).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      reason: 'the browser refuses private files (SecurityError: no)',
    });
  });
});
