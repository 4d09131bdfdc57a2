/**
 * Owns: how large a database may be that comes in. Each limit is far above what the lab makes by itself, and low enough
 * that memory, invariants and screen stay quick.
 * Leaves: measuring to rows.ts and inspect-file.ts, and, before a file is read, to the bridge.
 */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

export interface Limits {
  /** Of the file and of the image made of it: SQLite needs it several times in memory, and its check takes time with it. */
  readonly bytes: number;
  /** SQLite reads the whole list of them at each opening. */
  readonly tables: number;
  /** They are all in the list of runs. */
  readonly runs: number;
  /** They are all in the table of their run. */
  readonly effectsOfRun: number;
  /** They are all in the table and the timeline of their run. */
  readonly eventsOfRun: number;
  readonly eventBytesOfRun: number;
  /** All text of one of the lab's tables. */
  readonly textOfTable: number;
}

const forOthers: Limits = {
  bytes: 100 * megabyte,
  tables: 1000,
  runs: 1000,
  effectsOfRun: 500,
  eventsOfRun: 1000,
  eventBytesOfRun: 2 * megabyte,
  textOfTable: 32 * megabyte,
};

export const limits = {
  /** For a file that another program made. */
  others: forOthers,
  /** For a download of this page: what came in at its limits has grown here since, and must come back. */
  ours: {
    bytes: 128 * megabyte,
    tables: 1100,
    runs: 2 * forOthers.runs,
    effectsOfRun: 2 * forOthers.effectsOfRun,
    eventsOfRun: 2 * forOthers.eventsOfRun,
    eventBytesOfRun: 2 * forOthers.eventBytesOfRun,
    textOfTable: 2 * forOthers.textOfTable,
  },
} satisfies Readonly<Record<'others' | 'ours', Limits>>;

/** Of names, words and details. */
export const longestText = 10 * kilobyte;
/** Of a context or a result. */
export const longestJson = megabyte;
/** The engine writes none that is deeper (R10). */
export const deepestJson = 200;
/** Counting goes on from the largest number: it stays exact in a browser far beyond this one. */
export const largestNumber = 1e15;
/** SQLite returns at most 2000 values a row, and a value is read with its kind. */
export const mostColumns = 1000;

/** Why a file of this size is refused; null when it is not. Asked before it is read into memory, too. */
export function whyTooLarge(bytes: number, most: number): string | null {
  return bytes > most ? `it is larger than ${inMegabytes(most)}` : null;
}

/** Why a file with so many tables is refused; null when it is not. */
export function whyTooManyTables(tables: number, most: number): string | null {
  return tables > most ? `it has more than ${String(most)} tables` : null;
}

export function inMegabytes(bytes: number): string {
  return `${String(bytes / megabyte)} MB`;
}

export function inKilobytes(bytes: number): string {
  return `${String(bytes / kilobyte)} KB`;
}
