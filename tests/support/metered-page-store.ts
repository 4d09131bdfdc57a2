/** A page store that counts the bytes it is given to write, and those it keeps. */
import type { Result, StorageFailure } from '../../src/engine/failure.ts';
import type { CommitOutcome, PageStore, RefreshOutcome } from '../../src/storage/page-store.ts';
import type { BaseImage, Head, LogRecord, StoredImage } from '../../src/storage/stored-records.ts';

export class MeteredPageStore implements PageStore {
  readonly kind = 'memory';
  readonly #store: PageStore;
  #pieces: readonly string[] = [];
  #baseBytes = 0;
  #log = new Map<number, number>();
  written = 0;
  folds = 0;

  constructor(store: PageStore) {
    this.#store = store;
  }

  get kept(): number {
    return [...this.#log.values()].reduce((sum, bytes) => sum + bytes, this.#baseBytes);
  }

  async commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>> {
    const done = await this.#store.commit(head, record);
    if (done.ok && done.value.type === 'saved') {
      this.written += record.changes.length;
      this.#log.set(head.generation + 1, record.changes.length);
    }
    return done;
  }

  async create(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    const done = await this.#store.create(image);
    if (done.ok && done.value) this.#tookBase(image);
    return done;
  }

  async compact(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    const done = await this.#store.compact(image);
    if (!done.ok || !done.value) return done;
    this.folds += 1;
    this.#tookBase(image);
    for (const key of this.#log.keys()) if (key <= image.base.generation) this.#log.delete(key);
    return done;
  }

  /** A store writes the pieces that differ from those it has (idb-image.ts). */
  #tookBase({ base, pieces }: BaseImage): void {
    for (const [index, piece] of pieces.entries()) {
      if (base.pieces[index] !== this.#pieces[index]) this.written += piece.length;
    }
    this.#pieces = base.pieces;
    this.#baseBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  open(): Promise<Result<StoredImage | null, StorageFailure>> {
    return this.#store.open();
  }
  refresh(head: Head): Promise<Result<RefreshOutcome, StorageFailure>> {
    return this.#store.refresh(head);
  }
  quarantine(...values: Parameters<PageStore['quarantine']>): Promise<Result<null, StorageFailure>> {
    return this.#store.quarantine(...values);
  }
  close(): void {
    this.#store.close();
  }
}
