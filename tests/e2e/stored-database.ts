/** Owns: the lab's stored database behind its back: what lies in IndexedDB, and changing it as no page of ours would. */
import type { Page } from '@playwright/test';
import { loadChecksum } from '../../src/storage/checksum.ts';
import { ImagePages } from '../../src/storage/image-pages.ts';
import { sealBase } from '../../src/storage/stored-records.ts';

export type Damage =
  'flipped bit in a commit' | 'other page count' | 'older format' | 'newer format' | 'no base';

/** The name of the IndexedDB database that holds the current image. */
export function currentImage(bystander: Page): Promise<string> {
  return bystander.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opening = indexedDB.open('crashpoint:/');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('directory');
          const current: IDBRequest<string> = transaction.objectStore('directory').get('current');
          transaction.oncomplete = () => {
            opening.result.close();
            resolve(current.result);
          };
        };
      }),
  );
}

/** `bystander`: a page of the same origin, with the lab closed. The name of the image that was changed. */
export async function damage(bystander: Page, how: Damage): Promise<string> {
  const image = await currentImage(bystander);
  await bystander.evaluate(
    async ([name, what]) => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
      });
      const answer = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
      const store = (of: string): IDBObjectStore => database.transaction(of, 'readwrite').objectStore(of);
      const flip = <B extends ArrayBufferLike>(bytes: Uint8Array<B>): Uint8Array<ArrayBuffer> => {
        const at = bytes.length >> 1;
        return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
      };
      const changeBase = async (part: (base: { pageCount: number }) => object): Promise<void> => {
        const base: { pageCount: number } = await answer(store('meta').get('base'));
        await answer(store('meta').put({ ...base, ...part(base) }, 'base'));
      };
      switch (what) {
        case 'flipped bit in a commit': {
          const record: { changes: Uint8Array } = await answer(store('log').get(2));
          await answer(store('log').put({ ...record, changes: flip(record.changes) }, 2));
          break;
        }
        case 'other page count':
          await changeBase((base) => ({ pageCount: base.pageCount - 1 }));
          break;
        case 'older format':
          await changeBase(() => ({ format: 0 }));
          break;
        case 'newer format':
          await changeBase(() => ({ format: 2 }));
          break;
        case 'no base':
          await answer(store('meta').clear());
          break;
      }
      database.close();
    },
    [image, how] as const,
  );
  return image;
}

/** Everything that is stored in this IndexedDB database, as text: equal texts, equal stores. */
export function contentOf(bystander: Page, name: string): Promise<string> {
  return bystander.evaluate(async (wanted) => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open(wanted);
      opening.onsuccess = () => resolve(opening.result);
    });
    const answer = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const plain = async (value: unknown): Promise<unknown> => {
      if (value instanceof Blob) return [...new Uint8Array(await value.arrayBuffer())].join();
      return JSON.stringify(value, (_, part: unknown) =>
        part instanceof Uint8Array ? [...part].join() : part,
      );
    };
    const found: unknown[] = [];
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store, 'readonly').objectStore(store);
      const [keys, values] = await Promise.all([answer(objects.getAllKeys()), answer(objects.getAll())]);
      found.push([store, keys, await Promise.all(values.map(plain))]);
    }
    database.close();
    return JSON.stringify(found);
  }, name);
}

/** Puts another SQLite file in place of the stored one, as a page whose tables are of another version would. */
export async function replaceStored(bystander: Page, bytes: Uint8Array): Promise<void> {
  const head = { incarnation: 'a-test', generation: 7, id: 'a-test' };
  const { base } = sealBase(await loadChecksum(), head, ImagePages.adopt([bytes.slice()]));
  await bystander.evaluate(
    async ([name, record, content]) => {
      await new Promise<void>((resolve) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => {
          const transaction = opening.result.transaction(['meta', 'chunks', 'log'], 'readwrite');
          transaction.objectStore('log').clear();
          transaction.objectStore('chunks').clear();
          transaction.objectStore('chunks').put(Uint8Array.from(content), 0);
          transaction.objectStore('meta').put(record, 'base');
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      });
    },
    [await currentImage(bystander), base, [...bytes]] as const,
  );
}
