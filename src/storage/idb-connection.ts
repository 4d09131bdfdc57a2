/**
 * Owns: one IndexedDB database as it is in the field: refused, stuck, closed under our hands, lost. Every wait is
 * bounded; a handle that died is dropped and opened again once.
 * Leaves: what is in the stores to idb-page-store.ts and idb-directory.ts.
 *
 * A transaction is done on `complete` only: a request's success is not durability. transaction.commit() is never
 * called: it gains nothing, and with a worker's end it can wedge the database.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';

/** The version of the databases themselves. Formats are told apart by the base record, not by this. */
const databaseVersion = 1;

export interface Waits {
  /** Milliseconds for opening; it is tried twice, since the first open of a browser's life may hang. */
  readonly open: number;
  /** Milliseconds for one transaction. */
  readonly transaction: number;
}

export const usualWaits: Waits = { open: 5_000, transaction: 15_000 };

export type Ended<T> =
  | { readonly type: 'complete'; readonly value: T | undefined }
  /** The body called it off with this value. Nothing was written. */
  | { readonly type: 'refused'; readonly value: T }
  /** The browser gave it up: nothing was written, also when requests had succeeded. */
  | { readonly type: 'aborted'; readonly error: DOMException | null }
  /** No answer in time, or the connection was lost: it may have been written. */
  | { readonly type: 'unknown'; readonly reason: string }
  /** It did not begin. */
  | { readonly type: 'failed'; readonly failure: StorageFailure };

export interface Work<T> {
  readonly stores: readonly string[];
  readonly mode: 'readonly' | 'readwrite';
  /**
   * Issues the requests; no await. `answer` sets the value for when the transaction completes; `refuse` calls it off.
   */
  body(transaction: IDBTransaction, answer: (value: T) => void, refuse: (value: T) => void): void;
}

export class IdbConnection {
  readonly name: string;
  readonly #factory: IDBFactory;
  readonly #stores: readonly string[];
  readonly #waits: Waits;
  #handle: IDBDatabase | null = null;

  constructor(factory: IDBFactory, name: string, stores: readonly string[], waits: Waits = usualWaits) {
    this.#factory = factory;
    this.name = name;
    this.#stores = stores;
    this.#waits = waits;
  }

  async run<T>(work: Work<T>): Promise<Ended<T>> {
    for (let attempt = 1; ; attempt += 1) {
      const opened = await this.#opened();
      if (!opened.ok) return { type: 'failed', failure: opened.failure };
      try {
        const options = work.mode === 'readwrite' ? ({ durability: 'strict' } as const) : {};
        return await this.#ended(opened.value.transaction(work.stores, work.mode, options), work);
      } catch (error) {
        if (!(error instanceof DOMException)) throw error;
        // The handle was closed by the browser without a word, or by another page's wish: open once more.
        this.close();
        if (attempt > 1 || error.name !== 'InvalidStateError') {
          return { type: 'failed', failure: { type: 'StorageFailed', reason: words(error) } };
        }
      }
    }
  }

  /** Reads; a read that did not end is a failure, never a doubt. */
  async read<T>(
    stores: readonly string[],
    body: Work<T>['body'],
  ): Promise<Result<T | undefined, StorageFailure>> {
    const ended = await this.run({ stores, mode: 'readonly', body });
    switch (ended.type) {
      case 'complete':
        return succeed(ended.value);
      case 'failed':
        return fail(ended.failure);
      case 'refused':
        return succeed(ended.value);
      case 'aborted':
        return fail({ type: 'StorageFailed', reason: words(ended.error) });
      case 'unknown':
        return fail({ type: 'StorageStuck', what: 'read', seconds: this.#waits.transaction / 1000 });
    }
  }

  /** Writes something that may be written twice without harm, so that a doubt is a plain failure. */
  async write<T>(
    stores: readonly string[],
    body: Work<T>['body'],
  ): Promise<Result<T | undefined, StorageFailure>> {
    const ended = await this.run({ stores, mode: 'readwrite', body });
    switch (ended.type) {
      case 'complete':
        return succeed(ended.value);
      case 'failed':
        return fail(ended.failure);
      case 'refused':
        return succeed(ended.value);
      case 'aborted':
        return fail(notSaved(ended.error));
      case 'unknown':
        return fail({ type: 'OutcomeUnknown', reason: ended.reason });
    }
  }

  close(): void {
    this.#handle?.close();
    this.#handle = null;
  }

  async #opened(): Promise<Result<IDBDatabase, StorageFailure>> {
    if (this.#handle) return succeed(this.#handle);
    let opened = await this.#open();
    if (!opened.ok && opened.failure.type === 'StorageStuck') opened = await this.#open();
    if (!opened.ok) return opened;
    const handle = opened.value;
    const drop = (): void => {
      if (this.#handle === handle) this.#handle = null;
    };
    handle.onclose = drop;
    handle.onversionchange = () => {
      handle.close();
      drop();
    };
    this.#handle = handle;
    return opened;
  }

  #open(): Promise<Result<IDBDatabase, StorageFailure>> {
    return new Promise((resolve) => {
      let late = false;
      const wait = setTimeout(() => {
        late = true;
        resolve(fail({ type: 'StorageStuck', what: 'open', seconds: this.#waits.open / 1000 }));
      }, this.#waits.open);
      const done = (result: Result<IDBDatabase, StorageFailure>): void => {
        clearTimeout(wait);
        if (late && result.ok) result.value.close();
        resolve(result);
      };
      try {
        const request = this.#factory.open(this.name, databaseVersion);
        request.onupgradeneeded = () => {
          for (const store of this.#stores) request.result.createObjectStore(store);
        };
        request.onsuccess = () => done(succeed(request.result));
        request.onerror = () => {
          const newer = request.error?.name === 'VersionError';
          // IndexedDB tells that the stored version is higher, not which it is.
          if (newer) done(fail({ type: 'FormatNewer', stored: databaseVersion + 1, known: databaseVersion }));
          else done(fail(notOpened(request.error)));
        };
      } catch (error) {
        done(fail(notOpened(error)));
      }
    });
  }

  #ended<T>(transaction: IDBTransaction, work: Work<T>): Promise<Ended<T>> {
    return new Promise((resolve) => {
      let value: T | undefined;
      let refused: { readonly type: 'refused'; readonly value: T } | null = null;
      const wait = setTimeout(() => {
        resolve({ type: 'unknown', reason: `no answer in ${this.#waits.transaction / 1000} seconds` });
        this.close();
      }, this.#waits.transaction);
      const done = (ended: Ended<T>): void => {
        clearTimeout(wait);
        resolve(ended);
      };
      transaction.oncomplete = () => done({ type: 'complete', value });
      transaction.onabort = () => {
        const { error } = transaction;
        if (refused) return done(refused);
        if (isSure(error)) return done({ type: 'aborted', error });
        this.close();
        done({ type: 'unknown', reason: words(error) });
      };
      const answer = (answered: T): void => {
        value = answered;
      };
      work.body(transaction, answer, (answered) => {
        refused = { type: 'refused', value: answered };
        transaction.abort();
      });
    });
  }
}

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

/** After these the browser gave up the transaction itself; after others it may have lost touch in the middle. */
function isSure(error: DOMException | null): boolean {
  return (
    error !== null &&
    !['AbortError', 'UnknownError', 'TimeoutError', 'InvalidStateError'].includes(error.name)
  );
}

/**
 * Refused is what a private window, a sandboxed frame or a policy does: no factory, or one of these errors. All else
 * is a failure of a storage that may well hold a person's work.
 */
function notOpened(error: unknown): StorageFailure {
  const reason = words(error);
  if (!(error instanceof DOMException)) return { type: 'StorageRefused', reason };
  if (error.name === 'QuotaExceededError') return { type: 'StorageFull', reason };
  // Chromium, told to keep no site's data, has no name of its own for that.
  const denied = error.name === 'UnknownError' && /denied permission/.test(error.message);
  const refused = denied || ['SecurityError', 'NotAllowedError', 'InvalidStateError'].includes(error.name);
  return { type: refused ? 'StorageRefused' : 'StorageFailed', reason };
}

export function notSaved(error: DOMException | null): StorageFailure {
  const full = error?.name === 'QuotaExceededError';
  return { type: full ? 'StorageFull' : 'NotSaved', reason: words(error) };
}

function words(error: unknown): string {
  if (error instanceof Error || error instanceof DOMException) return `${error.name}: ${error.message}`;
  return 'the browser gave no reason';
}
