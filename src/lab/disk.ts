/** Owns: what the shell's disk chip says, from the lab's state. */
import type { Disk } from '../ui/disk.ts';
import type { Lab } from './lab.svelte.ts';

export function diskOf({ worker, view }: Pick<Lab, 'worker' | 'view'>): Disk {
  const { waiting } = worker;
  if (waiting !== null && waiting.what !== 'call') return { type: 'waiting', seconds: waiting.seconds };
  if (worker.state.type === 'closed') return { type: 'closed' };
  if (view === null) return { type: 'opening' };
  const { kind, generation, bytes, savedAtUtc, readOnly } = view.storage;
  const failure = worker.unsaved?.failure;
  if (failure) {
    const full = failure.type === 'StorageFull';
    return { type: 'not-saved', failure, full, generation, bytes };
  }
  if (kind === 'memory') return { type: 'memory', generation, bytes };
  if (readOnly !== null) return { type: 'read-only', generation, bytes };
  if (worker.saving) return { type: 'saving', generation, bytes };
  return { type: 'saved', atUtc: savedAtUtc, generation, bytes };
}
