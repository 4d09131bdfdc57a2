/**
 * Owns: the stored form of a database image (format 1) and the suspicious reading of it: a base in pieces, and a log
 * of commits on top. What comes out of storage is unknown until it has passed here.
 * Leaves: transactions to the page stores; whether SQLite likes the image to sound-image.ts.
 *
 * Generation b is the base's, b+1 … h are the log's keys, without gaps; each record names the one before it.
 */
import { pageSize } from './recorded-file.ts';
import { applyChanges } from './page-changes.ts';
import type { Checksum } from './checksum.ts';

export const knownFormat = 1;
/** Bytes of a base piece: few records for a large image, and a small image is one record. */
export const pieceBytes = 1024 * 1024;

/** Identifies one commit: which creation of the store, which generation, which record. */
export interface Head {
  readonly incarnation: string;
  readonly generation: number;
  /** Random id of the commit's record. */
  readonly id: string;
}

export interface BaseRecord {
  readonly format: number;
  readonly incarnation: string;
  readonly generation: number;
  /** Id of the last commit folded into the base. */
  readonly id: string;
  readonly pageSize: number;
  readonly pageCount: number;
  readonly checksum: string;
}

export interface PieceRecord {
  readonly bytes: Uint8Array;
  readonly checksum: string;
}

export interface LogRecord {
  readonly id: string;
  readonly parent: string;
  readonly pageCount: number;
  /** See page-changes.ts. */
  readonly changes: Uint8Array;
  readonly checksum: string;
}

/** A whole image, ready to be stored as base. */
export interface BaseImage {
  readonly base: BaseRecord;
  readonly pieces: readonly PieceRecord[];
}

/** A key and a value as they lie in storage, unchecked. */
export interface StoredEntry {
  readonly key: unknown;
  readonly value: unknown;
}

/** All that is stored of one image, read at one instant. */
export interface StoredImage {
  /** Name of this image, under which it is quarantined if it is damaged. */
  readonly name: string;
  readonly base: unknown;
  readonly pieces: readonly StoredEntry[];
  readonly log: readonly StoredEntry[];
  /** It was found damaged before, and the move to a fresh one did not end. */
  readonly setAside: boolean;
}

export type Assembled =
  | { readonly type: 'image'; readonly bytes: Uint8Array; readonly head: Head; readonly logBytes: number }
  | { readonly type: 'damaged'; readonly reason: string }
  | { readonly type: 'newer'; readonly stored: number };

/** Cuts an image into a base. `bytes` must be whole pages. */
export function sealBase(checksum: Checksum, head: Head, bytes: Uint8Array): BaseImage {
  const facts = { format: knownFormat, ...head, pageSize, pageCount: bytes.length / pageSize };
  const base = { ...facts, checksum: checksum.of(baseFacts(facts), new Uint8Array(0)) };
  const pieces: PieceRecord[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.slice(at, at + pieceBytes);
    pieces.push({ bytes: piece, checksum: checksum.of(`${base.id} ${pieces.length}`, piece) });
  }
  return { base, pieces };
}

export function sealRecord(
  checksum: Checksum,
  parent: Head,
  id: string,
  pageCount: number,
  changes: Uint8Array,
): LogRecord {
  const facts = { id, parent: parent.id, pageCount };
  return { ...facts, changes, checksum: checksum.of(recordFacts(facts), changes) };
}

/** The image of the last commit, or why there is none that can be trusted. */
export function assemble(checksum: Checksum, stored: StoredImage): Assembled {
  const format = storedFormat(stored.base);
  if (format !== null && format > knownFormat) return { type: 'newer', stored: format };
  if (stored.setAside) return damaged('it was set aside before');
  const base = parseBase(stored.base);
  if (!base) return damaged('the base record is not readable');
  if (base.checksum !== checksum.of(baseFacts(base), new Uint8Array(0)))
    return damaged('the base record is damaged');
  if (base.pageSize !== pageSize) return damaged('the base has an unknown page size');

  const image = new GrowingImage(base.pageCount, stored.log);
  const baseBytes = base.pageCount * pageSize;
  let filled = 0;
  for (const [index, entry] of stored.pieces.entries()) {
    const piece = parsePiece(entry.value);
    if (!piece || entry.key !== index || filled + piece.bytes.length > baseBytes) {
      return damaged(`piece ${index} of the base is missing or not readable`);
    }
    if (piece.checksum !== checksum.of(`${base.id} ${index}`, piece.bytes)) {
      return damaged(`piece ${index} of the base is damaged`);
    }
    image.bytes.set(piece.bytes, filled);
    filled += piece.bytes.length;
  }
  if (filled !== baseBytes) return damaged(`the base has ${filled} of ${baseBytes} bytes`);

  let head: Head = { incarnation: base.incarnation, generation: base.generation, id: base.id };
  let logBytes = 0;
  for (const entry of stored.log) {
    const record = parseNext(checksum, head, entry);
    if (typeof record === 'string') return damaged(record);
    if (!image.apply(record)) {
      return damaged(`commit ${head.generation + 1} is not well-formed`);
    }
    head = { ...head, generation: head.generation + 1, id: record.id };
    logBytes += record.changes.length;
  }
  return { type: 'image', bytes: image.bytes, head, logBytes };
}

/** The record of the commit after `head`, or in words why this entry is not that. */
export function parseNext(checksum: Checksum, head: Head, entry: StoredEntry): LogRecord | string {
  const generation = head.generation + 1;
  if (entry.key !== generation) return `commit ${generation} is missing`;
  const record = parseRecord(entry.value);
  if (!record) return `commit ${generation} is not readable`;
  if (record.checksum !== checksum.of(recordFacts(record), record.changes))
    return `commit ${generation} is damaged`;
  if (record.parent !== head.id) return `commit ${generation} does not follow the one before it`;
  return record;
}

/**
 * What can be had of the bytes of an image, however damaged, for download: the pieces in order, and the commits on
 * top as far as they can be applied. Nothing is checked.
 */
export function salvage(stored: StoredImage): Uint8Array {
  const pieces = stored.pieces.flatMap((entry) => parsePiece(entry.value)?.bytes ?? []);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const image = new GrowingImage(Math.ceil(bytes / pageSize), stored.log);
  let at = 0;
  for (const piece of pieces) {
    image.bytes.set(piece, at);
    at += piece.length;
  }
  for (const entry of stored.log) {
    const record = parseRecord(entry.value);
    if (!record || !image.apply(record)) break;
  }
  return image.bytes;
}

/** An image under assembly, in a buffer that is made once: growing it at each commit would copy it each time. */
class GrowingImage {
  readonly #buffer: Uint8Array;
  #pageCount: number;

  constructor(pageCount: number, log: readonly StoredEntry[]) {
    const counts = log.map((entry) => parseRecord(entry.value)?.pageCount ?? 0);
    const largest = counts.reduce((largest, count) => Math.max(largest, count), pageCount);
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

export function parseBase(value: unknown): BaseRecord | null {
  const base = members<BaseRecord>(value);
  const fits =
    base !== null &&
    base.format === knownFormat &&
    typeof base.incarnation === 'string' &&
    isCount(base.generation) &&
    typeof base.id === 'string' &&
    isCount(base.pageSize) &&
    isCount(base.pageCount) &&
    typeof base.checksum === 'string';
  return fits ? (base as BaseRecord) : null;
}

export function parseRecord(value: unknown): LogRecord | null {
  const record = members<LogRecord>(value);
  const fits =
    record !== null &&
    typeof record.id === 'string' &&
    typeof record.parent === 'string' &&
    isCount(record.pageCount) &&
    record.changes instanceof Uint8Array &&
    typeof record.checksum === 'string';
  return fits ? (record as LogRecord) : null;
}

function parsePiece(value: unknown): PieceRecord | null {
  const piece = members<PieceRecord>(value);
  return piece?.bytes instanceof Uint8Array && typeof piece.checksum === 'string'
    ? (piece as PieceRecord)
    : null;
}

function storedFormat(value: unknown): number | null {
  const format = members<BaseRecord>(value)?.format;
  return typeof format === 'number' ? format : null;
}

function members<T>(value: unknown): { readonly [member in keyof T]?: unknown } | null {
  return typeof value === 'object' && value !== null ? value : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function baseFacts(base: Omit<BaseRecord, 'checksum'>): string {
  return [base.format, base.incarnation, base.generation, base.id, base.pageSize, base.pageCount].join(' ');
}

function recordFacts(record: Omit<LogRecord, 'checksum' | 'changes'>): string {
  return [record.id, record.parent, record.pageCount].join(' ');
}

function damaged(reason: string): Assembled {
  return { type: 'damaged', reason };
}
