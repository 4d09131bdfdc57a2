/** Holds the race: every order of two workers' moves, with the version guard, without it, and with the claim before the call. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { movesOf, orders, race, type Race, type RaceRules } from '../../src/explorer/race.ts';
import type { ExplorerParts } from '../../src/explorer/session.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { parseTickets } from '../../src/triage/ticket.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { testParts } from '../support/lives.ts';

const ticket = parseTickets(readFileSync('static/facility_tickets.csv', 'utf8')).find(
  ({ ticketId }) => ticketId === 'T104',
);
let parts: ExplorerParts;
beforeAll(async () => {
  const handlers = triageTools(readFileSync('static/runbooks.csv', 'utf8'));
  parts = { ...(await testParts()), random: cryptoRandom, handlers, remote: {} };
});

function begin(rules: RaceRules): Promise<Race> {
  if (ticket === undefined) throw new Error('no ticket T104');
  return race(parts, ticket, rules);
}

async function counted(rules: RaceRules) {
  const made = await begin(rules);
  const count = { orders: 0, conflicts: 0, duplicates: 0, calledTwice: 0, neverCalled: 0, broken: 0 };
  for (const order of orders) {
    const { moves, evidence, calls } = await made.run(movesOf(order));
    const stops = moves.flatMap(({ did }) => (did.type === 'stopped' ? [did.failure.type] : []));
    const lookups = calls.filter(({ tool }) => tool === 'lookup_runbook').length;
    count.orders += 1;
    for (const kind of ['version', 'generation'] as const) {
      const stored = moves.map((one) => one[kind]);
      expect(stored, `${order}: ${kind}`).toEqual(stored.toSorted((one, other) => one - other));
    }
    // As many are told to have saved their result as there are rows of it.
    const kept = moves.filter(({ did }) => did.type === 'called' && did.kept).length;
    expect(kept, order).toBe(evidence.effects.length);
    count.conflicts += stops.filter((type) => type === 'StateConflict').length;
    count.duplicates += Number(evidence.violated.some(({ id }) => id === 'I5'));
    count.calledTwice += Number(lookups > 1);
    count.neverCalled += Number(lookups === 0);
    count.broken += Number(evidence.violated.length > 0);
  }
  return count;
}

test('there are 70 orders of four moves each, all different', () => {
  expect(orders).toHaveLength(70);
  expect(new Set(orders).size).toBe(70);
  for (const order of orders) expect([...order].toSorted().join('')).toBe('AAAABBBB');
});

describe('all 70 orders', () => {
  test('with the version guard one of two gets the conflict, no version is saved twice, and yet the world is called twice', async () => {
    const count = await counted({ guard: true, claimFirst: false });
    expect(count).toEqual({
      orders: 70,
      conflicts: 68,
      duplicates: 0,
      calledTwice: 36,
      neverCalled: 0,
      broken: 0,
    });
  });

  test('without it nobody is told, and a version is saved twice wherever the two overlap', async () => {
    const count = await counted({ guard: false, claimFirst: false });
    expect(count).toMatchObject({ orders: 70, conflicts: 0, duplicates: 68, calledTwice: 36 });
  });

  test('with a claim before the call exactly one call is made in each', async () => {
    const count = await counted({ guard: true, claimFirst: true });
    expect(count).toMatchObject({ orders: 70, duplicates: 0, calledTwice: 0, neverCalled: 0, broken: 0 });
  });
});

test('who has got the conflict loads again, and finds the version and the result of the other', async () => {
  const made = await begin({ guard: true, claimFirst: false });
  const again = [{ racer: 'B', move: 'load' } as const];
  const { moves, standing } = await made.run([...movesOf('ABABABAB'), ...again]);
  expect(moves.at(-2)?.did).toMatchObject({
    type: 'stopped',
    failure: { type: 'StateConflict', expected: 1, stored: 2 },
  });
  expect(moves.at(-1)?.did).toEqual({ type: 'loaded', version: 2, action: 'draft_reply' });
  expect(standing).toEqual({ A: null, B: 'check' });
});

test('the same schedule gives the same trace', async () => {
  const rules = { guard: false, claimFirst: false };
  const [one, other] = [await begin(rules), await begin(rules)];
  expect(await one.run(movesOf('ABBAABAB'))).toEqual(await other.run(movesOf('ABBAABAB')));
});
