/**
 * Owns: a folder in the origin private file system: files that only this page's origin sees.
 * Leaves: who may write when to the lock. It works in a page and in a worker.
 *
 * A write goes to a file of the browser's own beside the one that is there; `close` puts it in its place, whole. That is the
 * standard's promise of createWritable: what was written before `close` is never seen.
 */
import { StateStorageError, StoreUnavailableError } from './errors.ts';
import type { FileFolder } from './file-folder.ts';

/** Throws StoreUnavailableError where the browser has no such file system, or none for this page. */
export async function opfsFolder(storage: StorageManager | undefined, name: string): Promise<FileFolder> {
  // Without a secure context (plain http) there is no `storage`; older browsers lack parts of it.
  if (typeof storage?.getDirectory !== 'function') {
    throw new StoreUnavailableError('this browser has no private files here (origin private file system)');
  }
  if (typeof FileSystemFileHandle === 'undefined' || !('createWritable' in FileSystemFileHandle.prototype)) {
    throw new StoreUnavailableError('this browser can’t replace a private file as a whole (createWritable)');
  }
  try {
    const root = await storage.getDirectory();
    return new OpfsFolder(await root.getDirectoryHandle(name, { create: true }));
  } catch (error) {
    throw new StoreUnavailableError(`the browser refuses private files (${String(error)})`);
  }
}

class OpfsFolder implements FileFolder {
  readonly #directory: FileSystemDirectoryHandle;

  constructor(directory: FileSystemDirectoryHandle) {
    this.#directory = directory;
  }

  list(): Promise<readonly string[]> {
    return guarded(async () => {
      const names: string[] = [];
      for await (const [name, handle] of this.#directory.entries()) {
        if (handle.kind === 'file') names.push(name);
      }
      return names;
    });
  }

  read(name: string): Promise<Uint8Array | null> {
    return guarded(async () => {
      const handle = await existing(this.#directory.getFileHandle(name));
      if (handle === null) return null;
      const file = await handle.getFile();
      return new Uint8Array(await file.arrayBuffer());
    });
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return guarded(async () => {
      const handle = await this.#directory.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      await writable.write(bytes.slice());
      await writable.close();
    });
  }

  async delete(name: string): Promise<void> {
    await guarded(() => existing(this.#directory.removeEntry(name)));
  }
}

/** Null: there is no such file. */
async function existing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return null;
    throw error;
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFull = error instanceof DOMException && error.name === 'QuotaExceededError';
    throw new StateStorageError({ type: isFull ? 'StorageFull' : 'NotSaved', reason: String(error) });
  }
}
