/** Owns: how numbers, sizes and times are written on the page. Times are stored in UTC and shown in local time. */

export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

/** hh:mm:ss, local. */
export function clockTime(utc: string): string {
  const time = new Date(utc);
  if (Number.isNaN(time.getTime())) return utc;
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** The time of day of a stored instant as it is stored, in UTC: "14:02:11.123Z". */
export function timeOfDay(utc: string): string {
  return /^\d{4}-\d\d-\d\dT(.+)$/.exec(utc)?.[1] ?? utc;
}

/** The time from one stored instant to the next: "+12 ms", "+3.4 s", "+2 min"; "" where there is none before, or no time. */
export function elapsed(from: string | null, to: string): string {
  const milliseconds = from === null ? NaN : Date.parse(to) - Date.parse(from);
  if (Number.isNaN(milliseconds)) return '';
  const sign = milliseconds < 0 ? '−' : '+';
  const size = Math.abs(milliseconds);
  if (size < 1000) return `${sign}${size} ms`;
  if (size < 60_000) return `${sign}${(size / 1000).toFixed(1)} s`;
  return size < 7_200_000
    ? `${sign}${Math.round(size / 60_000)} min`
    : `${sign}${Math.round(size / 3_600_000)} h`;
}

/** "1 row", or "0 of this run, 12 in all" where the table holds more than is shown. */
export function shownOf(shown: number, all: number): string {
  return shown === all ? counted(all, 'row') : `${shown} of this run, ${all} in all`;
}

/** "1 row", "2 rows". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "Chromium 156", from what the browser says of itself. */
export function browserName(userAgent: string): string {
  const known: readonly (readonly [RegExp, string])[] = [
    [/Edg\/(\d+)/, 'Edge'],
    [/Firefox\/(\d+)/, 'Firefox'],
    [/(?:Headless)?Chrom(?:e|ium)\/(\d+)/, 'Chromium'],
    [/Version\/(\d+).*Safari/, 'Safari'],
  ];
  for (const [pattern, name] of known) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return 'unknown browser';
}
