/**
 * Owns: images that are kept beside the current one: what a reset or an import replaced (for *Undo*, across
 * reloads), and damaged images that were set aside. Nothing here is deleted but by a person's wish.
 * Leaves: the IndexedDB make to idb-directory.ts.
 */
import { succeed, type Result, type StorageFailure } from '../engine/failure.ts';

export type KeptKind = 'reset' | 'opened' | 'quarantined' | 'newer';

/** These lie in a database of their own, as they were stored, until a person deletes them. */
export function isSetAside({ kind }: { readonly kind: KeptKind }): boolean {
  return kind === 'quarantined' || kind === 'newer';
}

export interface KeptImage {
  readonly name: string;
  /** What replaced it (`reset`, `opened`: another file), that it failed its checks, or that a newer page wrote it. */
  readonly kind: KeptKind;
  /** For a person; empty where nothing is wrong. */
  readonly reason: string;
  readonly atUtc: string;
  /** Size of its content. */
  readonly bytes: number;
  /** How many runs it holds; 0 where nobody can say. */
  readonly runs: number;
  /** The generation that is to replace it; null for one that was set aside. */
  readonly replacedBy: number | null;
}

/** Keeping under a name that exists replaces what was kept there. */
export interface KeptImages {
  keep(image: Omit<KeptImage, 'bytes'>, content: Uint8Array): Promise<Result<null, StorageFailure>>;
  /** Without their content, oldest first. */
  list(): Promise<Result<readonly KeptImage[], StorageFailure>>;
  /** The bytes, or null when nothing is kept under this name. */
  get(name: string): Promise<Result<Uint8Array | null, StorageFailure>>;
  delete(name: string): Promise<Result<null, StorageFailure>>;
  /**
   * Deletes what was kept for an undo up to this generation, but for the image of this name. What is to be replaced by
   * a later one stays: another tab may have kept it and be about to commit.
   */
  dropReplaced(generation: number, reachable: string | null): Promise<Result<null, StorageFailure>>;
}

/** Can nobody who has seen this generation come to it by an undo? */
export function isDropped(image: KeptImage, generation: number, reachable: string | null): boolean {
  return image.replacedBy !== null && image.replacedBy <= generation && image.name !== reachable;
}

export class MemoryKeptImages implements KeptImages {
  readonly #images = new Map<string, { readonly image: KeptImage; readonly content: Uint8Array }>();

  keep(image: Omit<KeptImage, 'bytes'>, content: Uint8Array): Promise<Result<null, StorageFailure>> {
    this.#images.delete(image.name);
    this.#images.set(image.name, { image: { ...image, bytes: content.length }, content: content.slice() });
    return Promise.resolve(succeed(null));
  }

  list(): Promise<Result<readonly KeptImage[], StorageFailure>> {
    return Promise.resolve(succeed([...this.#images.values()].map((entry) => entry.image)));
  }

  get(name: string): Promise<Result<Uint8Array | null, StorageFailure>> {
    return Promise.resolve(succeed(this.#images.get(name)?.content.slice() ?? null));
  }

  delete(name: string): Promise<Result<null, StorageFailure>> {
    this.#images.delete(name);
    return Promise.resolve(succeed(null));
  }

  dropReplaced(generation: number, reachable: string | null): Promise<Result<null, StorageFailure>> {
    for (const { image } of [...this.#images.values()]) {
      if (isDropped(image, generation, reachable)) this.#images.delete(image.name);
    }
    return Promise.resolve(succeed(null));
  }
}
