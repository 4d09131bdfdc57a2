/**
 * Owns: where each mistake that a crash shows is crashed, and the same instant of the step without the mistake.
 * Leaves: what is said about it to lab/break/, running it to explorer/trial.ts.
 */
import { checkpointFirst } from './checkpoint-first.ts';
import { freshKeys } from './fresh-keys.ts';
import { messagesOnly } from './messages-only.ts';
import { eventFirst, stateFirst } from './two-commits.ts';
import type { Variant } from './variant.ts';

export interface Experiment {
  readonly variant: Variant;
  readonly crashAt: string;
  /** Where the step without the mistake is at that instant. The same name, but for E4, which has another transaction. */
  readonly soundCrashAt: string;
  /** The invariant that catches it. */
  readonly catches: string;
}

function at(variant: Variant, crashAt: string, catches: string, soundCrashAt = crashAt): Experiment {
  return { variant, crashAt, soundCrashAt, catches };
}

/** Between the two halves of a checkpoint. In one transaction nothing of it is durable there. */
const between = 'lookup_runbook.checkpoint.updated';

export const experiments: readonly Experiment[] = [
  at(messagesOnly, 'lookup_runbook.checkpoint.begin', 'I1'),
  at(checkpointFirst, 'lookup_runbook.checkpoint.durable', 'I2'),
  // The saved result is durable. Its own boundary bears the key, so this is the next one, which is the same in both.
  at(freshKeys, 'lookup_runbook.checkpoint.begin', 'I3'),
  at(stateFirst, 'lookup_runbook.checkpoint_state.durable', 'I4', between),
  at(eventFirst, 'lookup_runbook.checkpoint_event.durable', 'I5', between),
];
