/** Owns: the lab's stored database behind its back: what lies in IndexedDB, and changing it as no page of ours would. */
import type { Page } from '@playwright/test';
import { loadChecksum } from '../../src/storage/checksum.ts';
import { ImagePages } from '../../src/storage/image-pages.ts';
import { sealBase } from '../../src/storage/stored-records.ts';

export type Damage =
  | 'flipped bit'
  | 'missing piece'
  | 'short piece'
  | 'flipped bit in a commit'
  | 'missing commit'
  | 'other page count'
  | 'older format'
  | 'newer format'
  | 'no base';

/** `bystander`: a page of the same origin, with the lab closed. The name of the image that was changed. */
export function damage(bystander: Page, how: Damage): Promise<string> {
  return bystander.evaluate(async (what) => {
    const name =
      (await indexedDB.databases()).map((one) => one.name ?? '').find((one) => one.includes('#')) ?? '';
    const flip = (bytes: Uint8Array): Uint8Array => {
      const at = bytes.length >> 1;
      return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
    };
    // A blob is read outside a transaction.
    const blob = await new Promise<Blob>((resolve) => {
      const opening = indexedDB.open(name);
      opening.onsuccess = () => {
        const request: IDBRequest<Blob> = opening.result.transaction('chunks').objectStore('chunks').get(0);
        request.onsuccess = () => {
          opening.result.close();
          resolve(request.result);
        };
      };
    });
    const piece = new Uint8Array(await blob.arrayBuffer());
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => reject(new Error('not opened'));
      opening.onsuccess = () => {
        const transaction = opening.result.transaction(['meta', 'chunks', 'log'], 'readwrite');
        const change = (store: string, key: IDBValidKey, changed: (value: never) => unknown): void => {
          const objects = transaction.objectStore(store);
          const request: IDBRequest<unknown> = objects.get(key);
          request.onsuccess = () => objects.put(changed(request.result as never), key);
        };
        const log = transaction.objectStore('log');
        if (what === 'flipped bit') change('chunks', 0, () => new Blob([new Uint8Array(flip(piece))]));
        if (what === 'missing piece') transaction.objectStore('chunks').delete(0);
        if (what === 'short piece') change('chunks', 0, () => new Blob([piece.slice(0, 4096)]));
        if (what === 'flipped bit in a commit') {
          change('log', 2, (record: { changes: Uint8Array }) => ({
            ...record,
            changes: flip(record.changes),
          }));
        }
        if (what === 'missing commit') log.delete(1);
        if (what === 'other page count') {
          change('meta', 'base', (base: { pageCount: number }) => ({
            ...base,
            pageCount: base.pageCount - 1,
          }));
        }
        if (what === 'older format') change('meta', 'base', (base: object) => ({ ...base, format: 0 }));
        if (what === 'newer format') change('meta', 'base', (base: object) => ({ ...base, format: 2 }));
        if (what === 'no base') transaction.objectStore('meta').clear();
        transaction.oncomplete = () => {
          opening.result.close();
          resolve();
        };
        transaction.onabort = () => reject(new Error('aborted'));
      };
    });
    return name;
  }, how);
}

/** Everything that is stored in this IndexedDB database, as text: equal texts, equal stores. */
export function contentOf(bystander: Page, name: string): Promise<string> {
  return bystander.evaluate(async (wanted) => {
    const found = await new Promise<[string, IDBRequest<IDBValidKey[]>, IDBRequest<unknown[]>][]>(
      (resolve) => {
        const opening = indexedDB.open(wanted);
        opening.onsuccess = () => {
          const stores = [...opening.result.objectStoreNames];
          const transaction = opening.result.transaction(stores, 'readonly');
          const all = stores.map((store): [string, IDBRequest<IDBValidKey[]>, IDBRequest<unknown[]>] => {
            const objects = transaction.objectStore(store);
            return [store, objects.getAllKeys(), objects.getAll()];
          });
          transaction.oncomplete = () => {
            opening.result.close();
            resolve(all);
          };
        };
      },
    );
    const text = async (value: unknown): Promise<unknown> =>
      value instanceof Blob ? [...new Uint8Array(await value.arrayBuffer())].join() : value;
    const plain = (_: string, value: unknown): unknown =>
      value instanceof Uint8Array ? [...value].join() : value;
    const contents = found.map(async ([store, keys, all]) => [
      store,
      keys.result,
      await Promise.all(all.result.map(text)),
    ]);
    return JSON.stringify(await Promise.all(contents), plain);
  }, name);
}

/** Puts another SQLite file in place of the stored one, as a page whose tables are of another version would. */
export async function replaceStored(bystander: Page, bytes: Uint8Array): Promise<void> {
  const head = { incarnation: 'a-test', generation: 7, id: 'a-test' };
  const { base } = sealBase(await loadChecksum(), head, ImagePages.adopt([bytes.slice()]));
  await bystander.evaluate(
    async ([record, content]) => {
      const name = (await indexedDB.databases())
        .map((one) => one.name ?? '')
        .find((one) => one.includes('#'));
      await new Promise<void>((resolve) => {
        const opening = indexedDB.open(name ?? '');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction(['meta', 'chunks', 'log'], 'readwrite');
          transaction.objectStore('log').clear();
          transaction.objectStore('chunks').clear();
          transaction.objectStore('chunks').put(new Blob([Uint8Array.from(content)]), 0);
          transaction.objectStore('meta').put(record, 'base');
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      });
    },
    [base, [...bytes]] as const,
  );
}
