/**
 * Owns: the page store in IndexedDB, format 1: stores `meta` (record `base`), `chunks` (the base in pieces) and
 * `log` (one record a commit, key = generation). Each method is one transaction, as page-store.ts says and for the
 * reasons given there.
 * Leaves: which database is the current one to idb-directory.ts; handles and time-outs to idb-connection.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import { IdbConnection, notSaved, usualWaits, type Waits } from './idb-connection.ts';
import { directoryStores, IdbDirectory } from './idb-directory.ts';
import type { ImageStorage } from './image-storage.ts';
import type { CommitOutcome, PageStore, RefreshOutcome } from './page-store.ts';
import type { Random } from './random.ts';
import {
  parseBase,
  parseRecord,
  salvage,
  type BaseImage,
  type BaseRecord,
  type Head,
  type LogRecord,
  type StoredEntry,
  type StoredImage,
} from './stored-image.ts';

const imageStores = ['meta', 'chunks', 'log'] as const;
const baseKey = 'base';
/** Beside the base in an image that was set aside: tabs that still have it open must not go on writing there. */
const setAsideKey = 'quarantined';

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
    const done = await this.#opened().write<boolean>(['meta', 'chunks'], (transaction, answer) => {
      const meta = transaction.objectStore('meta');
      const there = meta.count();
      there.onsuccess = () => {
        if (there.result > 0) return answer(false);
        putBase(transaction, image);
        answer(true);
      };
    });
    return done.ok ? succeed(done.value ?? false) : done;
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
    const done = await this.#opened().write<boolean>(imageStores, (transaction, answer) => {
      const meta: IDBRequest<unknown[]> = transaction.objectStore('meta').getAll();
      const log = transaction.objectStore('log');
      const tip: IDBRequest<unknown> = log.get(generation);
      tip.onsuccess = () => {
        const base = baseFor(meta.result, { incarnation, generation: generation - 1, id });
        if (base.type !== 'fits' || parseRecord(tip.result)?.id !== id) return answer(false);
        transaction.objectStore('chunks').clear();
        putBase(transaction, image);
        log.delete(IDBKeyRange.upperBound(generation));
        answer(true);
      };
    });
    return done.ok ? succeed(done.value ?? false) : done;
  }

  async quarantine(name: string, reason: string): Promise<Result<null, StorageFailure>> {
    const connection = this.#connect(name);
    const stored = await readImage(connection);
    const atUtc = this.#clock.now();
    // Best effort: what is damaged may refuse a write, and must be set aside all the same.
    await connection.write<null>(['meta'], (transaction) => {
      transaction.objectStore('meta').put({ reason, atUtc }, setAsideKey);
    });
    connection.close();
    const bytes = stored.ok ? salvage(stored.value).length : 0;
    return this.#directory.setAside({ name, kind: 'quarantined', reason, atUtc, bytes, runs: 0 });
  }

  close(): void {
    this.#image?.close();
    this.#directory.close();
  }

  #opened(): IdbConnection {
    if (!this.#image) throw new Error('the page store was used before it was opened');
    return this.#image;
  }
}

/** The look at the base and the new record, issued together: that costs what one request costs. */
function addRecord(
  transaction: IDBTransaction,
  head: Head,
  record: LogRecord,
  answer: (outcome: CommitOutcome) => void,
  refuse: (outcome: CommitOutcome) => void,
): void {
  const log = transaction.objectStore('log');
  const meta: IDBRequest<unknown[]> = transaction.objectStore('meta').getAll();
  const add = log.add(record, head.generation + 1);
  let moved = false;
  meta.onsuccess = () => {
    const base = baseFor(meta.result, head);
    if (base.type === 'fits') return;
    moved = true;
    // A record of an earlier attempt may have been folded since.
    refuse({ type: base.type === 'moved' && base.base.id === record.id ? 'saved' : 'moved' });
  };
  add.onsuccess = () => answer({ type: 'saved' });
  add.onerror = (event) => {
    if (moved || add.error?.name !== 'ConstraintError') return;
    event.preventDefault();
    const there: IDBRequest<unknown> = log.get(head.generation + 1);
    there.onsuccess = () =>
      answer({ type: parseRecord(there.result)?.id === record.id ? 'saved' : 'conflict' });
  };
}

type BaseSeen =
  | { readonly type: 'fits' }
  | { readonly type: 'moved'; readonly base: BaseRecord }
  | { readonly type: 'gone' };

/** Can a commit on `head` stand on what is in `meta`? */
function baseFor(meta: readonly unknown[], head: Head): BaseSeen {
  const base = meta.length === 1 ? parseBase(meta[0]) : null;
  if (!base) return { type: 'gone' };
  const fits = base.incarnation === head.incarnation && base.generation <= head.generation;
  return fits ? { type: 'fits' } : { type: 'moved', base };
}

function putBase(transaction: IDBTransaction, image: BaseImage): void {
  const chunks = transaction.objectStore('chunks');
  for (const [index, piece] of image.pieces.entries()) chunks.put(piece, index);
  transaction.objectStore('meta').put(image.base, baseKey);
}

/** Everything, in one transaction: between two a fold could be missed. */
async function readImage(connection: IdbConnection): Promise<Result<StoredImage, StorageFailure>> {
  const read = await connection.read<StoredImage>(imageStores, (transaction, answer) => {
    const meta = transaction.objectStore('meta');
    const base: IDBRequest<unknown> = meta.get(baseKey);
    const aside: IDBRequest<unknown> = meta.get(setAsideKey);
    entries(transaction.objectStore('chunks'), null, (pieces) =>
      entries(transaction.objectStore('log'), null, (log) =>
        answer({
          name: connection.name,
          base: base.result,
          pieces,
          log,
          setAside: aside.result !== undefined,
        }),
      ),
    );
  });
  if (!read.ok) return read;
  return succeed(
    read.value ?? { name: connection.name, base: undefined, pieces: [], log: [], setAside: false },
  );
}

function entries(
  store: IDBObjectStore,
  range: IDBKeyRange | null,
  found: (entries: readonly StoredEntry[]) => void,
): void {
  const keys: IDBRequest<IDBValidKey[]> = store.getAllKeys(range);
  const values: IDBRequest<unknown[]> = store.getAll(range);
  values.onsuccess = () => found(values.result.map((value, index) => ({ key: keys.result[index], value })));
}

function deleteDatabase(
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
