/** A folder of the real file system, for the file store in Node. */
import { mkdtempSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileFolder } from '../../src/threads/file-folder.ts';

export class NodeFolder implements FileFolder {
  readonly path: string;
  #written = 0;

  constructor(path = mkdtempSync(join(tmpdir(), 'threads-'))) {
    this.path = path;
  }

  async list(): Promise<readonly string[]> {
    return readdir(this.path);
  }

  async read(name: string): Promise<Uint8Array | null> {
    try {
      return new Uint8Array(await readFile(join(this.path, name)));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.#written += 1;
    const aside = join(this.path, `.${String(this.#written)}.tmp`);
    const file = await open(aside, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, join(this.path, name));
  }

  async delete(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }
}
