/**
 * Owns: the call log in an IndexedDB database of its own, apart from the agent's.
 * Leaves: what a line means to call-log.ts; handles that die and waits that end to storage/idb-connection.ts.
 * Invariant: a line's number, and what it says of the lines before it, are found in the transaction that adds it.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import { decodeJson, isJsonObject } from '../engine/json.ts';
import type { IdbConnection } from '../storage/idb-connection.ts';
import type { CallLog, Made, ReceivedCall } from './call-log.ts';

/** The only store; a line's key is its number. */
export const callStores = ['calls'] as const;

/** What pages have stored so far: the first ones knew fewer members. */
type StoredCall = Pick<
  ReceivedCall,
  'number' | 'lab' | 'key' | 'tool' | 'argumentsJson' | 'answerJson' | 'receivedAtUtc'
> &
  Partial<ReceivedCall>;

/** Nothing is opened yet: a refusal is the first line's failure. */
export function idbCallLog(connection: IdbConnection): CallLog {
  async function all(): Promise<Result<readonly ReceivedCall[], StorageFailure>> {
    const read = await connection.read<ReceivedCall[]>(callStores, (transaction, answer) => {
      const request: IDBRequest<StoredCall[]> = transaction.objectStore('calls').getAll();
      request.onsuccess = () => {
        answer(request.result.map(callFromStored));
      };
    });
    return read.ok ? succeed(read.value ?? []) : read;
  }
  return {
    append: async (line) => {
      const done = await connection.write<number>(callStores, (transaction, answer) => {
        const store = transaction.objectStore('calls');
        const last = store.openKeyCursor(null, 'prev');
        last.onsuccess = () => {
          const number = Number(last.result?.key ?? 0) + 1;
          store.add({ ...line, number }, number);
          answer(number);
        };
      });
      return present(done);
    },
    appendAfter: async <T>(lab: string, make: (earlier: readonly ReceivedCall[]) => Made<T>) => {
      const done = await connection.write<{ number: number; value: T }>(callStores, (transaction, answer) => {
        const store = transaction.objectStore('calls');
        const request: IDBRequest<StoredCall[]> = store.getAll();
        request.onsuccess = () => {
          const calls = request.result.map(callFromStored);
          const { line, value } = make(calls.filter((call) => call.lab === lab));
          const number = (calls.at(-1)?.number ?? 0) + 1;
          store.add({ ...line, number }, number);
          answer({ number, value });
        };
      });
      return present(done);
    },
    end: async (number, end) => {
      const done = await connection.write<null>(callStores, (transaction) => {
        const store = transaction.objectStore('calls');
        const request: IDBRequest<StoredCall | undefined> = store.get(number);
        request.onsuccess = () => {
          if (request.result !== undefined) store.put({ ...request.result, ...end }, number);
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

/** A transaction that completed has answered. */
function present<T>(done: Result<T | undefined, StorageFailure>): Result<T, StorageFailure> {
  if (!done.ok) return done;
  return done.value === undefined
    ? fail({ type: 'StorageFailed', reason: 'the log gave no number' })
    : succeed(done.value);
}

/** A line of an older page says less: its desk did the work of every call, or answered with an error. */
function callFromStored(stored: StoredCall): ReceivedCall {
  const answer = decodeJson(stored.answerJson)?.value;
  const failed = isJsonObject(answer) && 'error' in answer;
  return {
    destination: null,
    argumentsHash: null,
    work: failed ? 'failed' : 'done',
    reply: 'given',
    ...stored,
  };
}
