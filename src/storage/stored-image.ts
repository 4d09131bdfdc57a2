/**
 * Owns: the suspicious reading of a stored image: a base in pieces, and a log of commits on top. What comes out of
 * storage is unknown until it has passed here.
 * Leaves: the records to stored-records.ts; transactions to the page stores; whether SQLite likes the image to sound-image.ts.
 *
 * Generation b is the base's, b+1 … h are the log's keys, without gaps; each record names the one before it.
 */
import type { Checksum } from './checksum.ts';
import { applyChanges } from './page-changes.ts';
import { pageSize } from './recorded-file.ts';
import {
  baseChecksum,
  knownFormat,
  parseBase,
  parseRecord,
  pieceChecksum,
  recordChecksum,
  storedFormat,
  type BaseRecord,
  type Head,
  type LogRecord,
  type StoredEntry,
  type StoredImage,
} from './stored-records.ts';

export type Assembled =
  | { readonly type: 'image'; readonly bytes: Uint8Array; readonly head: Head; readonly logBytes: number }
  | { readonly type: 'damaged'; readonly reason: string }
  | { readonly type: 'newer'; readonly stored: number };

/** The image of the last commit, or why there is none that can be trusted. */
export function assemble(checksum: Checksum, stored: StoredImage): Assembled {
  const format = storedFormat(stored.base);
  if (format !== null && format > knownFormat) return { type: 'newer', stored: format };
  if (stored.setAside) return damaged('it was set aside before');
  const base = parseBase(stored.base);
  if (!base) return damaged('the base record is not readable');
  if (base.checksum !== baseChecksum(checksum, base)) return damaged('the base record is damaged');
  if (base.pageSize !== pageSize) return damaged('the base has an unknown page size');

  let head: Head = { incarnation: base.incarnation, generation: base.generation, id: base.id };
  let logBytes = 0;
  const log: LogRecord[] = [];
  for (const entry of stored.log) {
    const record = parseNext(checksum, head, entry);
    if (typeof record === 'string') return damaged(record);
    log.push(record);
    head = { ...head, generation: head.generation + 1, id: record.id };
    logBytes += record.changes.length;
  }

  const image = new GrowingImage(base.pageCount, log);
  const reason = fill(checksum, base, stored.pieces, image.bytes);
  if (reason !== null) return damaged(reason);
  for (const [index, record] of log.entries()) {
    if (!image.apply(record)) return damaged(`commit ${base.generation + index + 1} is not well-formed`);
  }
  return { type: 'image', bytes: image.bytes, head, logBytes };
}

/** Puts the pieces of the base in their places; in words, why they can't be trusted. */
function fill(
  checksum: Checksum,
  base: BaseRecord,
  pieces: readonly StoredEntry[],
  image: Uint8Array,
): string | null {
  let filled = 0;
  for (const [index, expected] of base.pieces.entries()) {
    const { key, value } = pieces[index] ?? {};
    if (key !== index || !(value instanceof Uint8Array)) {
      return `piece ${index} of the base is missing or not readable`;
    }
    if (filled + value.length > image.length || pieceChecksum(checksum, index, value) !== expected) {
      return `piece ${index} of the base is damaged`;
    }
    image.set(value, filled);
    filled += value.length;
  }
  const whole = filled === image.length && pieces.length === base.pieces.length;
  return whole ? null : `the base has ${filled} of ${image.length} bytes`;
}

/** The record of the commit after `head`, or in words why this entry is not that. */
export function parseNext(checksum: Checksum, head: Head, entry: StoredEntry): LogRecord | string {
  const generation = head.generation + 1;
  if (entry.key !== generation) return `commit ${generation} is missing`;
  const record = parseRecord(entry.value);
  if (!record) return `commit ${generation} is not readable`;
  if (record.checksum !== recordChecksum(checksum, record)) return `commit ${generation} is damaged`;
  if (record.parent !== head.id) return `commit ${generation} does not follow the one before it`;
  return record;
}

/**
 * What can be had of the bytes of an image, however damaged, for download: the pieces in order, and the commits on
 * top as far as they can be applied. Nothing is checked.
 */
export function salvage(stored: StoredImage): Uint8Array {
  const pieces = stored.pieces.flatMap(({ value }) => (value instanceof Uint8Array ? [value] : []));
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const log = stored.log.flatMap(({ value }) => parseRecord(value) ?? []);
  const image = new GrowingImage(Math.ceil(bytes / pageSize), log);
  let at = 0;
  for (const piece of pieces) {
    image.bytes.set(piece, at);
    at += piece.length;
  }
  for (const record of log) if (!image.apply(record)) break;
  return image.bytes;
}

/** An image under assembly, in a buffer that is made once: growing it at each commit would copy it each time. */
class GrowingImage {
  readonly #buffer: Uint8Array;
  #pageCount: number;

  constructor(pageCount: number, log: readonly LogRecord[]) {
    const largest = log.reduce((most, record) => Math.max(most, record.pageCount), pageCount);
    this.#buffer = new Uint8Array(largest * pageSize);
    this.#pageCount = pageCount;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#pageCount * pageSize);
  }

  /** False when the record is not well-formed. Pages that a commit cut off come back as zeros. */
  apply(record: LogRecord): boolean {
    if (record.pageCount < this.#pageCount) this.#buffer.fill(0, record.pageCount * pageSize);
    this.#pageCount = record.pageCount;
    return applyChanges(this.bytes, record.changes, record.pageCount);
  }
}

function damaged(reason: string): Assembled {
  return { type: 'damaged', reason };
}
