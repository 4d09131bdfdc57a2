/**
 * Owns: the live database file of one open database: its pages, and which of them changed since they were last
 * stored, with what they held before.
 * Leaves: calling it at each write to dirty-pages.ts; what is done with the pages to durable-image.ts.
 *
 * Invariants:
 * - SQLite's last write of a page comes right after COMMIT or ROLLBACK (a rollback after a cache spill writes the
 *   old pages back), so the set is taken only while the file's lock is below RESERVED.
 * - A changed page is forgotten only by `accept` (it is durable) or `putBack` (the file is as it was): a set that
 *   is dropped otherwise leaves a hole in the stored image for good.
 * - A view of the WebAssembly memory is asked for after each call: the memory may have grown.
 */

/** Bytes of a page, for every image that this product holds; imported files are brought to it. */
export const pageSize = 4096;

const lockReserved = 2;
/** Pages of memory kept for the next commit; a small one changes about five. */
const mostSpare = 32;
/** Offsets of the methods in sqlite3_io_methods. */
export const method = { close: 4, read: 8, write: 12, truncate: 16, fileSize: 24, lock: 28, unlock: 32 };
/** Offsets in page 1: what SQLite compares to find out that another program wrote. */
const changeCounter = 24;
const schemaCookie = 40;

/** What is needed of the WebAssembly program; pointers are byte offsets into `memory`. */
export interface WasmParts {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  malloc(bytes: number): number;
  free(pointer: number): void;
  addFunction(body: (...values: never[]) => number, signature: string): number;
}

export type WasmFunction = (...values: (number | bigint)[]) => number;

/**
 * One page that changed: its number from 1, what it held (null: it did not exist) and what it holds. Both arrays are
 * used again after `accept` or `putBack`.
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

/** The live database file of one open database. */
export class RecordedFile {
  readonly #wasm: WasmParts;
  readonly #file: number;
  /** SQLite's own methods, by offset. */
  readonly #methods = new Map<number, WasmFunction>();
  readonly #buffer: number;
  #view: DataView<ArrayBuffer>;
  readonly #touched = new Set<number>();
  readonly #before = new Map<number, Uint8Array>();
  /** Arrays of one page each, to be used again: making one costs more than filling it. */
  readonly #spare: Uint8Array[] = [];
  #given: Uint8Array[] = [];
  #countBefore: number;
  #lock = 0;

  constructor(wasm: WasmParts, file: number, original: number) {
    this.#wasm = wasm;
    this.#file = file;
    const methods = new DataView(wasm.memory.buffer);
    for (const offset of Object.values(method)) {
      this.#methods.set(offset, functionAt(wasm.table, methods.getUint32(original + offset, true)));
    }
    this.#buffer = wasm.malloc(pageSize);
    this.#view = new DataView(wasm.memory.buffer);
    this.#countBefore = this.pageCount();
  }

  pageCount(): number {
    this.#call(method.fileSize, this.#file, this.#buffer);
    return Math.ceil(Number(this.#memory().getBigInt64(this.#buffer, true)) / pageSize);
  }

  readPage(number: number, into: Uint8Array = new Uint8Array(pageSize)): Uint8Array {
    this.#call(method.read, this.#file, this.#buffer, pageSize, BigInt((number - 1) * pageSize));
    into.set(new Uint8Array(this.#memory().buffer, this.#buffer, pageSize));
    return into;
  }

  /** The whole file. O(size). */
  readAll(): Uint8Array {
    const count = this.pageCount();
    const image = new Uint8Array(count * pageSize);
    for (let page = 1; page <= count; page += 1) {
      this.readPage(page, image.subarray((page - 1) * pageSize, page * pageSize));
    }
    return image;
  }

  get isDirty(): boolean {
    return this.#touched.size > 0 || this.pageCount() !== this.#countBefore;
  }

  /** The pages that differ from the last accepted state of the file. Throws inside a write transaction. */
  changes(): FileChanges {
    this.#assertNoTransaction();
    const pageCount = this.pageCount();
    const pages: ChangedPage[] = [];
    for (const number of [...this.#touched].sort((a, b) => a - b)) {
      if (number > pageCount) continue;
      const after = this.readPage(number, this.#spare.pop());
      this.#given.push(after);
      pages.push({ number, before: this.#before.get(number) ?? null, after });
    }
    return { pageCountBefore: this.#countBefore, pageCount, pages };
  }

  /** The file as it is now is what is stored: from here on changes count anew. */
  accept(): void {
    this.#assertNoTransaction();
    for (const page of [...this.#before.values(), ...this.#given]) {
      if (this.#spare.length < mostSpare) this.#spare.push(page);
    }
    this.#given = [];
    this.#touched.clear();
    this.#before.clear();
    this.#countBefore = this.pageCount();
  }

  /** Makes the file what it was when last accepted. `read` must read something through SQLite. */
  putBack(read: () => void): void {
    this.#assertNoTransaction();
    this.#behindSqlite(read, () => {
      for (const number of [...this.#before.keys()].sort((a, b) => a - b)) {
        const page = this.#before.get(number);
        if (page) this.#writePage(number, page);
      }
      this.#truncate(this.#countBefore);
    });
    this.accept();
  }

  /** Changes pages without SQLite's doing, recorded as changes of its own. `read` as in `putBack`. */
  rewrite(pageCount: number, pages: Iterable<readonly [number, Uint8Array]>, read: () => void): void {
    this.#assertNoTransaction();
    this.#behindSqlite(read, () => {
      for (const [number, page] of pages) {
        this.#touch(number, number);
        this.#writePage(number, page);
      }
      // A last page of zeros has no changed bytes, and is there all the same.
      if (this.pageCount() < pageCount) {
        this.#touch(pageCount, pageCount);
        this.#writePage(pageCount, new Uint8Array(pageSize));
      }
      this.#touch(pageCount + 1, this.pageCount());
      this.#truncate(pageCount);
    });
  }

  /** Called by the wrapped methods, before the original runs. */
  beforeWrite(offset: number, bytes: number): void {
    this.#touch(Math.floor(offset / pageSize) + 1, Math.ceil((offset + bytes) / pageSize));
  }

  beforeTruncate(bytes: number): void {
    this.#touch(Math.ceil(bytes / pageSize) + 1, this.pageCount());
  }

  locked(level: number): void {
    this.#lock = level;
  }

  forward(offset: number, ...values: (number | bigint)[]): number {
    return this.#call(offset, this.#file, ...values);
  }

  released(): void {
    this.#wasm.free(this.#buffer);
  }

  #touch(first: number, last: number): void {
    for (let number = first; number <= last; number += 1) {
      if (this.#touched.has(number)) continue;
      if (number <= this.#countBefore) this.#before.set(number, this.readPage(number, this.#spare.pop()));
      this.#touched.add(number);
    }
  }

  /**
   * SQLite sees that a file changed by 16 bytes of page 1, and that a schema changed by a number there. Two
   * different images may agree in both, so one read in between sees values that neither has.
   */
  #behindSqlite(read: () => void, change: () => void): void {
    const seen = this.pageCount() > 0 ? this.readPage(1) : new Uint8Array(pageSize);
    change();
    if (this.pageCount() === 0) return read();
    const wanted = this.readPage(1);
    const odd = wanted.slice();
    for (const offset of [changeCounter, schemaCookie]) {
      const taken = [seen[offset], wanted[offset]];
      odd[offset] = [0x55, 0x66, 0x77].find((byte) => !taken.includes(byte)) ?? 0;
    }
    this.#writePage(1, odd);
    try {
      read();
    } finally {
      this.#writePage(1, wanted);
    }
  }

  #writePage(number: number, page: Uint8Array): void {
    new Uint8Array(this.#wasm.memory.buffer).set(page, this.#buffer);
    const code = this.#call(
      method.write,
      this.#file,
      this.#buffer,
      pageSize,
      BigInt((number - 1) * pageSize),
    );
    if (code !== 0) throw new Error(`page ${number} could not be written in memory (SQLite code ${code})`);
  }

  #truncate(pageCount: number): void {
    if (this.pageCount() > pageCount) this.#call(method.truncate, this.#file, BigInt(pageCount * pageSize));
  }

  #assertNoTransaction(): void {
    if (this.#lock >= lockReserved) throw new Error('changed pages asked for inside a write transaction');
  }

  #call(offset: number, ...values: (number | bigint)[]): number {
    const original = this.#methods.get(offset);
    if (!original) throw new Error(`the file method at ${offset} is not known`);
    return original(...values);
  }

  /** The view is made anew when the memory has grown: its old buffer is gone then. */
  #memory(): DataView<ArrayBuffer> {
    if (this.#view.buffer !== this.#wasm.memory.buffer) this.#view = new DataView(this.#wasm.memory.buffer);
    return this.#view;
  }
}

/** The function at an index of the WebAssembly table: how C holds a pointer to one. */
export function functionAt(table: WebAssembly.Table, index: number): WasmFunction {
  const found: unknown = table.get(index);
  if (typeof found !== 'function') throw new Error(`no function at ${index} of the WebAssembly table`);
  return found as WasmFunction;
}
