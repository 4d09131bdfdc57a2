/**
 * Owns: how large a database from elsewhere may be. Each is far above what the lab makes by itself, and low enough
 * that memory, invariants and screen stay quick.
 * Leaves: measuring to rows.ts and inspect-file.ts, and, before a file is read, to the bridge.
 */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** SQLite needs a file's size in memory several times, and the check of an image takes time with its size. */
export const mostFileBytes = 100 * megabyte;
/** They are all in the list of runs. */
export const mostRuns = 1000;
/** They are all in the table of their run. */
export const mostEffectsOfRun = 500;
/** They are all in the table and the timeline of their run. */
export const mostEventsOfRun = 1000;
export const mostEventBytesOfRun = 2 * megabyte;
/** Of names, words and details. */
export const longestText = 10 * kilobyte;
/** Of a context or a result. */
export const longestJson = megabyte;
/** The engine writes none that is deeper (R10). */
export const deepestJson = 200;
/** All text of one of the lab's tables. */
export const mostTextOfTable = 32 * megabyte;
/** Counting goes on from the largest number: it stays exact in a browser far beyond this one. */
export const largestNumber = 1e15;
/** SQLite returns at most 2000 values a row, and a value is read with its kind. */
export const mostColumns = 1000;

/** Why a file of this size is refused; null when it is not. Asked before the file is read into memory. */
export function whyTooLarge(bytes: number): string | null {
  return bytes > mostFileBytes ? `it is larger than ${inMegabytes(mostFileBytes)}` : null;
}

export function inMegabytes(bytes: number): string {
  return `${String(bytes / megabyte)} MB`;
}

export function inKilobytes(bytes: number): string {
  return `${String(bytes / kilobyte)} KB`;
}
