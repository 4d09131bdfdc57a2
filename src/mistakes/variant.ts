/**
 * Owns: what a mistake is: another way to do a run's next action, in place of the engine's own `step`. Everything else,
 * database, desk, invariants, crash, is the same.
 * Leaves: each mistake to a file of its own; the correct engine, which knows of none of them, to engine/runner.ts.
 */
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import type { Run } from '../engine/records.ts';
import { step } from '../engine/runner.ts';

export type Step = (engine: Engine, runId: string) => Promise<Result<Run>>;

export interface Variant {
  /** As in a link: `correct`, `e2`. */
  readonly id: string;
  /** What people do, in a line. */
  readonly title: string;
  /** The step of one session: what it keeps in memory dies with it. */
  newSession(): Step;
}

export const correct: Variant = { id: 'correct', title: 'The engine as it is', newSession: () => step };
