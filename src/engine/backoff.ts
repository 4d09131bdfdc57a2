/**
 * Owns: how long to wait before a call is tried again.
 * Leaves: waiting to who steps the run: the time stands in the intent, so it survives a crash.
 */

/** Milliseconds before the second attempt; doubled for each further one. */
const first = 1000;
const longest = 60_000;
/** The longest wish of the other side that is heeded. */
const longestWish = 3_600_000;

/**
 * Exponential, with full jitter in the upper half: between half and all of `first · 2^(failures-1)`, at most a minute;
 * longer where the other side wishes that, up to an hour. `draw` from [0, 1). Milliseconds.
 */
export function retryDelay(failures: number, draw: number, wish = 0): number {
  const whole = Math.min(longest, first * 2 ** (failures - 1));
  const heeded = Number.isNaN(wish) ? 0 : Math.min(longestWish, wish);
  return Math.max(heeded, Math.round(whole / 2 + (whole / 2) * draw));
}
