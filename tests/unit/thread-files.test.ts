/** Files of threads: those of aisuite's store are read here, and ours are as it would write them. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { StateCorruptError, StateNewerError, ThreadIdError } from '../../src/threads/errors.ts';
import { lockInWorker, webLock } from '../../src/threads/file-folder.ts';
import { FileStateStore } from '../../src/threads/file-state-store.ts';
import { InMemoryStateStore } from '../../src/threads/in-memory-state-store.ts';
import { MemoryFolder } from '../../src/threads/memory-folder.ts';
import { opfsFolder } from '../../src/threads/opfs-folder.ts';
import { importThread, readThreadFile, threadFile } from '../../src/threads/thread-files.ts';
import { fileNameOf, idInFileName, longestId } from '../../src/threads/thread-ids.ts';
import { isoTime, notBefore } from '../../src/threads/times.ts';
import { trickyIds } from '../contract/state-store.ts';
import { saying } from '../support/thread-states.ts';

const clock = { now: () => '2026-03-01T12:00:00.500Z' };
const place = 'tests/support/thread-files';
const names = readdirSync(place);
const textOf = (bytes: Uint8Array | null): string => new TextDecoder().decode(bytes ?? undefined);

async function withFixtures(): Promise<{ folder: MemoryFolder; store: FileStateStore }> {
  const folder = new MemoryFolder();
  for (const name of names) await folder.write(name, new Uint8Array(readFileSync(`${place}/${name}`)));
  return { folder, store: new FileStateStore({ folder, lock: lockInWorker(), clock }) };
}

/** Every key with the type of its value, in order. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.entries(value).map(([key, item]) => [key, shape(item)]);
}

describe('files that aisuite’s store wrote', () => {
  test('are all there, under their ids', async () => {
    const { store } = await withFixtures();
    const listed = await store.listThreads();
    expect(listed.unread).toEqual([]);
    expect(listed.threads.map(({ threadId, revision }) => [threadId, revision])).toEqual([
      ['support-1', 1],
      [`team/ünit (2) 🚒 it's ~ok~`, 12],
    ]);
  });

  test.each(names)('%s is written again byte for byte', (name) => {
    const bytes = new Uint8Array(readFileSync(`${place}/${name}`));
    const file = threadFile(readThreadFile({ name, bytes }));
    expect(file.name).toBe(name);
    expect(textOf(file.bytes)).toBe(textOf(bytes));
  });

  test('are gone on with: keys, order and types stay', async () => {
    const { folder, store } = await withFixtures();
    for (const name of names) {
      const before: unknown = JSON.parse(textOf(await folder.read(name)));
      const { thread_id, state, revision, created_at, updated_at } = readThreadFile({
        name,
        bytes: (await folder.read(name))!,
      });
      const saved = await store.saveState(thread_id, state, { revision });
      expect(saved).toMatchObject({ revision: revision + 1, created_at, state });
      expect(Date.parse(saved.updated_at)).toBeGreaterThan(Date.parse(updated_at));
      const after = textOf(await folder.read(name));
      expect(shape(JSON.parse(after))).toEqual(shape(before));
      expect(after.endsWith('}\n')).toBe(true);
    }
    expect((await folder.list()).toSorted()).toEqual(names.toSorted());
  });

  test('keep what another program added to them', async () => {
    const { folder, store } = await withFixtures();
    const text = textOf(await folder.read('support-1.json'));
    await folder.write(
      'support-1.json',
      new TextEncoder().encode(text.replace('{"created_at"', '{"added": [1, null], "created_at"')),
    );
    await store.saveState('support-1', saying('more'));
    expect(textOf(await folder.read('support-1.json'))).toMatch(/^\{"added": \[1, null\], "created_at"/);
  });

  test('keys of an empty object are those of a first save here', async () => {
    const { folder, store } = await withFixtures();
    await store.createState('new', saying('Is the lift free?'));
    const shapeOf = async (name: string) => shape(JSON.parse(textOf(await folder.read(name))));
    expect(await shapeOf('new.json')).toEqual(await shapeOf('support-1.json'));
  });
});

describe('the name of a file', () => {
  test.each([
    ['a/b c', 'a%2Fb%20c.json'],
    [`!'()*~_.-`, '%21%27%28%29%2A~_.-.json'],
    ['..', '...json'],
    ['é🚒', '%C3%A9%F0%9F%9A%92.json'],
    ['__proto__', '__proto__.json'],
    ['x'.repeat(208), `${'x'.repeat(208)}.json`],
  ])('of %s is as Python’s quote makes it', (id, name) => {
    expect(fileNameOf(id)).toBe(name);
    expect(idInFileName(name)).toBe(id);
  });

  test('of a long id fits into any file system, with room for what is put beside it', () => {
    const long = ['x'.repeat(209), 'x'.repeat(longestId), '🚒'.repeat(longestId), `${'/'.repeat(300)}`];
    for (const name of long.map(fileNameOf)) {
      expect(name.length).toBeLessThanOrEqual(213);
      expect(name).toMatch(/^[\w.~%-]+=[0-9a-f]{64}\.json$/);
      expect(() => decodeURIComponent(name.split('=')[0]!.replace(/(%F0|%9F|%9A|%92)+$/, ''))).not.toThrow();
      expect(idInFileName(name)).toBe(null);
    }
  });

  test('is another one for each id', () => {
    const ids = [...trickyIds, 'x'.repeat(209), `${'x'.repeat(208)}y`];
    expect(new Set(ids.map(fileNameOf)).size).toBe(ids.length);
  });
});

describe('a file to be imported', () => {
  const store = new InMemoryStateStore({ clock });
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const bytes = new Uint8Array(readFileSync(`${place}/support-1.json`));
  const failure = async (file: Uint8Array): Promise<unknown> =>
    importThread(store, { name: 'f.json', bytes: file }).catch((error: unknown) => error);

  test('that is no thread, or a newer one, is refused by name, and nothing is stored', async () => {
    const text = textOf(bytes);
    expect(await failure(bytesOf('hello'))).toBeInstanceOf(StateCorruptError);
    expect(await failure(Uint8Array.from([0xff, 0xfe]))).toMatchObject({
      message: `What is stored for thread 'f.json' can’t be read: its bytes are no UTF-8 text. It was left as it is.`,
    });
    expect(await failure(bytesOf(text.replace('_version": 1', '_version": 3')))).toBeInstanceOf(
      StateNewerError,
    );
    expect(await failure(bytesOf(text.replace('"support-1"', '""')))).toBeInstanceOf(ThreadIdError);
    expect((await store.listThreads()).threads).toEqual([]);
  });
});

describe('a folder', () => {
  test('that gives the file of another id for this one, not telling capitals apart, is not written to', async () => {
    const folder = new MemoryFolder();
    const careless = {
      list: () => folder.list(),
      read: (name: string) => folder.read(name.toLowerCase()),
      write: (name: string, bytes: Uint8Array) => folder.write(name.toLowerCase(), bytes),
      delete: (name: string) => folder.delete(name.toLowerCase()),
    };
    const store = new FileStateStore({ folder: careless, lock: lockInWorker(), clock });
    await store.createState('thread', saying('kept'));
    for (const work of [() => store.loadState('Thread'), () => store.saveState('Thread', saying('other'))]) {
      expect(await work().catch((error: unknown) => error)).toMatchObject({
        name: 'StateCorruptError',
        keptAs: null,
      });
    }
    await store.deleteState('Thread');
    expect((await store.loadState('thread'))?.revision).toBe(1);
    expect(await folder.list()).toEqual(['thread.json']);
  });

  test('that a crash leaves between a tombstone and the deletion has the thread as it was', async () => {
    const folder = new MemoryFolder();
    const store = new FileStateStore({
      folder: {
        list: () => folder.list(),
        read: (name) => folder.read(name),
        write: (name, bytes) => folder.write(name, bytes),
        delete: () => Promise.reject(new Error('crash')),
      },
      lock: lockInWorker(),
      clock,
    });
    const stored = await store.saveState('t', saying('one'));
    await expect(store.deleteState('t')).rejects.toThrow('crash');
    expect(await store.loadState('t')).toEqual(stored);
    expect((await store.saveState('t', saying('two'), { revision: 1 })).revision).toBe(2);
  });

  test('is refused where the browser has no private files or no locks', async () => {
    for (const storage of [undefined, {} as StorageManager]) {
      await expect(opfsFolder(storage, 'threads')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    }
    expect(() => webLock(undefined, 'threads')).toThrow('Web Locks');
  });
});

describe('times', () => {
  test('are written as Python writes them', () => {
    expect(isoTime('2026-01-05T09:00:00.123Z')).toBe('2026-01-05T09:00:00.123000+00:00');
    expect(isoTime('2026-01-05T09:00:00.000Z')).toBe('2026-01-05T09:00:00+00:00');
  });

  test.each([
    ['2026-01-05T09:00:00.123456+00:00', '2026-01-05T09:00:00.123000+00:00', 0],
    ['2026-01-05T09:00:00+00:00', '2026-01-05T09:00:00.500000+00:00', 1],
    ['2026-01-05T11:00:00+02:00', '2026-01-05T09:00:01+00:00', 1],
    ['2026-01-05T09:00:01Z', '2026-01-05T09:00:00+00:00', 0],
    ['yesterday', '2026-01-05T09:00:00+00:00', 1],
  ])('of %s and then %s the later one holds', (before, now, later) => {
    expect(notBefore(before, now)).toBe([before, now][later]);
  });
});
