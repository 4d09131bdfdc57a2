/**
 * Owns: which stored image is the current one, and the images kept beside it, in a small IndexedDB database that
 * bears the storage name. Each image lies in a database of its own, so that a damaged one stays as it is, byte for
 * byte, while a fresh one starts under a new name.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { IdbConnection } from './idb-connection.ts';
import { isDropped, isSetAside, type KeptImage, type KeptImages, type KeptKind } from './kept-images.ts';
import { randomId, type Random } from './random.ts';

const currentKey = 'current';
const kinds: readonly KeptKind[] = ['reset', 'opened', 'quarantined', 'newer'];

/** `directory`: the current image's name. `kept`: KeptImage by name. `content`: bytes by name. */
export const directoryStores = ['directory', 'kept', 'content'] as const;

export class IdbDirectory implements KeptImages {
  readonly #connection: IdbConnection;
  readonly #random: Random;
  /** The bytes of a set-aside image, read from its own database. */
  readonly #salvaged: (name: string) => Promise<Result<Uint8Array, StorageFailure>>;
  readonly #remove: (name: string) => Promise<Result<null, StorageFailure>>;

  constructor(
    connection: IdbConnection,
    random: Random,
    salvaged: (name: string) => Promise<Result<Uint8Array, StorageFailure>>,
    remove: (name: string) => Promise<Result<null, StorageFailure>>,
  ) {
    this.#connection = connection;
    this.#random = random;
    this.#salvaged = salvaged;
    this.#remove = remove;
  }

  /** Name of the current image's database; drawn by whoever asks first. */
  async current(): Promise<Result<string, StorageFailure>> {
    const known = await this.#connection.read<unknown>(['directory'], (transaction, answer) => {
      const request = transaction.objectStore('directory').get(currentKey);
      request.onsuccess = () => answer(request.result);
    });
    if (!known.ok) return known;
    if (typeof known.value === 'string') return succeed(known.value);
    const name = this.#newName();
    const drawn = await this.#connection.write<string>(['directory'], (transaction, answer) => {
      const directory = transaction.objectStore('directory');
      const request: IDBRequest<unknown> = directory.get(currentKey);
      request.onsuccess = () => {
        if (typeof request.result === 'string') return answer(request.result);
        directory.put(name, currentKey);
        answer(name);
      };
    });
    return drawn.ok ? succeed(drawn.value ?? name) : drawn;
  }

  /** Lists the image as set aside and draws a new name; does nothing when it is no longer the current one. */
  async setAside(image: KeptImage): Promise<Result<null, StorageFailure>> {
    const fresh = this.#newName();
    const done = await this.#connection.write<null>(['directory', 'kept'], (transaction) => {
      const directory = transaction.objectStore('directory');
      const request: IDBRequest<unknown> = directory.get(currentKey);
      request.onsuccess = () => {
        if (request.result !== image.name) return;
        directory.put(fresh, currentKey);
        transaction.objectStore('kept').put(image, image.name);
      };
    });
    return done.ok ? succeed(null) : done;
  }

  async keep(image: Omit<KeptImage, 'bytes'>, content: Uint8Array): Promise<Result<null, StorageFailure>> {
    const done = await this.#connection.write<null>(['kept', 'content'], (transaction) => {
      transaction.objectStore('kept').put({ ...image, bytes: content.length }, image.name);
      transaction.objectStore('content').put(content, image.name);
    });
    return done.ok ? succeed(null) : done;
  }

  async list(): Promise<Result<readonly KeptImage[], StorageFailure>> {
    const listed = await this.#connection.read<unknown[]>(['kept'], (transaction, answer) => {
      const request: IDBRequest<unknown[]> = transaction.objectStore('kept').getAll();
      request.onsuccess = () => answer(request.result);
    });
    if (!listed.ok) return listed;
    const images = (listed.value ?? []).flatMap((value) => parseKept(value) ?? []);
    return succeed(images.sort((a, b) => (a.atUtc < b.atUtc ? -1 : 1)));
  }

  async get(name: string): Promise<Result<Uint8Array | null, StorageFailure>> {
    const found = await this.#connection.read<readonly [unknown, unknown]>(
      ['kept', 'content'],
      (transaction, answer) => {
        const kept: IDBRequest<unknown> = transaction.objectStore('kept').get(name);
        const content: IDBRequest<unknown> = transaction.objectStore('content').get(name);
        content.onsuccess = () => answer([kept.result, content.result]);
      },
    );
    if (!found.ok) return found;
    const [image, content] = found.value ?? [];
    if (content instanceof Uint8Array) return succeed(content);
    const kept = parseKept(image);
    return kept !== null && isSetAside(kept) ? this.#salvaged(name) : succeed(null);
  }

  async delete(name: string): Promise<Result<null, StorageFailure>> {
    const known = await this.list();
    if (!known.ok) return known;
    if (known.value.some((image) => image.name === name && isSetAside(image))) {
      const removed = await this.#remove(name);
      if (!removed.ok) return removed;
    }
    const done = await this.#connection.write<null>(['kept', 'content'], (transaction) => {
      transaction.objectStore('kept').delete(name);
      transaction.objectStore('content').delete(name);
    });
    return done.ok ? succeed(null) : fail(done.failure);
  }

  async dropReplaced(generation: number, reachable: string | null): Promise<Result<null, StorageFailure>> {
    const done = await this.#connection.write<null>(['kept', 'content'], (transaction) => {
      const [kept, content] = [transaction.objectStore('kept'), transaction.objectStore('content')];
      const all: IDBRequest<unknown[]> = kept.getAll();
      all.onsuccess = () => {
        for (const image of all.result.flatMap((value) => parseKept(value) ?? [])) {
          if (!isDropped(image, generation, reachable)) continue;
          kept.delete(image.name);
          content.delete(image.name);
        }
      };
    });
    return done.ok ? succeed(null) : done;
  }

  close(): void {
    this.#connection.close();
  }

  #newName(): string {
    return `${this.#connection.name}#${randomId(this.#random).slice(0, 12)}`;
  }
}

function parseKept(value: unknown): KeptImage | null {
  if (typeof value !== 'object' || value === null) return null;
  const image = value as { readonly [member in keyof KeptImage]?: unknown };
  const fits =
    typeof image.name === 'string' &&
    kinds.some((kind) => kind === image.kind) &&
    typeof image.reason === 'string' &&
    typeof image.atUtc === 'string' &&
    typeof image.bytes === 'number' &&
    typeof image.runs === 'number';
  if (!fits) return null;
  const kept = value as KeptImage;
  if (isSetAside(kept)) return { ...kept, replacedBy: null };
  // Version 0.1.0 did not say it: whoever sees such an image has seen what replaced it.
  return { ...kept, replacedBy: typeof image.replacedBy === 'number' ? image.replacedBy : 0 };
}
