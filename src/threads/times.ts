/** Owns: the times in a stored thread: written as aisuite does, and never running backwards. */

/** `2026-01-05T09:00:00.123Z` as `2026-01-05T09:00:00.123000+00:00`; whole seconds have no fraction. */
export function isoTime(utc: string): string {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(utc) ?? [];
  if (seconds === undefined) return utc;
  return `${seconds}${/[1-9]/.test(fraction) ? `.${fraction.padEnd(6, '0')}` : ''}+00:00`;
}

/** `now`, unless the time before is later: then that one. */
export function notBefore(before: string, now: string): string {
  const [earlier, later] = [Date.parse(before), Date.parse(now)];
  if (Number.isNaN(earlier) || earlier < later) return now;
  // Beyond milliseconds, which Date.parse cuts off, the text decides.
  return earlier > later || before > now ? before : now;
}
