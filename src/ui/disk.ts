/** Owns: what the shell says about the disk, as one union: how safe the reader's work is right now. */
import type { Failure } from '../engine/failure.ts';

export type Disk =
  | { readonly type: 'opening' }
  | {
      readonly type: 'saved';
      readonly atUtc: string | null;
      readonly generation: number;
      readonly bytes: number;
    }
  | { readonly type: 'saving'; readonly generation: number; readonly bytes: number }
  /** The last change is not stored. `full`: because no room is left. */
  | {
      readonly type: 'not-saved';
      readonly failure: Failure;
      readonly full: boolean;
      readonly generation: number;
      readonly bytes: number;
    }
  /** The browser's storage has not answered for so long. */
  | { readonly type: 'waiting'; readonly seconds: number }
  /** A newer page's database, shown and not written to. */
  | { readonly type: 'read-only'; readonly generation: number; readonly bytes: number }
  | { readonly type: 'memory'; readonly generation: number; readonly bytes: number }
  | { readonly type: 'closed' };
