/**
 * Owns: the records of a stored database image (format 1): sealing them with their checksums, and taking them for what
 * they are when they come out of storage, where they are unknown.
 * Leaves: the image that they make together to stored-image.ts; transactions to the page stores.
 */
import type { Checksum } from './checksum.ts';
import { pageSize, type ImagePages } from './image-pages.ts';

export const knownFormat = 1;

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
  /** Checksum of each piece, in order: a fold writes only the pieces that differ. */
  readonly pieces: readonly string[];
  /** Of all facts above. */
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
  readonly pieces: readonly Uint8Array[];
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

/** The base of an image, with its very pieces: to be stored before the image changes. */
export function sealBase(
  checksum: Checksum,
  head: Head,
  image: Pick<ImagePages, 'pageCount' | 'pieces'>,
): BaseImage {
  const pieces = image.pieces();
  const facts = {
    format: knownFormat,
    ...head,
    pageSize,
    pageCount: image.pageCount,
    pieces: pieces.map((piece, index) => pieceChecksum(checksum, index, piece)),
  };
  return { base: { ...facts, checksum: baseChecksum(checksum, facts) }, pieces };
}

export function sealRecord(
  checksum: Checksum,
  parent: Head,
  id: string,
  pageCount: number,
  changes: Uint8Array,
): LogRecord {
  const facts = { id, parent: parent.id, pageCount };
  return { ...facts, changes, checksum: recordChecksum(checksum, { ...facts, changes }) };
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
    Array.isArray(base.pieces) &&
    base.pieces.every((piece) => typeof piece === 'string') &&
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

/** The format that a base record claims; null: none. */
export function storedFormat(value: unknown): number | null {
  const format = members<BaseRecord>(value)?.format;
  return typeof format === 'number' ? format : null;
}

function members<T>(value: unknown): { readonly [member in keyof T]?: unknown } | null {
  return typeof value === 'object' && value !== null ? value : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const noBytes = new Uint8Array(0);

export function baseChecksum(checksum: Checksum, base: Omit<BaseRecord, 'checksum'>): string {
  const { format, incarnation, generation, id, pageSize, pageCount, pieces } = base;
  return checksum.of(
    [format, incarnation, generation, id, pageSize, pageCount, ...pieces].join(' '),
    noBytes,
  );
}

/** Depends on the place, too: exchanged pieces are damage. */
export function pieceChecksum(checksum: Checksum, index: number, bytes: Uint8Array): string {
  return checksum.of(`${index} ${bytes.length}`, bytes);
}

export function recordChecksum(checksum: Checksum, record: Omit<LogRecord, 'checksum'>): string {
  return checksum.of([record.id, record.parent, record.pageCount].join(' '), record.changes);
}
