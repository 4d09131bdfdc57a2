/**
 * Owns: the live database file of one open database: its pages, and which of them changed since they were last
 * stored, with what they held before.
 * Leaves: SQLite's calls to dirty-pages.ts; what is done with the changes to durable-image.ts.
 *
 * Invariants:
 * - SQLite's last write of a page comes right after COMMIT or ROLLBACK (a rollback after a cache spill writes the
 *   old pages back), so the set is taken only while the file's lock is below RESERVED.
 * - A changed page is forgotten only by `accept` (it is durable) or `putBack` (the file is as it was): a set that
 *   is dropped otherwise leaves a hole in the stored image for good.
 */
import { pageSize, type ImagePages } from './image-pages.ts';

const lockReserved = 2;
/** Pages of memory kept for the next commit; a small one changes about five. */
const mostSpare = 32;
/** Offsets in page 1: what SQLite compares to find out that another program wrote. */
const changeCounter = 24;
const schemaCookie = 40;

/**
 * One page that changed: its number from 1, what it held (null: it did not exist) and what it holds. Both arrays are
 * good until the file is written, accepted or put back.
 */
export interface ChangedPage {
  readonly number: number;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

export interface FileChanges {
  readonly pageCountBefore: number;
  readonly pageCount: number;
  readonly pages: readonly ChangedPage[];
}

export class RecordedFile {
  readonly #pages: ImagePages;
  readonly #touched = new Set<number>();
  readonly #before = new Map<number, Uint8Array>();
  /** Arrays of one page each, to be used again: making one costs more than filling it. */
  readonly #spare: Uint8Array[] = [];
  #countBefore: number;
  #lock = 0;

  /** `pages` is the file's content, from here on changed in place. */
  constructor(pages: ImagePages) {
    this.#pages = pages;
    this.#countBefore = pages.pageCount;
  }

  get byteCount(): number {
    return this.#pages.byteCount;
  }

  get pageCount(): number {
    return this.#pages.pageCount;
  }

  /** Views of the content, good until the next write. */
  read(at: number, length: number): Uint8Array {
    return this.#pages.view(at, length);
  }

  page(number: number): Uint8Array {
    return this.#pages.page(number);
  }

  /** The image in pieces, to be stored at once and not kept. */
  pieces(): Uint8Array[] {
    return this.#pages.pieces();
  }

  /** A copy of the whole file. O(size). */
  toBytes(): Uint8Array {
    return this.#pages.toBytes();
  }

  write(at: number, bytes: Uint8Array): void {
    this.#touch(Math.floor(at / pageSize) + 1, Math.ceil((at + bytes.length) / pageSize));
    this.#pages.write(at, bytes);
  }

  truncate(byteCount: number): void {
    this.#touch(Math.ceil(byteCount / pageSize) + 1, this.pageCount);
    this.#pages.resize(byteCount);
  }

  /** SQLite has this lock on the file now. */
  locked(level: number): void {
    this.#lock = level;
  }

  get isDirty(): boolean {
    return this.#touched.size > 0 || this.pageCount !== this.#countBefore;
  }

  /** The pages that differ from the last accepted state of the file. Throws inside a write transaction. */
  changes(): FileChanges {
    this.#assertNoTransaction();
    const { pageCount } = this;
    const pages: ChangedPage[] = [];
    for (const number of [...this.#touched].sort((a, b) => a - b)) {
      if (number > pageCount) continue;
      pages.push({ number, before: this.#before.get(number) ?? null, after: this.page(number) });
    }
    return { pageCountBefore: this.#countBefore, pageCount, pages };
  }

  /** The file as it is now is what is stored: from here on changes count anew. */
  accept(): void {
    this.#assertNoTransaction();
    for (const page of this.#before.values()) {
      if (this.#spare.length < mostSpare) this.#spare.push(page);
    }
    this.#touched.clear();
    this.#before.clear();
    this.#countBefore = this.pageCount;
  }

  /** Makes the file what it was when last accepted. `read` must read something through SQLite. */
  putBack(read: () => void): void {
    this.#assertNoTransaction();
    this.#behindSqlite(read, () => {
      for (const [number, page] of this.#before) this.#pages.write((number - 1) * pageSize, page);
      this.#pages.resize(this.#countBefore * pageSize);
    });
    this.accept();
  }

  /** Changes pages without SQLite's doing, recorded as changes of its own. `read` as in `putBack`. */
  rewrite(pageCount: number, pages: Iterable<readonly [number, Uint8Array]>, read: () => void): void {
    this.#assertNoTransaction();
    this.#behindSqlite(read, () => {
      for (const [number, page] of pages) this.write((number - 1) * pageSize, page);
      // A last page of zeros has no changed bytes, and is there all the same.
      if (this.pageCount < pageCount) this.write((pageCount - 1) * pageSize, new Uint8Array(pageSize));
      this.truncate(pageCount * pageSize);
    });
  }

  #touch(first: number, last: number): void {
    for (let number = first; number <= last; number += 1) {
      if (this.#touched.has(number)) continue;
      this.#touched.add(number);
      if (number > this.#countBefore) continue;
      const before = this.#array();
      before.set(this.page(number));
      this.#before.set(number, before);
    }
  }

  #array(): Uint8Array {
    if (this.#spare.length === 0) {
      const several = new Uint8Array(mostSpare * pageSize);
      for (let at = 0; at < several.length; at += pageSize)
        this.#spare.push(several.subarray(at, at + pageSize));
    }
    return this.#spare.pop() ?? new Uint8Array(pageSize);
  }

  /**
   * SQLite sees that a file changed by 16 bytes of page 1, and that a schema changed by a number there. Two
   * different images may agree in both, so one read in between sees values that neither has.
   */
  #behindSqlite(read: () => void, change: () => void): void {
    const seen = this.pageCount > 0 ? this.page(1).slice() : new Uint8Array(pageSize);
    change();
    if (this.pageCount === 0) return read();
    const first = this.page(1);
    const wanted = first.slice();
    for (const offset of [changeCounter, schemaCookie]) {
      const taken = [seen[offset], wanted[offset]];
      first[offset] = [0x55, 0x66, 0x77].find((byte) => !taken.includes(byte)) ?? 0;
    }
    try {
      read();
    } finally {
      this.page(1).set(wanted);
    }
  }

  #assertNoTransaction(): void {
    if (this.#lock >= lockReserved) throw new Error('changed pages asked for inside a write transaction');
  }
}
