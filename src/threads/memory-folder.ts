/** Owns: a folder that is gone with its worker: for tests and demonstrations. */
import type { FileFolder } from './file-folder.ts';

export class MemoryFolder implements FileFolder {
  readonly #files = new Map<string, Uint8Array>();

  async list(): Promise<readonly string[]> {
    return [...this.#files.keys()];
  }

  async read(name: string): Promise<Uint8Array | null> {
    return this.#files.get(name)?.slice() ?? null;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.#files.set(name, bytes.slice());
  }

  async delete(name: string): Promise<void> {
    this.#files.delete(name);
  }
}
