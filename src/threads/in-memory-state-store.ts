/**
 * Owns: a state store that is gone with its worker.
 * Leaves: the rules to saves.ts. It keeps texts, so what it gives and takes are copies.
 */
import type { Clock } from '../engine/ports.ts';
import type { RunState, StoredRunState } from './records.ts';
import {
  byId,
  creationOf,
  documentOf,
  highest,
  saved,
  saveOf,
  summaryOf,
  type Save,
  type Slot,
} from './saves.ts';
import type { CreateOptions, SaveOptions, StateStore, ThreadList } from './state-store.ts';
import { assertThreadId } from './thread-ids.ts';

export class InMemoryStateStore implements StateStore {
  readonly #clock: Clock;
  readonly #texts = new Map<string, string>();
  /** Of deleted threads. */
  readonly #lastRevisions = new Map<string, number>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  async saveState(threadId: string, state: RunState, options?: SaveOptions): Promise<StoredRunState> {
    return this.#write(saveOf(threadId, state, options));
  }

  async createState(threadId: string, state: RunState, options?: CreateOptions): Promise<StoredRunState> {
    return this.#write(creationOf(threadId, state, options));
  }

  async loadState(threadId: string): Promise<StoredRunState | null> {
    assertThreadId(threadId);
    return this.#slot(threadId).stored;
  }

  async deleteState(threadId: string): Promise<void> {
    assertThreadId(threadId);
    const last = highest(this.#slot(threadId));
    if (last > 0) this.#lastRevisions.set(threadId, last);
    this.#texts.delete(threadId);
  }

  async listThreads(): Promise<ThreadList> {
    const threads = [...this.#texts.keys()].flatMap((id) => {
      const { stored } = this.#slot(id);
      return stored ? [summaryOf(stored)] : [];
    });
    return { threads: threads.sort(byId), unread: [] };
  }

  #write(save: Save): StoredRunState {
    const { stored, text } = saved(this.#slot(save.threadId), save, this.#clock.now());
    this.#texts.set(save.threadId, text);
    return stored;
  }

  #slot(threadId: string): Slot {
    const lastRevision = this.#lastRevisions.get(threadId) ?? 0;
    const text = this.#texts.get(threadId);
    if (text === undefined) return { stored: null, lastRevision };
    const document = documentOf(threadId, text);
    if (document.type !== 'stored') throw new Error(`what was stored is ${document.type}`);
    return { stored: document.stored, lastRevision };
  }
}
