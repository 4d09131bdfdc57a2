/**
 * Owns: what IndexedDB's errors mean: refused or failed, full or aborted, surely not written or nobody knows.
 * Leaves: what is done about it to idb-connection.ts and who calls.
 */
import type { StorageFailure } from '../engine/failure.ts';

/** After these the browser gave up the transaction itself; after others it may have lost touch in the middle. */
export function isSure(error: DOMException | null): boolean {
  return (
    error !== null &&
    !['AbortError', 'UnknownError', 'TimeoutError', 'InvalidStateError'].includes(error.name)
  );
}

/**
 * Refused is what a private window, a sandboxed frame or a policy does: no factory, or one of these errors. All else
 * is a failure of a storage that may well hold a person's work.
 */
export function notOpened(error: unknown): StorageFailure {
  const reason = words(error);
  if (!(error instanceof DOMException)) return { type: 'StorageRefused', reason };
  if (error.name === 'QuotaExceededError') return { type: 'StorageFull', reason };
  // Chromium, told to keep no site's data, has no name of its own for that.
  const denied = error.name === 'UnknownError' && /denied permission/.test(error.message);
  const refused = denied || ['SecurityError', 'NotAllowedError', 'InvalidStateError'].includes(error.name);
  return { type: refused ? 'StorageRefused' : 'StorageFailed', reason };
}

export function notSaved(error: DOMException | null): StorageFailure {
  const full = error?.name === 'QuotaExceededError';
  return { type: full ? 'StorageFull' : 'NotSaved', reason: words(error) };
}

/** Chromium gives a full disk no message of its own. */
export function words(error: unknown): string {
  if (!(error instanceof Error || error instanceof DOMException)) return 'the browser gave no reason';
  return error.message === '' ? error.name : `${error.name}: ${error.message}`;
}
