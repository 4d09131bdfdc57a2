/** Owns: mistake E7, SQLite as a shared service for many writers: the load that locks.ts bears, and where it stops bearing it. */
import { oneWriterAtATime } from './locks.ts';

export interface Load {
  /** How long a transaction holds the lock. */
  readonly writeTakes: number;
  readonly busyTimeout: number;
}

export interface LoadPoint {
  readonly writers: number;
  readonly attempted: number;
  readonly refused: number;
  /** 95 of 100 attempts waited no longer for the lock, or for being refused. */
  readonly p95Wait: number;
}

/** Between two writes a writer does other things for so long, on average. */
export const thinks = 100;
/** So long is each number of writers looked at. */
const lasts = 10_000;
/** Of a refused write in a hundred, or of a wait of ten writes, people notice. */
const noticed = { refused: 0.01, writes: 10 };

export function loadOf(writers: number, { writeTakes, busyTimeout }: Load): LoadPoint {
  const random = seeded(writers);
  const turn = () => ({ before: -thinks * Math.log(1 - random()), holds: writeTakes });
  const attempts = oneWriterAtATime(
    Array.from({ length: writers }, () => turn),
    busyTimeout,
    lasts,
  );
  const waits = attempts.map(({ wantedAt, gotAt, endedAt }) => (gotAt ?? endedAt) - wantedAt);
  const sorted = waits.toSorted((one, other) => one - other);
  return {
    writers,
    attempted: attempts.length,
    refused: attempts.filter(({ gotAt }) => gotAt === null).length,
    p95Wait: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
  };
}

/** The fewest writers at which people notice; null: none of these. */
export function kneeOf(points: readonly LoadPoint[], { writeTakes }: Load): number | null {
  const over = points.find(
    ({ attempted, refused, p95Wait }) =>
      refused > attempted * noticed.refused || p95Wait > writeTakes * noticed.writes,
  );
  return over?.writers ?? null;
}

/** Mulberry32: the same draws for the same seed, in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
