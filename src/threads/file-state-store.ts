/**
 * Owns: a state store of JSON files, one a thread, as aisuite's FileStateStore writes them. Compare and put happen under a
 * lock, so they are one.
 * Leaves: the rules to saves.ts, names to thread-ids.ts, files to the folder.
 *
 * Beside `<name>.json` there may be `<name>.deleted`, with the last revision of a deleted thread, and
 * `<name>.json.damaged-<n>`, a file that could not be read. aisuite opens `<name>.json` only and sees neither.
 */
import type { Clock } from '../engine/ports.ts';
import type { FileFolder, FolderLock } from './file-folder.ts';
import type { RunState, StoredRunState } from './records.ts';
import {
  byId,
  corrupt,
  creationOf,
  newer,
  revisionOfDamaged,
  saved,
  saveOf,
  summaryOf,
  type Save,
} from './saves.ts';
import { readDocumentBytes, type Document } from './state-json.ts';
import type {
  CreateOptions,
  SaveOptions,
  StateStore,
  ThreadList,
  ThreadSummary,
  UnreadThread,
} from './state-store.ts';
import { assertThreadId, fileNameOf, idInFileName, isThreadFile, whyNoThreadId } from './thread-ids.ts';

export interface FileStateStoreParts {
  readonly folder: FileFolder;
  readonly lock: FolderLock;
  readonly clock: Clock;
}

export class FileStateStore implements StateStore {
  readonly #parts: FileStateStoreParts;

  constructor(parts: FileStateStoreParts) {
    this.#parts = parts;
  }

  async saveState(threadId: string, state: RunState, options?: SaveOptions): Promise<StoredRunState> {
    return this.#write(saveOf(threadId, state, options));
  }

  async createState(threadId: string, state: RunState, options?: CreateOptions): Promise<StoredRunState> {
    return this.#write(creationOf(threadId, state, options));
  }

  async loadState(threadId: string): Promise<StoredRunState | null> {
    assertThreadId(threadId);
    return this.#parts.lock.hold(() => this.#stored(threadId));
  }

  async deleteState(threadId: string): Promise<void> {
    assertThreadId(threadId);
    const { folder, lock } = this.#parts;
    await lock.hold(async () => {
      const name = fileNameOf(threadId);
      const bytes = await folder.read(name);
      if (bytes === null) return;
      const document = documentIn(name, bytes);
      if (document.type === 'newer') throw newer(threadId, document);
      if (document.type === 'stored') {
        // First what it leaves behind: a crash in between leaves the thread as it was.
        await this.#bury(threadId, document.stored.revision);
        await folder.delete(name);
      } else await this.#putAside(threadId, bytes);
    });
  }

  async listThreads(): Promise<ThreadList> {
    const { folder, lock } = this.#parts;
    return lock.hold(async () => {
      const threads: ThreadSummary[] = [];
      const unread: UnreadThread[] = [];
      for (const name of await folder.list()) {
        const [original = '', isAside] = damagedName.exec(name)?.slice(1) ?? [name];
        if (!isThreadFile(original)) continue;
        const bytes = await folder.read(name);
        if (bytes === null) continue;
        const document = documentIn(original, bytes);
        if (document.type === 'stored' && isAside === undefined) threads.push(summaryOf(document.stored));
        else
          unread.push({
            ...whyUnread(document, isAside !== undefined),
            threadId: idInFileName(original),
            name,
          });
      }
      return { threads: threads.sort(byId), unread };
    });
  }

  #write(save: Save): Promise<StoredRunState> {
    const { folder, lock, clock } = this.#parts;
    return lock.hold(async () => {
      const slot = {
        stored: await this.#stored(save.threadId),
        lastRevision: await this.#buried(save.threadId),
      };
      const { stored, text } = saved(slot, save, clock.now());
      await folder.write(fileNameOf(save.threadId), new TextEncoder().encode(text));
      return stored;
    });
  }

  async #stored(threadId: string): Promise<StoredRunState | null> {
    const name = fileNameOf(threadId);
    const bytes = await this.#parts.folder.read(name);
    const document = bytes === null ? null : documentIn(name, bytes);
    if (document?.type === 'newer') throw newer(threadId, document);
    if (document?.type === 'corrupt' && bytes !== null) {
      throw corrupt(threadId, document.reason, await this.#putAside(threadId, bytes));
    }
    return document?.type === 'stored' ? document.stored : null;
  }

  /**
   * Its bytes are there under the other name before they are gone under this one. Null: a folder that does not tell small
   * letters from capitals gave the file of another thread; it is left alone.
   */
  async #putAside(threadId: string, bytes: Uint8Array): Promise<string | null> {
    const { folder } = this.#parts;
    const name = fileNameOf(threadId);
    const names = await folder.list();
    if (!names.includes(name)) return null;
    let number = 1;
    while (names.includes(asideName(name, number))) number += 1;
    await folder.write(asideName(name, number), bytes);
    const text = new TextDecoder().decode(bytes);
    await this.#bury(threadId, revisionOfDamaged(text, await this.#buried(threadId)));
    await folder.delete(name);
    return asideName(name, number);
  }

  async #bury(threadId: string, revision: number): Promise<void> {
    const last = Math.max(revision, await this.#buried(threadId));
    const text = `${JSON.stringify({ thread_id: threadId, revision: last })}\n`;
    await this.#parts.folder.write(tombstoneOf(threadId), new TextEncoder().encode(text));
  }

  /** The revision in the tombstone; 0: there is none. */
  async #buried(threadId: string): Promise<number> {
    const bytes = await this.#parts.folder.read(tombstoneOf(threadId));
    if (bytes === null) return 0;
    const [, digits] = /"revision":(\d{1,15})\}\n$/.exec(new TextDecoder().decode(bytes)) ?? [];
    return digits === undefined ? revisionOfDamaged('', 0) : Number(digits);
  }
}

const damagedName = /^(.*\.json)\.(damaged)-\d+$/s;

function asideName(name: string, number: number): string {
  return `${name}.damaged-${String(number)}`;
}

function tombstoneOf(threadId: string): string {
  return `${fileNameOf(threadId).slice(0, -'.json'.length)}.deleted`;
}

/** The document under this name, of the thread that has this name. */
function documentIn(name: string, bytes: Uint8Array): Document {
  const document = readDocumentBytes(bytes);
  if (document.type !== 'stored') return document;
  const { thread_id: id } = document.stored;
  const reason = whyNoThreadId(id);
  if (reason !== null) return { type: 'corrupt', reason: `its thread_id can’t be one: ${reason}` };
  return fileNameOf(id) === name ? document : { type: 'corrupt', reason: 'it holds another thread' };
}

function whyUnread(document: Document, isAside: boolean): Pick<UnreadThread, 'type' | 'reason'> {
  if (document.type === 'newer') {
    return { type: 'newer', reason: `its format is ${String(document.schemaVersion)}` };
  }
  const reason = document.type === 'corrupt' ? document.reason : 'it was put aside';
  return { type: isAside ? 'quarantined' : 'corrupt', reason };
}
