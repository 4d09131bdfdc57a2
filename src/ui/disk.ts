/** Owns: what the shell says about the disk, as one union: how safe the reader's work is right now. */
export type Disk =
  | { readonly type: 'opening' }
  | {
      readonly type: 'saved';
      readonly atUtc: string | null;
      readonly generation: number;
      readonly bytes: number;
    }
  | { readonly type: 'saving'; readonly generation: number; readonly bytes: number }
  | { readonly type: 'not-saved'; readonly reason: string }
  | { readonly type: 'memory'; readonly generation: number; readonly bytes: number }
  | { readonly type: 'closed' };
