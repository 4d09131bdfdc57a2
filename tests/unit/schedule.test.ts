import { describe, expect, test } from 'vitest';
import type { Did, Move, OrderOutcome, RaceMove } from '../../src/bridge/experiment-client.ts';
import { countOrders, didInWords, grouped, outcomeInWords, stopOf } from '../../src/lab/race/race-words.ts';
import { broughtForward, loadedAgain, overlapping, shifted } from '../../src/lab/race/schedule.ts';

const told = (schedule: readonly RaceMove[]) =>
  schedule.map(({ racer, move }) => `${racer}.${move}`).join(' ');

describe('a schedule', () => {
  test('a move changes places with the other worker’s, not with its own worker’s', () => {
    const once = shifted(overlapping, 0, 1, 1);
    expect(told(once)).toBe('A.load A.check B.load B.check A.call B.call A.save B.save');
    expect(shifted(once, 0, 0, 1)).toBe(once);
    expect(shifted(once, 0, 7, 1)).toBe(once);
  });

  test('what was played is not moved', () => {
    expect(shifted(overlapping, 2, 2, -1)).toBe(overlapping);
    expect(shifted(overlapping, 2, 3, -1)).not.toBe(overlapping);
  });

  test('by hand a worker’s next move comes first, and no move is lost or doubled', () => {
    const by = broughtForward(overlapping, 1, 'A', 'check');
    expect(told(by)).toBe('A.load A.check B.load B.check A.call B.call A.save B.save');
  });

  test('who loads again has four moves to go', () => {
    const again = loadedAgain(overlapping, 8, 'B');
    expect(told(again.slice(8))).toBe('B.load B.check B.call B.save');
  });
});

test('orders are counted and grouped by what they came to', () => {
  const one: OrderOutcome = {
    order: 'AAAABBBB',
    schedule: [],
    calls: 1,
    conflicts: 0,
    turnedAway: 0,
    duplicate: false,
  };
  const all = [
    one,
    { ...one, order: 'x', calls: 2, conflicts: 1 },
    { ...one, order: 'y', calls: 2, conflicts: 1 },
  ];
  expect(countOrders(all)).toEqual({ orders: 3, conflicts: 2, duplicates: 0, calledTwice: 2, turnedAway: 0 });
  expect(grouped(all).map(([words, orders]) => [words, orders.length])).toEqual([
    ['conflict, runbook called 2 times', 2],
    ['runbook called once', 1],
  ]);
  expect(outcomeInWords({ ...one, duplicate: true, turnedAway: 1 })).toBe(
    'one version saved twice, turned away by the claim, runbook called once',
  );
});

test('who was turned away stays so while its moves do nothing, until it loads again', () => {
  const failure = { type: 'StateConflict', runId: 'run-T104', expected: 1, stored: 2 } as const;
  const after = (move: Move, did: Did) => ({ racer: 'B', move, did, version: 2, generation: 4 }) as const;
  const moves = [after('check', { type: 'stopped', failure }), after('call', { type: 'nothing' })];
  expect(stopOf(moves, 'B')).toEqual(failure);
  expect(stopOf(moves, 'A')).toBeNull();
  const again = after('load', { type: 'loaded', version: 2, action: 'draft_reply' });
  expect(stopOf([...moves, again], 'B')).toBeNull();
});

test('a call whose result is not kept is told as one', () => {
  expect(didInWords({ type: 'called', kept: true })).toContain('its result saved');
  expect(didInWords({ type: 'called', kept: false })).toContain('this one is not kept');
});
