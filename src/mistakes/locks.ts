/**
 * Owns: a model of SQLite's rule for several processes on one file: one writer at a time; who finds the lock taken tries
 * again after ever longer pauses, as SQLite's own busy handler does, and is refused when the busy timeout is over.
 * Leaves: one mistake each to slow-call.ts (E6) and many-writers.ts (E7). All times are milliseconds of the model.
 */

/** What a writer does next: work without the lock, then a transaction. */
export interface Turn {
  readonly before: number;
  readonly holds: number;
}

export interface Attempt {
  readonly writer: number;
  readonly wantedAt: number;
  /** When it had the lock; null: refused, "database is locked". */
  readonly gotAt: number | null;
  /** When it let go of the lock, or was refused. */
  readonly endedAt: number;
}

/** The pauses of sqlite3_busy_timeout, as in SQLite's main.c. */
const pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100] as const;

/** The pause after so many tries in vain; null: the timeout is over. */
export function busyPause(tries: number, waited: number, timeout: number): number | null {
  const left = Math.min(pauses[tries] ?? 100, timeout - waited);
  return left > 0 ? left : null;
}

interface Waiting {
  readonly wantedAt: number;
  readonly holds: number;
  at: number;
  tries: number;
  /** The sum of its pauses: a difference of times would not be exact. */
  waited: number;
}

/** `turns`: what each writer does, one turn after the other; null: it is through. Nobody begins a turn after `until`. */
export function oneWriterAtATime(
  turns: readonly (() => Turn | null)[],
  busyTimeout: number,
  until = Infinity,
): Attempt[] {
  const attempts: Attempt[] = [];
  let freeAt = 0;
  function next(writer: number, now: number): Waiting | null {
    const turn = turns[writer]?.() ?? null;
    if (turn === null || now + turn.before >= until) return null;
    const at = now + turn.before;
    return { wantedAt: at, holds: turn.holds, at, tries: 0, waited: 0 };
  }
  const waiting = turns.map((_, writer) => next(writer, 0));
  for (;;) {
    let writer = -1;
    let first: Waiting | null = null;
    for (const [index, one] of waiting.entries()) {
      if (one === null || (first !== null && one.at >= first.at)) continue;
      [writer, first] = [index, one];
    }
    if (first === null) return attempts;
    const { wantedAt, holds, at, tries, waited } = first;
    if (freeAt <= at) {
      freeAt = at + holds;
      attempts.push({ writer, wantedAt, gotAt: at, endedAt: freeAt });
      waiting[writer] = next(writer, freeAt);
      continue;
    }
    const pause = busyPause(tries, waited, busyTimeout);
    if (pause === null) {
      attempts.push({ writer, wantedAt, gotAt: null, endedAt: at });
      waiting[writer] = next(writer, at);
    } else {
      first.at += pause;
      first.waited += pause;
      first.tries += 1;
    }
  }
}
