/** Owns: what the shell's disk chip says, from the lab's state. */
import type { Disk } from '../ui/disk.ts';
import { sentenceFor } from '../ui/sentences.ts';
import type { Lab } from './lab.svelte.ts';

const unsaved = ['NotSaved', 'StorageFull', 'OutcomeUnknown', 'StorageStuck'];

export function diskOf(lab: Lab): Disk {
  if (lab.worker.state.type === 'closed') return { type: 'closed' };
  if (lab.view === null) return { type: 'opening' };
  const { storage } = lab.view;
  const { generation, bytes } = storage;
  if (storage.kind === 'memory') return { type: 'memory', generation, bytes };
  const failure = lab.worker.trouble?.failure;
  if (failure && unsaved.includes(failure.type))
    return { type: 'not-saved', reason: sentenceFor(failure).says };
  if (lab.worker.saving) return { type: 'saving', generation, bytes };
  return { type: 'saved', atUtc: storage.savedAtUtc, generation, bytes };
}
