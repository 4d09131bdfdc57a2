/** Owns: what is said under each lane of the demonstration, from what the workers told. Pure. */
import type { Remembered, Stored } from '../../bridge/demo.ts';
import type { Phase } from './demonstration.svelte.ts';

export interface LaneState {
  readonly phase: Phase;
  readonly killed: boolean;
  readonly remembered: Remembered | null;
  readonly stored: Stored | null;
  readonly found: Stored | null;
  readonly calls: { readonly memory: number; readonly sqlite: number };
}

export interface Verdict {
  readonly says: string;
  readonly tone: 'good' | 'bad' | 'plain';
}

const times = (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'}`;

export function memoryVerdict({ phase, killed, remembered, calls }: LaneState): Verdict {
  if (phase === 'dead') return { says: 'Gone: the dictionary was in the process.', tone: 'bad' };
  if (phase === 'idle') return { says: 'A dictionary in the process.', tone: 'plain' };
  if (remembered === null) return { says: '', tone: 'plain' };
  if (!killed) {
    return {
      says: phase === 'done' ? 'Finished, undisturbed.' : 'All that it knows is in here.',
      tone: 'plain',
    };
  }
  const again =
    calls.memory > 1
      ? `the runbook called again: ${times(calls.memory)}`
      : `the runbook: ${times(calls.memory)}`;
  return { says: `Gone: it started again at (1), ${again}.`, tone: 'bad' };
}

export function sqliteVerdict({ phase, killed, stored, found, calls }: LaneState): Verdict {
  if (stored === null) {
    return phase === 'dead'
      ? { says: 'Nothing was durable yet: it starts at (1), and that is right.', tone: 'plain' }
      : { says: phase === 'idle' ? 'Three tables, and a commit for each thing done.' : '', tone: 'plain' };
  }
  if (phase === 'dead') return { says: `Still there: run-T104, ${standing(stored)}.`, tone: 'good' };
  if (!killed) {
    return {
      says: phase === 'done' ? 'Finished, undisturbed.' : 'Each thing done is durable at once.',
      tone: 'plain',
    };
  }
  if (found === null) {
    // Before the new worker has looked nobody knows.
    return { says: phase === 'done' ? 'Nothing was durable yet: started at (1).' : '', tone: 'plain' };
  }
  const end = stored.status === 'completed' ? ` → completed, version ${stored.version}` : ' → going on';
  return {
    says: `Found run-T104 ${standing(found)}${end}; the runbook: ${times(calls.sqlite)}.`,
    tone: 'good',
  };
}

/** What the two lanes came to, once both have replied after a kill. */
export function endOf({ calls }: Pick<LaneState, 'calls'>): string {
  return calls.memory > calls.sqlite
    ? 'Both replied. One did the work twice; the other knew where it stood.'
    : 'Both replied. It died before anything was lost that counts: run it again, and kill it a little later.';
}

function standing({ status, nextAction, version }: Stored): string {
  return nextAction === null ? `${status}, version ${version}` : `at ${nextAction}, version ${version}`;
}
