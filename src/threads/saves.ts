/**
 * Owns: the rules of a save, the same in every store: which revision it may replace, which it gets, what it keeps.
 * Leaves: doing it atomically to the stores. Nothing here waits or writes.
 */
import {
  StateConflictError,
  StateCorruptError,
  StateNewerError,
  ThreadAlreadyExistsError,
} from './errors.ts';
import type { RunState, StoredRunState } from './records.ts';
import {
  checkedMetadata,
  checkedState,
  documentText,
  readDocument,
  schemaVersion,
  type Document,
} from './state-json.ts';
import type { CreateOptions, SaveOptions, ThreadSummary } from './state-store.ts';
import { assertThreadId } from './thread-ids.ts';
import { isoTime, notBefore } from './times.ts';

/** What is stored under an id. `lastRevision`: the highest that it ever had, as far as is known; 0: none. */
export interface Slot {
  readonly stored: StoredRunState | null;
  readonly lastRevision: number;
}

/** A save whose parts were looked at and copied, to be tried on what is stored. */
export interface Save {
  readonly threadId: string;
  readonly state: RunState;
  readonly metadata: StoredRunState['metadata'] | null;
  /** `create`: there must be no thread; null: whatever is stored is replaced. */
  readonly expected: number | 'create' | null;
}

/** More saves than any thread has. */
const beyondAll = 1_000_000_000;

/** Throws ThreadIdError and StateNotJsonError. */
export function saveOf(threadId: string, state: RunState, options: SaveOptions = {}): Save {
  assertThreadId(threadId);
  return {
    threadId,
    state: checkedState(state),
    metadata: options.metadata === undefined ? null : checkedMetadata(options.metadata),
    expected: options.revision ?? null,
  };
}

export function creationOf(threadId: string, state: RunState, options: CreateOptions = {}): Save {
  return { ...saveOf(threadId, state, options), expected: 'create' };
}

/** What is to be stored now. Throws StateConflictError and ThreadAlreadyExistsError; then nothing is. */
export function saved(slot: Slot, save: Save, nowUtc: string): { stored: StoredRunState; text: string } {
  const { stored: current } = slot;
  const { threadId, state, metadata, expected } = save;
  if (expected === 'create') {
    if (current) throw new ThreadAlreadyExistsError(threadId, current.revision, state);
  } else if (expected !== null && expected !== current?.revision) {
    throw new StateConflictError(threadId, expected, current?.revision ?? null, state);
  }
  const now = isoTime(nowUtc);
  const stored: StoredRunState = {
    ...current,
    thread_id: threadId,
    state,
    revision: highest(slot) + 1,
    created_at: current?.created_at ?? now,
    updated_at: current ? notBefore(current.updated_at, now) : now,
    metadata: metadata ?? current?.metadata ?? {},
  };
  const text = documentText(stored);
  const document = documentOf(threadId, text);
  if (document.type !== 'stored') throw new Error(`what is to be stored is ${document.type}`);
  return { stored: document.stored, text };
}

/** The revision that a deleted thread leaves behind. */
export function highest({ stored, lastRevision }: Slot): number {
  return Math.max(stored?.revision ?? 0, lastRevision);
}

/** The document of this thread; what another thread's is, is no document of it. */
export function documentOf(threadId: string, text: string): Document {
  const document = readDocument(text);
  return document.type === 'stored' && document.stored.thread_id !== threadId
    ? { type: 'corrupt', reason: 'it holds another thread' }
    : document;
}

export function newer(threadId: string, document: Document & { type: 'newer' }): StateNewerError {
  return new StateNewerError(threadId, document.schemaVersion, schemaVersion);
}

export function corrupt(threadId: string, reason: string, keptAs: string | null): StateCorruptError {
  return new StateCorruptError(threadId, reason, keptAs);
}

/**
 * The last revision of a thread whose document is damaged, so that it does not come again. `known`: the highest that is
 * known from elsewhere. A document that does not tell its own, where all programs write it, leaves room for any.
 */
export function revisionOfDamaged(text: string, known: number): number {
  const found = [...text.matchAll(/"revision": ?(\d{1,15}), ?"schema_version"/g)].map(([, digits]) =>
    Number(digits),
  );
  return found.length === 0 ? known + beyondAll : Math.max(...found, known);
}

export function summaryOf({
  thread_id,
  revision,
  created_at,
  updated_at,
  state,
}: StoredRunState): ThreadSummary {
  return {
    threadId: thread_id,
    revision,
    createdAt: created_at,
    updatedAt: updated_at,
    status: state.status,
  };
}

export function byId(a: ThreadSummary, b: ThreadSummary): number {
  return a.threadId < b.threadId ? -1 : 1;
}
