/** Owns: deleting an IndexedDB database, in bounded time: somebody may hold it open. */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { notSaved } from './idb-failures.ts';
import type { Waits } from './waits.ts';

/** Deletes a database; handles that other pages hold are asked to close. */
export function deleteDatabase(
  factory: IDBFactory,
  name: string,
  waits: Waits,
): Promise<Result<null, StorageFailure>> {
  return new Promise((resolve) => {
    const stuck: StorageFailure = { type: 'StorageStuck', what: 'commit', seconds: waits.open / 1000 };
    const wait = setTimeout(() => resolve(fail(stuck)), waits.open);
    const done = (result: Result<null, StorageFailure>): void => {
      clearTimeout(wait);
      resolve(result);
    };
    const request = factory.deleteDatabase(name);
    request.onsuccess = () => done(succeed(null));
    request.onerror = () => done(fail(notSaved(request.error)));
  });
}
