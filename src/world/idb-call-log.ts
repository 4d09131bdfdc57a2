/**
 * Owns: the call log in an IndexedDB database of its own, apart from the agent's.
 * Leaves: what a line means to call-log.ts.
 */
import type { UseStore } from 'idb-keyval';
import { promisifyRequest } from 'idb-keyval';
import type { CallLog, ReceivedCall } from './call-log.ts';

/** Opens (or creates) the log. Rejects where the browser refuses IndexedDB: the caller then says so. */
export async function openIdbCallLog(name: string): Promise<CallLog> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('calls', { keyPath: 'number', autoIncrement: true });
  };
  const database = await promisifyRequest(request);
  database.onversionchange = () => {
    database.close();
  };
  const use: UseStore = async (mode, callback) =>
    callback(database.transaction('calls', mode, { durability: 'strict' }).objectStore('calls'));

  const all = (): Promise<ReceivedCall[]> =>
    use('readonly', (store) => promisifyRequest<ReceivedCall[]>(store.getAll()));
  return {
    append: (call) =>
      use('readwrite', (store) => {
        store.add(call);
        return promisifyRequest<undefined>(store.transaction);
      }),
    list: async (lab) => (await all()).filter((call) => call.lab === lab),
    keepOnly: async (labs) => {
      const gone = (await all()).filter((call) => !labs.includes(call.lab));
      if (gone.length === 0) return;
      await use('readwrite', (store) => {
        for (const call of gone) store.delete(call.number);
        return promisifyRequest<undefined>(store.transaction);
      });
    },
  };
}
