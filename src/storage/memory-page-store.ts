/**
 * Owns: the page store that keeps everything in this program's memory: for where IndexedDB is refused, for the
 * explorer and for tests. Several databases may share one, like tabs share IndexedDB.
 */
import { succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import type { KeptImages } from './kept-images.ts';
import type { CommitOutcome, PageStore, RefreshOutcome } from './page-store.ts';
import { salvage } from './stored-image.ts';
import type { BaseImage, Head, LogRecord, StoredImage } from './stored-records.ts';

export class MemoryPageStore implements PageStore {
  readonly kind = 'memory';
  #current: BaseImage | null = null;
  #log = new Map<number, LogRecord>();
  #number = 1;
  readonly #kept: KeptImages | null;
  readonly #clock: Clock | null;

  /** With `kept`, damaged images are set aside there. */
  constructor(kept: KeptImages | null = null, clock: Clock | null = null) {
    this.#kept = kept;
    this.#clock = clock;
  }

  open(): Promise<Result<StoredImage | null, StorageFailure>> {
    return answer(this.#stored());
  }

  create(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    if (this.#current) return answer(false);
    this.#current = copyOf(image);
    this.#log = new Map();
    return answer(true);
  }

  refresh(head: Head): Promise<Result<RefreshOutcome, StorageFailure>> {
    if (this.#moved(head)) return answer({ type: 'moved' });
    const entries = [...this.#log].filter(([key]) => key > head.generation);
    return answer({ type: 'news', entries: entries.map(([key, value]) => ({ key, value })) });
  }

  commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>> {
    const there = this.#log.get(head.generation + 1);
    if (this.#moved(head)) return answer({ type: this.#isFolded(record) ? 'saved' : 'moved' });
    if (there) return answer({ type: there.id === record.id ? 'saved' : 'conflict' });
    this.#log.set(head.generation + 1, record);
    return answer({ type: 'saved' });
  }

  compact(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    const base = this.#current?.base;
    const { incarnation, generation, id } = image.base;
    if (!base || base.incarnation !== incarnation || base.generation >= generation) return answer(false);
    if (this.#log.get(generation)?.id !== id) return answer(false);
    this.#current = copyOf(image);
    for (const key of [...this.#log.keys()]) if (key <= generation) this.#log.delete(key);
    return answer(true);
  }

  async quarantine(
    name: string,
    reason: string,
    kind: 'quarantined' | 'newer' = 'quarantined',
  ): Promise<Result<null, StorageFailure>> {
    const stored = this.#stored();
    if (stored?.name !== name) return succeed(null);
    this.#current = null;
    this.#number += 1;
    const atUtc = this.#clock?.now() ?? '';
    const image = { name, kind, reason, atUtc, runs: 0, replacedBy: null };
    const kept = await this.#kept?.keep(image, salvage(stored));
    return kept && !kept.ok ? kept : succeed(null);
  }

  /** Number of the last commit that is stored here; 0: the image as it was created, or none. */
  get generation(): number {
    return Math.max(this.#current?.base.generation ?? 0, ...this.#log.keys());
  }

  /** A store of its own with what is stored here now. Kept images are shared. */
  copy(): MemoryPageStore {
    const copied = new MemoryPageStore(this.#kept, this.#clock);
    copied.#current = this.#current && copyOf(this.#current);
    copied.#log = new Map(this.#log);
    copied.#number = this.#number;
    return copied;
  }

  close(): void {
    // The memory belongs to whoever made this store.
  }

  #stored(): StoredImage | null {
    if (!this.#current) return null;
    return {
      name: `memory-${this.#number}`,
      base: this.#current.base,
      pieces: this.#current.pieces.map((piece, key) => ({ key, value: piece.slice() })),
      log: [...this.#log].map(([key, value]) => ({ key, value })),
      setAside: false,
    };
  }

  #moved(head: Head): boolean {
    const base = this.#current?.base;
    return !base || base.incarnation !== head.incarnation || base.generation > head.generation;
  }

  #isFolded(record: LogRecord): boolean {
    return this.#current?.base.id === record.id;
  }
}

/** Other storage copies what it is given, and what it gives. */
function copyOf({ base, pieces }: BaseImage): BaseImage {
  return { base, pieces: pieces.map((piece) => piece.slice()) };
}

function answer<T>(value: T): Promise<Result<T, StorageFailure>> {
  return Promise.resolve(succeed(value));
}
