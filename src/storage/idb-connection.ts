/**
 * Owns: one IndexedDB database as it is in the field: refused, stuck, closed under our hands, lost. Every wait is
 * bounded; a handle that died is dropped and opened again once.
 * Leaves: one transaction and its end to idb-transaction.ts; what is in the stores to idb-page-store.ts and
 * idb-directory.ts; how long to wait to waits.ts; what an error means to idb-failures.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { notOpened, notSaved, words } from './idb-failures.ts';
import { endOf, type Ended, type Work } from './idb-transaction.ts';
import { probe, usualWaits, type Waits } from './waits.ts';

/** The version of the databases themselves. Formats are told apart by the base record; a higher version is a newer page's. */
const databaseVersion = 1;

export class IdbConnection {
  readonly name: string;
  readonly #factory: IDBFactory;
  readonly #stores: readonly string[];
  readonly #waits: Waits;
  #handle: IDBDatabase | null = null;
  /** The last transaction was not answered in time, nor any since: the next ones wait for less. */
  #silent = false;

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
        return fail(
          ended.seconds === null
            ? { type: 'StorageFailed', reason: ended.reason }
            : { type: 'StorageStuck', what: 'read', seconds: ended.seconds },
        );
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

  /** Reads outside of a transaction, as the bytes of a blob are read; no less bounded. */
  within<T>(reading: Promise<T>): Promise<Result<T, StorageFailure>> {
    const waited = this.#waits.watch?.begin('read');
    return new Promise((resolve, reject) => {
      const seconds = this.#waits.transaction / 1000;
      const wait = setTimeout(() => {
        waited?.(false);
        resolve(fail({ type: 'StorageStuck', what: 'read', seconds }));
      }, this.#waits.transaction);
      reading
        .finally(() => {
          clearTimeout(wait);
          waited?.(true);
        })
        .then((value) => resolve(succeed(value)), reject);
    });
  }

  close(): void {
    this.#handle?.close();
    this.#handle = null;
  }

  async #opened(): Promise<Result<IDBDatabase, StorageFailure>> {
    if (this.#handle) return succeed(this.#handle);
    const waited = this.#waits.watch?.begin('open');
    let opened = await this.#open();
    if (!opened.ok && opened.failure.type === 'StorageStuck') opened = await this.#open();
    waited?.(opened.ok || opened.failure.type !== 'StorageStuck');
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
        resolve(fail({ type: 'StorageStuck', what: 'open', seconds: (2 * this.#waits.open) / 1000 }));
      }, this.#waits.open);
      const done = (result: Result<IDBDatabase, StorageFailure>): void => {
        clearTimeout(wait);
        if (late && result.ok) result.value.close();
        resolve(result);
      };
      try {
        // Without a version: whichever there is, and the first one where there is none.
        const request = this.#factory.open(this.name);
        request.onupgradeneeded = () => {
          for (const store of this.#stores) request.result.createObjectStore(store);
        };
        request.onsuccess = () => done(this.#notNewer(request.result));
        request.onerror = () => done(fail(notOpened(request.error)));
      } catch (error) {
        done(fail(notOpened(error)));
      }
    });
  }

  #notNewer(handle: IDBDatabase): Result<IDBDatabase, StorageFailure> {
    const stored = handle.version;
    if (stored <= databaseVersion) return succeed(handle);
    handle.close();
    return fail({ type: 'FormatNewer', what: 'database', image: this.name, stored, known: databaseVersion });
  }

  #patience(): number {
    const { transaction } = this.#waits;
    return this.#silent ? Math.min(probe, transaction) : transaction;
  }

  #ended<T>(transaction: IDBTransaction, work: Work<T>): Promise<Ended<T>> {
    const waited = this.#waits.watch?.begin(work.mode === 'readonly' ? 'read' : 'commit');
    return endOf(transaction, work, {
      milliseconds: this.#patience(),
      answered: () => {
        waited?.(true);
        this.#silent = false;
      },
      unanswered: () => {
        waited?.(false);
        this.#silent = true;
        this.close();
      },
      lost: () => this.close(),
    });
  }
}
