/**
 * Owns: the port behind which an image is stored, and the outcomes of its five transactions. Every make keeps the
 * same protocol and runs the same suite (tests/contract/page-store.ts); a model of the protocol is searched
 * exhaustively (tests/unit/protocol-model.test.ts).
 * Leaves: what is in the records to stored-records.ts; when to call to durable-image.ts.
 *
 * Why the checks are there: without the look at the base in `commit`, a tab that slept while others wrote and folded
 * adds its record on a deleted key, and nobody ever reads it. Without the look at the tip in `compact`, a stale
 * compactor deletes newer commits. Without the incarnation, a store that was cleared and made again takes changes
 * of the old image.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import type { BaseImage, Head, LogRecord, StoredEntry, StoredImage } from './stored-records.ts';

export type CommitOutcome =
  /** The record is durable, now or since an earlier attempt. */
  | { readonly type: 'saved' }
  /** Somebody else wrote this generation first. Nothing was written. */
  | { readonly type: 'conflict' }
  /** The base is another than `head` can build on: open again. Nothing was written by this attempt. */
  | { readonly type: 'moved' };

export type RefreshOutcome =
  /** The log after `head`, in order; empty when nothing is new. */
  { readonly type: 'news'; readonly entries: readonly StoredEntry[] } | { readonly type: 'moved' };

/** Each method is one transaction. */
export interface PageStore {
  readonly kind: 'indexeddb' | 'memory';
  /** Everything that is stored of the current image; null: nothing yet. */
  open(): Promise<Result<StoredImage | null, StorageFailure>>;
  /** Stores the first image. False: another tab did so first; open that. */
  create(image: BaseImage): Promise<Result<boolean, StorageFailure>>;
  refresh(head: Head): Promise<Result<RefreshOutcome, StorageFailure>>;
  /**
   * Adds the commit after `head`, durable on return. Failures: NotSaved and StorageFull (surely not written),
   * OutcomeUnknown (nobody knows: call again with the same record, and no other, before anything else).
   */
  commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>>;
  /** Folds the log up to `image.base.generation` into a new base. False: others went on, nothing was done. */
  compact(image: BaseImage): Promise<Result<boolean, StorageFailure>>;
  /**
   * Sets the image of this name aside, untouched, and lets the next `open` find nothing. Does nothing when that
   * image is no longer the current one. `newer`: its own page may go on with it, so not even a mark is written there.
   */
  quarantine(
    name: string,
    reason: string,
    kind?: 'quarantined' | 'newer',
  ): Promise<Result<null, StorageFailure>>;
  close(): void;
}
