/**
 * Owns: threads as files, out of a store and into one: bytes out, bytes in.
 * Leaves: choosing and saving files to the screen.
 */
import { StateCorruptError, StateNewerError, ThreadAlreadyExistsError } from './errors.ts';
import type { StoredRunState } from './records.ts';
import { documentText, readDocumentBytes, schemaVersion } from './state-json.ts';
import type { StateStore } from './state-store.ts';
import { assertThreadId, fileNameOf } from './thread-ids.ts';

export interface ThreadFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Imported =
  | { readonly type: 'imported'; readonly stored: StoredRunState }
  /** Nothing was written: `there` has the id that the file has. */
  | { readonly type: 'exists'; readonly file: StoredRunState; readonly there: StoredRunState };

/** As aisuite's file store would keep it. */
export function threadFile(stored: StoredRunState): ThreadFile {
  return { name: fileNameOf(stored.thread_id), bytes: new TextEncoder().encode(documentText(stored)) };
}

/**
 * What a file holds. Its id is that inside: browsers and people rename files. Throws StateCorruptError, which names the
 * file, StateNewerError and ThreadIdError.
 */
export function readThreadFile({ name, bytes }: ThreadFile): StoredRunState {
  const document = readDocumentBytes(bytes);
  switch (document.type) {
    case 'newer':
      throw new StateNewerError(name, document.schemaVersion, schemaVersion);
    case 'corrupt':
      throw new StateCorruptError(name, document.reason, null);
    case 'stored':
      assertThreadId(document.stored.thread_id);
      return document.stored;
  }
}

/**
 * Puts the thread of a file into the store, as a new thread: with its state and metadata, a first revision and times of
 * its own. Never in the place of another one. `threadId`: under another id than the file has.
 */
export async function importThread(
  store: StateStore,
  file: ThreadFile,
  threadId?: string,
): Promise<Imported> {
  const found = readThreadFile(file);
  const id = threadId ?? found.thread_id;
  try {
    const stored = await store.createState(id, found.state, { metadata: found.metadata });
    return { type: 'imported', stored };
  } catch (error) {
    if (!(error instanceof ThreadAlreadyExistsError)) throw error;
    const there = await store.loadState(id);
    // Deleted by another in this very moment: the error still tells what happened.
    if (there === null) throw error;
    return { type: 'exists', file: found, there };
  }
}

/** All threads that can be read, as files. */
export async function exportThreads(store: StateStore): Promise<readonly ThreadFile[]> {
  const { threads } = await store.listThreads();
  const files: ThreadFile[] = [];
  for (const { threadId } of threads) {
    const stored = await store.loadState(threadId);
    if (stored !== null) files.push(threadFile(stored));
  }
  return files;
}
