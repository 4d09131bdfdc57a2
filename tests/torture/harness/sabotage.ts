/**
 * Owns: storage that is broken on purpose, one fault a name, to show that the torture finds it.
 *
 * - early: a commit is acknowledged when it is sent, not when it is durable.
 * - no-base: a commit does not look at the base: it goes under its number though the log there was folded away.
 * - torn: now and then a byte of a stored commit is flipped.
 * `twice` (a transaction that was acknowledged is done again) is the writer's.
 */
import { succeed } from '../../../src/engine/failure.ts';
import type { PageStore } from '../../../src/storage/page-store.ts';
import type { SeededRandom } from '../../support/random.ts';
import type { Sabotage } from '../messages.ts';

export function sabotaged(store: PageStore, sabotage: Sabotage, random: SeededRandom): PageStore {
  const broken: PageStore = Object.create(store) as PageStore;
  // Private fields want the store itself.
  for (const name of ['open', 'create', 'refresh', 'compact', 'quarantine', 'close'] as const) {
    Object.assign(broken, { [name]: store[name].bind(store) });
  }
  let image = '';
  broken.open = async () => {
    const opened = await store.open();
    if (opened.ok && opened.value) image = opened.value.name;
    return opened;
  };
  broken.commit = async (head, record) => {
    if (sabotage === 'early') {
      void store.commit(head, record);
      return succeed({ type: 'saved' });
    }
    const done = await store.commit(head, record);
    if (sabotage === 'no-base' && done.ok && done.value.type === 'moved') {
      await onLog(image, (log) => log.put(record, head.generation + 1));
      return succeed({ type: 'saved' });
    }
    if (sabotage === 'torn' && random.below(50) === 0) {
      const key = head.generation + 1;
      await onLog(image, (log) => {
        const stored: IDBRequest<{ changes: Uint8Array } | undefined> = log.get(key);
        stored.onsuccess = () => {
          const changes = stored.result?.changes.slice();
          if (changes === undefined) return;
          changes[changes.length >> 1]! ^= 1;
          log.put({ ...stored.result, changes }, key);
        };
      });
    }
    return done;
  };
  return broken;
}

function onLog(image: string, work: (log: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(image);
    opening.onerror = () => reject(new Error('not opened'));
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('log', 'readwrite');
      work(transaction.objectStore('log'));
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
      transaction.onabort = () => reject(new Error('aborted'));
    };
  });
}
