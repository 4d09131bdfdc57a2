/** Owns: the pause between two actions of a run, in milliseconds, so that one can follow. */
import type { Speed } from '../ui/settings.svelte.ts';

const paces: Readonly<Record<Speed, number>> = { slow: 2600, normal: 1300, fast: 400, instant: 0 };

export function paceOf(speed: Speed, reducedMotion: boolean): number {
  return reducedMotion ? 0 : paces[speed];
}
