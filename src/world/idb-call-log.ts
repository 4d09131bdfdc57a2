/**
 * Owns: the call log in an IndexedDB database of its own, apart from the agent's.
 * Leaves: what a line means to call-log.ts; handles that die and waits that end to storage/idb-connection.ts.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import type { IdbConnection } from '../storage/idb-connection.ts';
import type { CallLog, ReceivedCall } from './call-log.ts';

/** The only store; a line's key is its number. */
export const callStores = ['calls'] as const;

/** Nothing is opened yet: a refusal is the first line's failure. */
export function idbCallLog(connection: IdbConnection): CallLog {
  async function all(): Promise<Result<readonly ReceivedCall[], StorageFailure>> {
    const read = await connection.read<ReceivedCall[]>(callStores, (transaction, answer) => {
      const request: IDBRequest<ReceivedCall[]> = transaction.objectStore('calls').getAll();
      request.onsuccess = () => {
        answer(request.result);
      };
    });
    return read.ok ? succeed(read.value ?? []) : read;
  }
  return {
    append: async (call) => {
      const done = await connection.write<null>(callStores, (transaction) => {
        const store = transaction.objectStore('calls');
        const last = store.openKeyCursor(null, 'prev');
        last.onsuccess = () => {
          const number = Number(last.result?.key ?? 0) + 1;
          store.add({ ...call, number }, number);
        };
      });
      return done.ok ? succeed(null) : done;
    },
    list: async (lab) => {
      const read = await all();
      return read.ok ? succeed(read.value.filter((call) => call.lab === lab)) : read;
    },
    keepOnly: async (labs) => {
      const read = await all();
      if (!read.ok) return read;
      const gone = read.value.filter((call) => !labs.includes(call.lab));
      if (gone.length === 0) return succeed(null);
      const done = await connection.write<null>(callStores, (transaction) => {
        for (const call of gone) transaction.objectStore('calls').delete(call.number);
      });
      return done.ok ? succeed(null) : done;
    },
  };
}
