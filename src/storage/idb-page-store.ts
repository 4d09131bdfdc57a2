/**
 * Owns: the page store in IndexedDB. Each method is one transaction, as page-store.ts says and for the reasons given
 * there.
 * Leaves: the requests in it to idb-image.ts; which database is the current one to idb-directory.ts; handles and time-outs to idb-connection.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import { IdbConnection } from './idb-connection.ts';
import { deleteDatabase } from './idb-delete.ts';
import { directoryStores, IdbDirectory } from './idb-directory.ts';
import { notSaved } from './idb-failures.ts';
import {
  addRecord,
  baseFor,
  entries,
  imageStores,
  putBase,
  readImage,
  setAsideKey,
  type PieceForm,
} from './idb-image.ts';
import type { ImageStorage } from './image-storage.ts';
import type { CommitOutcome, PageStore, RefreshOutcome } from './page-store.ts';
import type { Random } from './random.ts';
import { salvage } from './stored-image.ts';
import {
  parseRecord,
  type BaseImage,
  type Head,
  type LogRecord,
  type StoredImage,
} from './stored-records.ts';
import { usualWaits, type Waits } from './waits.ts';

export interface IdbStorageParts {
  readonly factory: IDBFactory;
  /** `crashpoint:<base path>`: pages under different paths of one origin do not share a lab. */
  readonly storageName: string;
  readonly random: Random;
  readonly clock: Clock;
  readonly waits?: Waits;
}

/** The browser's storage. Nothing is opened yet: a refusal is the first call's failure. */
export function idbStorage(parts: IdbStorageParts): ImageStorage {
  const { factory, clock, waits = usualWaits } = parts;
  const connect = (name: string): IdbConnection => new IdbConnection(factory, name, imageStores, waits);
  const directory = new IdbDirectory(
    new IdbConnection(factory, parts.storageName, directoryStores, waits),
    parts.random,
    async (name) => {
      const connection = connect(name);
      const stored = await readImage(connection);
      connection.close();
      return stored.ok ? succeed(salvage(stored.value)) : stored;
    },
    (name) => deleteDatabase(factory, name, waits),
  );
  return { pages: new IdbPageStore(directory, connect, clock), kept: directory };
}

class IdbPageStore implements PageStore {
  readonly kind = 'indexeddb';
  readonly #directory: IdbDirectory;
  readonly #connect: (name: string) => IdbConnection;
  readonly #clock: Clock;
  #image: IdbConnection | null = null;
  #form: PieceForm = 'blob';

  constructor(directory: IdbDirectory, connect: (name: string) => IdbConnection, clock: Clock) {
    this.#directory = directory;
    this.#connect = connect;
    this.#clock = clock;
  }

  async open(): Promise<Result<StoredImage | null, StorageFailure>> {
    const current = await this.#directory.current();
    if (!current.ok) return current;
    if (this.#image?.name !== current.value) {
      this.#image?.close();
      this.#image = this.#connect(current.value);
    }
    const stored = await readImage(this.#image);
    if (!stored.ok) return stored;
    const { base, pieces, log } = stored.value;
    const nothing = base === undefined && pieces.length === 0 && log.length === 0;
    return succeed(nothing ? null : stored.value);
  }

  async create(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    return this.#writeBase((form, transaction, answer) => {
      const meta = transaction.objectStore('meta');
      const there = meta.count();
      there.onsuccess = () => {
        if (there.result > 0) return answer(false);
        putBase(transaction, image, null, form);
        answer(true);
      };
    });
  }

  async refresh(head: Head): Promise<Result<RefreshOutcome, StorageFailure>> {
    const later = IDBKeyRange.lowerBound(head.generation, true);
    const read = await this.#opened().read<RefreshOutcome>(['meta', 'log'], (transaction, answer) => {
      const meta: IDBRequest<unknown[]> = transaction.objectStore('meta').getAll();
      entries(transaction.objectStore('log'), later, (found) => {
        const base = baseFor(meta.result, head);
        answer(base.type === 'fits' ? { type: 'news', entries: found } : { type: 'moved' });
      });
    });
    return read.ok ? succeed(read.value ?? { type: 'moved' }) : read;
  }

  async commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>> {
    let doubt: string | null = null;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const ended = await this.#opened().run<CommitOutcome>({
        stores: ['meta', 'log'],
        mode: 'readwrite',
        body: (transaction, answer, refuse) => addRecord(transaction, head, record, answer, refuse),
      });
      switch (ended.type) {
        case 'complete':
          return succeed(ended.value ?? { type: 'moved' });
        case 'refused':
          // In doubt, the earlier attempt may have been folded away since: that is for the caller to find out.
          if (doubt === null || ended.value.type === 'saved') return succeed(ended.value);
          return fail({ type: 'OutcomeUnknown', reason: doubt });
        case 'aborted':
          return fail(doubt === null ? notSaved(ended.error) : { type: 'OutcomeUnknown', reason: doubt });
        case 'failed':
          return fail(doubt === null ? ended.failure : { type: 'OutcomeUnknown', reason: doubt });
        case 'unknown':
          doubt = ended.reason;
      }
    }
    return fail({ type: 'OutcomeUnknown', reason: doubt ?? '' });
  }

  async compact(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    const { incarnation, generation, id } = image.base;
    return this.#writeBase((form, transaction, answer) => {
      const meta: IDBRequest<unknown[]> = transaction.objectStore('meta').getAll();
      const log = transaction.objectStore('log');
      const tip: IDBRequest<unknown> = log.get(generation);
      tip.onsuccess = () => {
        const there = baseFor(meta.result, { incarnation, generation: generation - 1, id });
        if (there.type !== 'fits' || parseRecord(tip.result)?.id !== id) return answer(false);
        putBase(transaction, image, there.base, form);
        log.delete(IDBKeyRange.upperBound(generation));
        answer(true);
      };
    });
  }

  async quarantine(
    name: string,
    reason: string,
    kind: 'quarantined' | 'newer' = 'quarantined',
  ): Promise<Result<null, StorageFailure>> {
    const connection = this.#connect(name);
    const stored = await readImage(connection);
    const atUtc = this.#clock.now();
    // Best effort: what is damaged may refuse a write, and must be set aside all the same.
    if (kind === 'quarantined') {
      await connection.write<null>(['meta'], (transaction) => {
        transaction.objectStore('meta').put({ reason, atUtc }, setAsideKey);
      });
    }
    connection.close();
    const bytes = stored.ok ? salvage(stored.value).length : 0;
    return this.#directory.setAside({ name, kind, reason, atUtc, bytes, runs: 0, replacedBy: null });
  }

  close(): void {
    this.#image?.close();
    this.#directory.close();
  }

  /** Writes a base; once more, as bytes, where the browser gave up a transaction that may have held blobs. */
  async #writeBase(
    body: (form: PieceForm, transaction: IDBTransaction, answer: (done: boolean) => void) => void,
  ): Promise<Result<boolean, StorageFailure>> {
    const write = (form: PieceForm): Promise<Result<boolean | undefined, StorageFailure>> =>
      this.#opened().write<boolean>(imageStores, (transaction, answer) => body(form, transaction, answer));
    let done = await write(this.#form);
    const gaveUp = !done.ok && ['NotSaved', 'OutcomeUnknown'].includes(done.failure.type);
    if (gaveUp && this.#form === 'blob') {
      done = await write('bytes');
      if (done.ok) this.#form = 'bytes';
    }
    return done.ok ? succeed(done.value ?? false) : done;
  }

  #opened(): IdbConnection {
    if (!this.#image) throw new Error('the page store was used before it was opened');
    return this.#image;
  }
}
