/**
 * Owns: one IndexedDB transaction, from its first request to its end, in bounded time.
 * Leaves: handles to idb-connection.ts; what is asked in it to who calls; what an error means to idb-failures.ts.
 *
 * Invariants:
 * - It is done on `complete` only: a request's success is not durability. transaction.commit() is never called: it
 *   gains nothing, and with a worker's end it can wedge the database.
 * - Nothing is asked in it once it was given up: an answer that came late would be met by a body whose values have
 *   changed since (a fold would store pages of a commit that came after it).
 */
import type { StorageFailure } from '../engine/failure.ts';
import { isSure, words } from './idb-failures.ts';

export type Ended<T> =
  | { readonly type: 'complete'; readonly value: T | undefined }
  /** The body called it off with this value. Nothing was written. */
  | { readonly type: 'refused'; readonly value: T }
  /** The browser gave it up: nothing was written, also when requests had succeeded. */
  | { readonly type: 'aborted'; readonly error: DOMException | null }
  /** No answer in so many seconds, or (null) the connection was lost: it may have been written. */
  | { readonly type: 'unknown'; readonly reason: string; readonly seconds: number | null }
  /** It did not begin, or its body failed: nothing was written. */
  | { readonly type: 'failed'; readonly failure: StorageFailure };

export interface Work<T> {
  readonly stores: readonly string[];
  readonly mode: 'readonly' | 'readwrite';
  /**
   * Issues the requests; no await. `answer` sets the value for when the transaction completes; `refuse` calls it off.
   */
  body(transaction: IDBTransaction, answer: (value: T) => void, refuse: (value: T) => void): void;
}

/** How long to wait, and who is told how the waiting ended. */
export interface Patience {
  readonly milliseconds: number;
  answered(): void;
  unanswered(): void;
  /** The connection broke in the middle. */
  lost(): void;
}

/** Rejects with what the body throws; nothing of it is written then. */
export function endOf<T>(transaction: IDBTransaction, work: Work<T>, patience: Patience): Promise<Ended<T>> {
  return new Promise((resolve, reject) => {
    let value: T | undefined;
    let refused: { readonly type: 'refused'; readonly value: T } | null = null;
    const wait = setTimeout(() => {
      const seconds = patience.milliseconds / 1000;
      resolve({ type: 'unknown', reason: `no answer in ${seconds} seconds`, seconds });
      callOff(transaction);
      patience.unanswered();
    }, patience.milliseconds);
    const done = (ended: Ended<T>): void => {
      clearTimeout(wait);
      patience.answered();
      resolve(ended);
    };
    transaction.oncomplete = () => done({ type: 'complete', value });
    transaction.onabort = () => {
      const { error } = transaction;
      if (refused) return done(refused);
      if (isSure(error)) return done({ type: 'aborted', error });
      patience.lost();
      done({ type: 'unknown', reason: words(error), seconds: null });
    };
    const answer = (answered: T): void => {
      value = answered;
    };
    try {
      work.body(transaction, answer, (answered) => {
        refused = { type: 'refused', value: answered };
        transaction.abort();
      });
    } catch (error) {
      clearTimeout(wait);
      callOff(transaction);
      patience.answered();
      reject(error);
    }
  });
}

/** What is on its way to the disk already is not held up. */
function callOff(transaction: IDBTransaction): void {
  // Our own doing is no answer.
  transaction.onabort = null;
  try {
    transaction.abort();
  } catch {
    // It is over, or nothing is left to ask.
  }
}
