/**
 * Owns: the form of an image in IndexedDB, format 1, and the requests on it inside an open transaction: stores `meta`
 * (record `base`), `chunks` (the base in pieces) and `log` (one record a commit, key = generation).
 * Leaves: transactions and their outcomes to idb-page-store.ts; what is in the records to stored-records.ts.
 */
import { succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { IdbConnection } from './idb-connection.ts';
import type { CommitOutcome } from './page-store.ts';
import {
  parseBase,
  parseRecord,
  type BaseImage,
  type BaseRecord,
  type Head,
  type LogRecord,
  type StoredEntry,
  type StoredImage,
} from './stored-records.ts';

export const imageStores = ['meta', 'chunks', 'log'] as const;
const baseKey = 'base';
/** Beside the base in an image that was set aside: tabs that still have it open must not go on writing there. */
export const setAsideKey = 'quarantined';

/** The look at the base and the new record, issued together: that costs what one request costs. */
export function addRecord(
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

export type BaseSeen =
  | { readonly type: 'fits'; readonly base: BaseRecord }
  | { readonly type: 'moved'; readonly base: BaseRecord }
  | { readonly type: 'gone' };

/** Can a commit on `head` stand on what is in `meta`? */
export function baseFor(meta: readonly unknown[], head: Head): BaseSeen {
  const base = meta.length === 1 ? parseBase(meta[0]) : null;
  if (!base) return { type: 'gone' };
  const fits = base.incarnation === head.incarnation && base.generation <= head.generation;
  return { type: fits ? 'fits' : 'moved', base };
}

/**
 * How large pieces are stored. As a blob they come back through one copy less, in a third of the time; some browsers
 * store none (WebKit's private windows), there they are bytes. Both are read everywhere.
 */
export type PieceForm = 'blob' | 'bytes';
/** Bytes of a piece from which the form matters. */
const largePiece = 1024 * 1024;

/**
 * Writes the pieces that differ from those of `stored`, deletes those it has no more, and writes the base record.
 */
export function putBase(
  transaction: IDBTransaction,
  image: BaseImage,
  stored: BaseRecord | null,
  form: PieceForm,
): void {
  const chunks = transaction.objectStore('chunks');
  const { base, pieces } = image;
  for (const [index, piece] of pieces.entries()) {
    if (stored?.pieces[index] === base.pieces[index]) continue;
    const isBlob = form === 'blob' && piece.length >= largePiece;
    // Nothing here lies in shared memory, which is what the type of a blob's part excludes.
    chunks.put(isBlob ? new Blob([piece as Uint8Array<ArrayBuffer>]) : piece, index);
  }
  if (stored && stored.pieces.length > pieces.length) chunks.delete(IDBKeyRange.lowerBound(pieces.length));
  transaction.objectStore('meta').put(base, baseKey);
}

/**
 * Everything that is stored of the image. What can't be read twice, each time from a transaction of its own, is
 * damaged: an image is not set aside for a fold in between, or for a moment's lack of file handles.
 */
export async function readImage(connection: IdbConnection): Promise<Result<StoredImage, StorageFailure>> {
  const read = await readOnce(connection);
  const isRead = !read.ok || read.value.pieces.every(({ value }) => value !== undefined);
  return isRead ? read : readOnce(connection);
}

/**
 * In one transaction: between two a fold could be missed. The bytes of the pieces are read after it: the browser keeps
 * what a blob stands for as long as the blob is held. A piece that it can't read is undefined.
 */
async function readOnce(connection: IdbConnection): Promise<Result<StoredImage, StorageFailure>> {
  const read = await connection.read<StoredImage>(imageStores, (transaction, answer) => {
    const meta = transaction.objectStore('meta');
    const base: IDBRequest<unknown> = meta.get(baseKey);
    const aside: IDBRequest<unknown> = meta.get(setAsideKey);
    let pieces: readonly StoredEntry[] = [];
    entries(transaction.objectStore('chunks'), null, (found) => (pieces = found));
    entries(transaction.objectStore('log'), null, (log) =>
      answer({
        name: connection.name,
        base: base.result,
        pieces,
        log,
        setAside: aside.result !== undefined,
      }),
    );
  });
  if (!read.ok) return read;
  const { name } = connection;
  const stored = read.value ?? { name, base: undefined, pieces: [], log: [], setAside: false };
  const reading = stored.pieces.map(async ({ key, value }) => ({ key, value: await bytesOf(value) }));
  const pieces = await connection.within(Promise.all(reading));
  return pieces.ok ? succeed({ ...stored, pieces: pieces.value }) : pieces;
}

export function entries(
  store: IDBObjectStore,
  range: IDBKeyRange | null,
  found: (entries: readonly StoredEntry[]) => void,
): void {
  const keys: IDBRequest<IDBValidKey[]> = store.getAllKeys(range);
  const values: IDBRequest<unknown[]> = store.getAll(range);
  values.onsuccess = () => found(values.result.map((value, index) => ({ key: keys.result[index], value })));
}

async function bytesOf(piece: unknown): Promise<Uint8Array | undefined> {
  if (piece instanceof Uint8Array) return piece;
  if (!(piece instanceof Blob)) return undefined;
  return piece.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
}
