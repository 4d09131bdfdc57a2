/**
 * Owns: which of the armed crashes are live, and what is left of them after one has happened.
 * Leaves: crashing to engine/crash.ts, keeping them over a reload to kept.ts.
 * Invariant: what is armed once happens once; a second crash waits until the first has happened.
 */
import type { Arm } from '../engine/crash.ts';

export type Often = 'once' | 'every' | 'two';

/** Of two crashes, the second is here if nobody chooses: the next session has just taken the run up. */
export const usualSecond = 'resume.durable';

/** What the worker is told: a crash that comes after another one is not live yet. */
export function liveArms(arms: readonly Arm[]): readonly Arm[] {
  const first = arms.findIndex((arm) => !arm.every);
  return arms.filter((arm, at) => arm.every || at === first);
}

/** Without the one that is used up by a crash there; null: it was no boundary, and none is. */
export function armsAfter(arms: readonly Arm[], boundary: string | null): readonly Arm[] {
  const used = arms.findIndex((arm) => !arm.every && arm.boundary === boundary);
  return arms.filter((_, at) => at !== used);
}

/** "A crash is armed at a, then at b." */
export function armedInWords(arms: readonly Arm[]): string {
  if (arms.length === 0) return 'No crash is armed.';
  return `A crash is armed at ${arms.map(({ boundary }) => boundary).join(', then at ')}.`;
}
