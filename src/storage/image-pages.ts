/**
 * Owns: the bytes of a database image in memory, in chunks: it is read from storage, used as the live file and written
 * again in the same arrays, so that opening a large image copies nothing.
 * Leaves: what SQLite does to it to recorded-file.ts; the stored form to stored-records.ts.
 */

/** Bytes of a page, for every image that this product holds; imported files are brought to it. */
export const pageSize = 4096;

/**
 * Bytes of a chunk, and of a stored piece; the last is shorter. Fewer and larger pieces are read sooner (40 MB in
 * pieces of 1 MiB take nearly twice as long as in one), smaller ones make a fold write less.
 */
export const chunkBytes = 8 * 1024 * 1024;

const leastChunk = 16 * pageSize;

export class ImagePages {
  /** All but the last are of `chunkBytes`; the last has room to grow, filled with zeros. */
  readonly #chunks: Uint8Array[];
  #byteCount: number;

  private constructor(chunks: Uint8Array[], byteCount: number) {
    this.#chunks = chunks;
    this.#byteCount = byteCount;
  }

  /** Takes the arrays for its own: nobody else may use them afterwards. All but the last must be of `chunkBytes`. */
  static adopt(pieces: readonly Uint8Array[]): ImagePages {
    return new ImagePages(
      [...pieces],
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    );
  }

  /** A copy of these bytes. */
  static of(bytes: Uint8Array): ImagePages {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += chunkBytes) pieces.push(bytes.slice(at, at + chunkBytes));
    return ImagePages.adopt(pieces);
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  get pageCount(): number {
    return Math.ceil(this.#byteCount / pageSize);
  }

  /** The bytes from `at`, which must lie in one chunk, as a view: it shows what is written there later. */
  view(at: number, length: number): Uint8Array {
    const chunk = this.#chunks[Math.floor(at / chunkBytes)];
    const offset = at % chunkBytes;
    if (!chunk || offset + length > chunk.length || at + length > this.#byteCount) {
      throw new Error(`bytes ${at} to ${at + length} of an image of ${this.#byteCount} were asked for`);
    }
    return chunk.subarray(offset, offset + length);
  }

  /** The page of this number, from 1, as a view. */
  page(number: number): Uint8Array {
    return this.view((number - 1) * pageSize, pageSize);
  }

  /** Writes into one chunk, and makes the image longer if need be. */
  write(at: number, bytes: Uint8Array): void {
    if (at + bytes.length > this.#byteCount) this.resize(at + bytes.length);
    this.view(at, bytes.length).set(bytes);
  }

  /** Bytes that are cut off come back as zeros. */
  resize(byteCount: number): void {
    if (byteCount < this.#byteCount) {
      const kept = Math.ceil(byteCount / chunkBytes);
      this.#chunks.length = Math.min(kept, this.#chunks.length);
      if (byteCount % chunkBytes !== 0) this.#chunks.at(-1)?.fill(0, byteCount % chunkBytes);
    }
    for (let index = Math.max(this.#chunks.length - 1, 0); this.#room() < byteCount; index += 1) {
      const wanted = Math.min(byteCount - index * chunkBytes, chunkBytes);
      if ((this.#chunks[index]?.length ?? 0) < wanted) this.#enlarge(index, wanted);
    }
    this.#byteCount = byteCount;
  }

  /**
   * The image in pieces as they are stored: the very arrays, to be written and not to be kept. Storing an array stores
   * all of the buffer behind it, so a last chunk with room to grow is copied.
   */
  pieces(): Uint8Array[] {
    return this.#chunks.map((chunk, index) => {
      const length = Math.min(chunkBytes, this.#byteCount - index * chunkBytes);
      return length === chunk.length ? chunk : chunk.slice(0, length);
    });
  }

  /** A copy in one piece. O(size). */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#byteCount);
    for (const [index, piece] of this.pieces().entries()) bytes.set(piece, index * chunkBytes);
    return bytes;
  }

  #room(): number {
    const last = this.#chunks.at(-1);
    return last ? (this.#chunks.length - 1) * chunkBytes + last.length : 0;
  }

  /** Doubles the chunk as often as needed: growing by pages would copy it each time. */
  #enlarge(index: number, wanted: number): void {
    const old = this.#chunks[index];
    let length = Math.max(old?.length ?? 0, leastChunk);
    while (length < wanted) length *= 2;
    const chunk = new Uint8Array(Math.min(length, chunkBytes));
    if (old) chunk.set(old);
    this.#chunks[index] = chunk;
  }
}
