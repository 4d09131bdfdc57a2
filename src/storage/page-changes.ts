/**
 * Owns: the changed bytes of changed pages as one block of bytes, and their way back onto an image. Of a page of
 * 4096 bytes a small commit changes some dozens: only those are stored.
 *
 * Form: runs, each `page number (u32) | offset in the page (u16) | length (u16) | bytes`, little-endian, by page
 * and offset. A page that did not exist before the commit counts as zeros.
 */
import { pageSize } from './image-pages.ts';
import type { FileChanges } from './recorded-file.ts';

const runHead = 8;

export interface Run {
  readonly page: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The runs of a commit. Empty when no byte changed (the page count may have, all the same). */
export function encodeChanges(changes: FileChanges): Uint8Array {
  const runs = changes.pages.flatMap((page) => runsOf(page.number, page.before, page.after));
  const encoded = new Uint8Array(runs.reduce((sum, run) => sum + runHead + run.bytes.length, 0));
  const view = new DataView(encoded.buffer);
  let at = 0;
  for (const run of runs) {
    view.setUint32(at, run.page, true);
    view.setUint16(at + 4, run.offset, true);
    view.setUint16(at + 6, run.bytes.length, true);
    encoded.set(run.bytes, at + runHead);
    at += runHead + run.bytes.length;
  }
  return encoded;
}

/** The runs of an encoded block, or null when the block is not well-formed. */
export function decodeRuns(encoded: Uint8Array, pageCount: number): readonly Run[] | null {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const runs: Run[] = [];
  let at = 0;
  while (at < encoded.length) {
    if (at + runHead > encoded.length) return null;
    const page = view.getUint32(at, true);
    const offset = view.getUint16(at + 4, true);
    const length = view.getUint16(at + 6, true);
    const end = at + runHead + length;
    if (page < 1 || page > pageCount || offset + length > pageSize || length === 0 || end > encoded.length)
      return null;
    runs.push({ page, offset, bytes: encoded.subarray(at + runHead, end) });
    at = end;
  }
  return runs;
}

/**
 * The pages that result from an encoded block, whole: `read` gives a page as it is before (null: it does not
 * exist). Null when the block is not well-formed.
 */
export function decodePages(
  encoded: Uint8Array,
  pageCount: number,
  read: (page: number) => Uint8Array | null,
): ReadonlyMap<number, Uint8Array> | null {
  const runs = decodeRuns(encoded, pageCount);
  if (!runs) return null;
  const pages = new Map<number, Uint8Array>();
  for (const run of runs) {
    let page = pages.get(run.page);
    if (!page) {
      page = read(run.page)?.slice() ?? new Uint8Array(pageSize);
      pages.set(run.page, page);
    }
    page.set(run.bytes, run.offset);
  }
  return pages;
}

/** Where two versions of a page differ. A gap shorter than a run's head is stored along. */
function runsOf(page: number, before: Uint8Array | null, after: Uint8Array): Run[] {
  const old = before ?? emptyPage;
  const oldWords = wordsOf(old);
  const newWords = wordsOf(after);
  const runs: Run[] = [];
  let start = -1;
  let end = -1;
  for (let word = 0; word < newWords.length; word += 1) {
    // Most of a page is equal, and four bytes are compared at once.
    if (newWords[word] === oldWords[word]) continue;
    for (let at = word * 4; at < word * 4 + 4; at += 1) {
      if (after[at] === old[at]) continue;
      if (start >= 0 && at - end > runHead) {
        runs.push({ page, offset: start, bytes: after.subarray(start, end) });
        start = at;
      }
      if (start < 0) start = at;
      end = at + 1;
    }
  }
  if (start >= 0) runs.push({ page, offset: start, bytes: after.subarray(start, end) });
  return runs;
}

const emptyPage = new Uint8Array(pageSize);

/** Pages are copies of their own, so they begin at a multiple of four. */
function wordsOf(page: Uint8Array): Uint32Array {
  return new Uint32Array(page.buffer, page.byteOffset, page.byteLength / 4);
}
