/**
 * Owns: what a state store is. Any object with these methods is one; tests/contract/state-store.ts says whether it is right.
 * Leaves: the makes to in-memory-, sqlite- and file-state-store.ts; the rules they share to saves.ts.
 *
 * All methods reject with the classes of errors.ts. What is given and what is returned are copies.
 */
import type { JsonObject } from '../engine/json.ts';
import type { RunState, RunStatus, StoredRunState } from './records.ts';

export interface SaveOptions {
  /**
   * The revision that the caller has read: the save is refused when another is stored. Without it whatever is stored is
   * replaced: that is for the sake of other programs; the Runner never does it.
   */
  readonly revision?: number | null;
  /** In place of what is stored; `{}` clears it. Without it, what is stored is kept. */
  readonly metadata?: JsonObject;
}

export interface CreateOptions {
  readonly metadata?: JsonObject;
}

export interface StateStore {
  /** Throws StateConflictError; StateNotJsonError, ThreadIdError, StateCorruptError, StateNewerError. */
  saveState(threadId: string, state: RunState, options?: SaveOptions): Promise<StoredRunState>;
  /** Null: no such thread. Throws StateCorruptError, StateNewerError, ThreadIdError. */
  loadState(threadId: string): Promise<StoredRunState | null>;
  /** There is no such thread afterwards; there may have been none before. Its last revision is remembered. */
  deleteState(threadId: string): Promise<void>;
  /** The first save of a thread; of several at once, one is done. The others throw ThreadAlreadyExistsError. */
  createState(threadId: string, state: RunState, options?: CreateOptions): Promise<StoredRunState>;
  listThreads(): Promise<ThreadList>;
}

export interface ThreadList {
  /** By id, in the order of code units. */
  readonly threads: readonly ThreadSummary[];
  /** What can't be read, where it is. */
  readonly unread: readonly UnreadThread[];
}

export interface ThreadSummary {
  readonly threadId: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: RunStatus;
}

export interface UnreadThread {
  /**
   * `corrupt`: it stands where it was found, and is put aside when its thread is next asked for. `quarantined`: it was. `newer`:
   * a newer program stored it; it is left alone.
   */
  readonly type: 'corrupt' | 'quarantined' | 'newer';
  /** Null: even that can't be told. */
  readonly threadId: string | null;
  /** The file, or the row. */
  readonly name: string;
  readonly reason: string;
}
