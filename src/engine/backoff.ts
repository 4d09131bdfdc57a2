/**
 * Owns: how long to wait before a call is tried again.
 * Leaves: waiting to who steps the run: the time stands in the intent, so it survives a crash.
 */

/** Milliseconds before the second attempt; doubled for each further one. */
const first = 1000;
const longest = 60_000;

/**
 * Exponential, with full jitter in the upper half: between half and all of `first · 2^(failures-1)`, at most a minute.
 * `draw` from [0, 1). Milliseconds.
 */
export function retryDelay(failures: number, draw: number): number {
  const whole = Math.min(longest, first * 2 ** (failures - 1));
  return Math.round(whole / 2 + (whole / 2) * draw);
}
