/**
 * Owns: which ways on a failure leaves, where it is met; pure, so every case is one line of a test.
 * Leaves: what happened and what is safe to ui/sentences.ts; going a way to rescue.ts.
 */
import type { Failure } from '../engine/failure.ts';
import type { StoreKind } from './lab-ports.ts';

export type Way =
  | 'store-again'
  | 'take-stored'
  | 'download-memory'
  | 'download-stored'
  | 'download-set-aside'
  | 'start-beside'
  | 'delete-former'
  | 'memory-only'
  | 'reload-page'
  | 'try-now'
  | 'take-over';

/** Where a failure is met. */
export interface Place {
  /** A database is open: its last commit is in memory. */
  readonly open: boolean;
  readonly store: StoreKind;
  /** Bytes of the copy that undo would bring back; null: there is none. */
  readonly former: number | null;
}

/** Beside trying again, in the order of their use. */
export function waysFrom(failure: Failure, { open, store, former }: Place): readonly Way[] {
  const elsewhere: readonly Way[] = store === 'indexeddb' ? ['memory-only'] : [];
  switch (failure.type) {
    case 'StorageFull':
      if (!open) return elsewhere;
      return former === null ? ['download-memory'] : ['download-memory', 'delete-former'];
    case 'NotSaved':
    case 'OutcomeUnknown':
    case 'StorageStuck':
    case 'StorageFailed':
    case 'ImageConflict':
      return open ? ['download-memory'] : elsewhere;
    case 'StorageGone':
      return failure.replaced ? ['download-memory', 'take-stored'] : ['store-again', 'download-memory'];
    case 'ImageDamaged':
      return open ? ['store-again', 'download-memory'] : ['download-set-aside'];
    case 'FormatNewer':
      if (open) return ['reload-page', 'download-memory', 'start-beside'];
      if (failure.what === 'image') return ['reload-page', 'download-stored', 'start-beside'];
      return ['reload-page', 'start-beside', ...elsewhere];
    case 'CopyDamaged':
      return former === null ? [] : ['delete-former'];
    case 'AttemptNotDue':
      return open ? ['try-now'] : [];
    case 'ClaimedElsewhere':
      return open ? ['take-over'] : [];
    case 'SqliteUnavailable':
    case 'SqliteUnfit':
    case 'WasmRefused':
    case 'OutOfMemory':
      return open || store === 'memory' ? [] : ['download-stored'];
    default:
      return [];
  }
}
