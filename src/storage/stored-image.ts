/**
 * Owns: the suspicious reading of a stored image: a base in pieces, and a log of commits on top. What comes out of
 * storage is unknown until it has passed here.
 * Leaves: the records to stored-records.ts; transactions to the page stores; whether SQLite likes the image to sound-image.ts.
 *
 * Generation b is the base's, b+1 … h are the log's keys, without gaps; each record names the one before it.
 */
import type { Checksum } from './checksum.ts';
import { decodeRuns } from './page-changes.ts';
import { chunkBytes, ImagePages, pageSize } from './image-pages.ts';
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

/** How much lies on top of the base. */
export interface LogSize {
  readonly commits: number;
  readonly bytes: number;
}

export type Assembled =
  | { readonly type: 'image'; readonly pages: ImagePages; readonly head: Head; readonly log: LogSize }
  | { readonly type: 'damaged'; readonly reason: string }
  | { readonly type: 'newer'; readonly stored: number };

/** The image of the last commit, or why there is none that can be trusted. Takes the pieces of `stored` for its own. */
export function assemble(checksum: Checksum, stored: StoredImage): Assembled {
  const format = storedFormat(stored.base);
  if (format !== null && format > knownFormat) return { type: 'newer', stored: format };
  if (stored.setAside) return damaged('it was set aside before');
  if (format !== null && format < knownFormat) {
    return damaged(`it has format ${format}, of an older page; this one reads format ${knownFormat}`);
  }
  const base = parseBase(stored.base);
  if (!base) return damaged('the base record is not readable');
  if (base.checksum !== baseChecksum(checksum, base)) return damaged('the base record is damaged');
  if (base.pageSize !== pageSize) return damaged('the base has an unknown page size');

  let head: Head = { incarnation: base.incarnation, generation: base.generation, id: base.id };
  const log: LogRecord[] = [];
  for (const entry of stored.log) {
    const record = parseNext(checksum, head, entry);
    if (typeof record === 'string') return damaged(record);
    log.push(record);
    head = { ...head, generation: head.generation + 1, id: record.id };
  }

  const pieces = soundPieces(checksum, base, stored.pieces);
  if (typeof pieces === 'string') return damaged(pieces);
  const pages = ImagePages.adopt(pieces);
  for (const [index, record] of log.entries()) {
    if (!applyRecord(pages, record))
      return damaged(`commit ${base.generation + index + 1} is not well-formed`);
  }
  const bytes = log.reduce((sum, { changes }) => sum + changes.length, 0);
  return { type: 'image', pages, head, log: { commits: log.length, bytes } };
}

/** The pieces of the base; in words, why they can't be trusted. */
function soundPieces(
  checksum: Checksum,
  base: BaseRecord,
  stored: readonly StoredEntry[],
): readonly Uint8Array[] | string {
  const pieces: Uint8Array[] = [];
  for (const [index, expected] of base.pieces.entries()) {
    const { key, value } = stored[index] ?? {};
    if (key !== index || !(value instanceof Uint8Array)) {
      return `piece ${index} of the base is missing or not readable`;
    }
    const bytes = Math.min(chunkBytes, base.pageCount * pageSize - index * chunkBytes);
    if (value.length !== bytes || pieceChecksum(checksum, index, value) !== expected) {
      return `piece ${index} of the base is damaged`;
    }
    pieces.push(value);
  }
  const all = Math.ceil((base.pageCount * pageSize) / chunkBytes);
  const whole = pieces.length === all && stored.length === all;
  return whole ? pieces : `the base has ${stored.length} of ${all} pieces`;
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
 * What can be had of the bytes of an image, however damaged, for download: each piece at its place, cut to it or
 * followed by zeros, and the commits on top as far as they can be applied. Nothing is checked.
 */
export function salvage(stored: StoredImage): Uint8Array {
  const pages = ImagePages.adopt([]);
  for (const [index, { value }] of stored.pieces.entries()) {
    if (value instanceof Uint8Array) pages.write(index * chunkBytes, value.subarray(0, chunkBytes));
  }
  for (const { value } of stored.log) {
    const record = parseRecord(value);
    if (!record) break;
    // Each page that a commit adds has a byte that is not zero: a count beyond that is damage, and may be huge.
    if (record.pageCount - pages.pageCount > record.changes.length) break;
    if (!applyRecord(pages, record)) break;
  }
  return pages.toBytes();
}

/** Changes the image to what it was after this commit. False when the record is not well-formed. */
function applyRecord(pages: ImagePages, record: LogRecord): boolean {
  const runs = decodeRuns(record.changes, record.pageCount);
  if (!runs) return false;
  pages.resize(record.pageCount * pageSize);
  for (const { page, offset, bytes } of runs) pages.page(page).set(bytes, offset);
  return true;
}

function damaged(reason: string): Assembled {
  return { type: 'damaged', reason };
}
