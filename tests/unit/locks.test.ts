/** Holds the models of E6 and E7: one writer at a time, SQLite's pauses, the same result for the same load. */
import { describe, expect, test } from 'vitest';
import { busyPause, oneWriterAtATime, type Attempt } from '../../src/mistakes/locks.ts';
import { kneeOf, loadOf, type LoadPoint } from '../../src/mistakes/many-writers.ts';
import { busyTimeout, callTakes, slowCall } from '../../src/mistakes/slow-call.ts';

function expectOneAtATime(attempts: readonly Attempt[]): void {
  const held = attempts
    .flatMap(({ gotAt, endedAt }) => (gotAt === null ? [] : [[gotAt, endedAt] as const]))
    .toSorted(([one], [other]) => one - other);
  for (const [index, [gotAt]] of held.entries()) {
    expect(gotAt).toBeGreaterThanOrEqual(held[index - 1]?.[1] ?? 0);
  }
}

test('the pauses grow as SQLite’s do, and never go past the timeout', () => {
  const pauses: number[] = [];
  let waited = 0;
  for (let pause = busyPause(0, 0, 300); pause !== null; pause = busyPause(pauses.length, waited, 300)) {
    pauses.push(pause);
    waited += pause;
  }
  expect(pauses).toEqual([1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 72]);
  expect(waited).toBe(300);
  expect(busyPause(0, 0, 0)).toBeNull();
});

describe('E6', () => {
  test('a call inside the transaction holds the lock for its whole time, and the other worker is refused', () => {
    const attempts = slowCall(true);
    expectOneAtATime(attempts);
    const [holder, other] = attempts.toSorted((one, next) => one.writer - next.writer);
    expect((holder?.endedAt ?? 0) - (holder?.gotAt ?? 0)).toBeGreaterThanOrEqual(callTakes);
    expect(other?.gotAt).toBeNull();
    expect((other?.endedAt ?? 0) - (other?.wantedAt ?? 0)).toBe(busyTimeout);
  });

  test('outside of it both get the lock, and nobody waits', () => {
    const attempts = slowCall(false);
    expectOneAtATime(attempts);
    expect(attempts.map(({ wantedAt, gotAt }) => gotAt === wantedAt)).toEqual([true, true]);
  });
});

describe('E7', () => {
  const load = { writeTakes: 10, busyTimeout: 200 };
  const points = [1, 2, 4, 8, 16, 32, 64].map((writers) => loadOf(writers, load));

  test('one writer never waits; sixty-four are refused often', () => {
    expect(points[0]).toMatchObject({ writers: 1, refused: 0, p95Wait: 0 });
    const last = points.at(-1);
    expect((last?.refused ?? 0) / (last?.attempted ?? 1)).toBeGreaterThan(0.2);
  });

  test('the same load gives the same numbers', () => {
    expect(loadOf(16, load)).toEqual(loadOf(16, load));
  });

  test('more than the lock’s own time is never written', () => {
    for (const { attempted, refused } of points) expect(attempted - refused).toBeLessThanOrEqual(1002);
  });

  test('the knee is the fewest writers that are noticed, and comes earlier for slower writes', () => {
    const knee = (writeTakes: number) => {
      const slower = { ...load, writeTakes };
      return kneeOf(
        [1, 2, 4, 8, 16, 32, 64].map((writers) => loadOf(writers, slower)),
        slower,
      );
    };
    expect(kneeOf([loadOf(1, load)], load)).toBeNull();
    expect(knee(10)).toBeLessThan(knee(1) ?? 0);
    const calm: LoadPoint = { writers: 4, attempted: 100, refused: 1, p95Wait: 100 };
    expect(kneeOf([calm, { ...calm, writers: 5, refused: 2 }], load)).toBe(5);
    expect(kneeOf([calm, { ...calm, writers: 6, p95Wait: 101 }], load)).toBe(6);
  });

  test('no attempt overlaps another', () => {
    const turns = Array.from({ length: 20 }, (_, index) => () => ({ before: 13 + index, holds: 7 }));
    const attempts = oneWriterAtATime(turns, 100, 2000);
    expect(attempts.length).toBeGreaterThan(100);
    expectOneAtATime(attempts);
  });
});
