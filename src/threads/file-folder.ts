/**
 * Owns: what the file store asks of a folder and of a lock; the lock of the browser, and that of one worker alone.
 * Leaves: the folders to opfs-folder.ts and memory-folder.ts.
 */
import { Turns } from '../storage/turns.ts';
import { StoreUnavailableError } from './errors.ts';

/** Files by name, in one folder. Rejects with StateStorageError when it fails. */
export interface FileFolder {
  /** In any order. */
  list(): Promise<readonly string[]>;
  /** Null: no such file. */
  read(name: string): Promise<Uint8Array | null>;
  /** All of it or nothing: written aside, flushed, and put in the place of what was there. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** No such file: nothing happens. */
  delete(name: string): Promise<void>;
}

/** Lets one at a time at the folder, of all that write to it. */
export interface FolderLock {
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/** Over all tabs and workers of this origin. The browser gives it back when the worker dies. Throws StoreUnavailableError. */
export function webLock(locks: LockManager | undefined, name: string): FolderLock {
  if (locks === undefined) {
    throw new StoreUnavailableError('this browser has no locks here that hold between tabs (Web Locks)');
  }
  return { hold: async <T>(work: () => Promise<T>): Promise<T> => locks.request(name, work) };
}

/** Over all that share this object. */
export function lockInWorker(): FolderLock {
  const turns = new Turns();
  return { hold: (work) => turns.take(work) };
}
