/**
 * Owns: the errors that the API of threads throws, by the names that the field knows them by.
 * Leaves: cards and ways on to the screen.
 */
import type { Failure } from '../engine/failure.ts';
import type { RunState } from './records.ts';
import { shownId } from './shown-id.ts';

/** What all of them have in common. */
export abstract class ThreadError extends Error {
  abstract override readonly name: string;
}

/** Another save came first, or the thread was deleted since. Nothing was written. */
export class StateConflictError extends ThreadError {
  override readonly name = 'StateConflictError';
  readonly threadId: string;
  readonly expected: number;
  /** The stored revision; null: no such thread is stored. */
  readonly found: number | null;
  /** What was not saved: reload and try again, keep it as a thread of its own, or discard it. */
  readonly unsaved: RunState | null;
  constructor(threadId: string, expected: number, found: number | null, unsaved: RunState | null = null) {
    super(
      `State revision conflict for ${shownId(threadId)}: expected ${String(expected)}, found ${String(found ?? 'none')}.`,
    );
    this.threadId = threadId;
    this.expected = expected;
    this.found = found;
    this.unsaved = unsaved;
  }
}

/** A thread is to be created under an id that has one. Nothing was written. */
export class ThreadAlreadyExistsError extends ThreadError {
  override readonly name = 'ThreadAlreadyExistsError';
  readonly threadId: string;
  /** Its stored revision. */
  readonly revision: number;
  readonly unsaved: RunState | null;
  constructor(threadId: string, revision: number, unsaved: RunState | null = null) {
    super(
      `Thread ${shownId(threadId)} already exists. Continue it with Runner.continue, or begin one under another id.`,
    );
    this.threadId = threadId;
    this.revision = revision;
    this.unsaved = unsaved;
  }
}

/** Nothing is stored under this id. */
export class StateNotFoundError extends ThreadError {
  override readonly name = 'StateNotFoundError';
  readonly threadId: string;
  constructor(threadId: string) {
    super(`No state is stored for thread ${shownId(threadId)}. Begin it with Runner.run.`);
    this.threadId = threadId;
  }
}

/**
 * What is stored under this id can't be read. `keptAs`: where its bytes are now, out of the way, so that the id is free
 * again; null: they were left where they are.
 */
export class StateCorruptError extends ThreadError {
  override readonly name = 'StateCorruptError';
  readonly threadId: string;
  readonly reason: string;
  readonly keptAs: string | null;
  constructor(threadId: string, reason: string, keptAs: string | null) {
    super(
      `What is stored for thread ${shownId(threadId)} can’t be read: ${reason}. ${
        keptAs === null ? 'It was left as it is.' : `Its bytes are kept as ${keptAs}.`
      }`,
    );
    this.threadId = threadId;
    this.reason = reason;
    this.keptAs = keptAs;
  }
}

/** A newer program stored this thread: it is neither read nor changed. */
export class StateNewerError extends ThreadError {
  override readonly name = 'StateNewerError';
  readonly threadId: string;
  readonly stored: number;
  readonly known: number;
  constructor(threadId: string, stored: number, known: number) {
    super(
      `Thread ${shownId(threadId)} is stored in format ${String(stored)}; this page knows formats up to ${String(known)}.`,
    );
    this.threadId = threadId;
    this.stored = stored;
    this.known = known;
  }
}

/** No store takes this id. */
export class ThreadIdError extends ThreadError {
  override readonly name = 'ThreadIdError';
  readonly reason: string;
  constructor(reason: string) {
    super(`This can’t be the id of a thread: ${reason}.`);
    this.reason = reason;
  }
}

/** The state or the metadata is not JSON, or lacks what a state must have; `path` names the value. Nothing was written. */
export class StateNotJsonError extends ThreadError {
  override readonly name = 'StateNotJsonError';
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(`This can’t be stored: ${path}: ${reason}.`);
    this.path = path;
    this.reason = reason;
  }
}

/** The storage under the store failed; `failure` says how, and whether anything was written. */
export class StateStorageError extends ThreadError {
  override readonly name = 'StateStorageError';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(`The state store’s storage failed: ${'reason' in failure ? failure.reason : failure.type}.`);
    this.failure = failure;
  }
}

/** This browser, or this page's place in it, has no such store. Another store has to be chosen. */
export class StoreUnavailableError extends ThreadError {
  override readonly name = 'StoreUnavailableError';
  readonly reason: string;
  constructor(reason: string) {
    super(`This store is not available here: ${reason}.`);
    this.reason = reason;
  }
}
