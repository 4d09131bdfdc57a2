/** Holds lab/explore-words.ts and bridge/explorer-messages.ts: what is counted and told of an exploration. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FromExplorer, ToExplorer } from '../../src/bridge/explorer-messages.ts';
import { explorerMessages } from '../../src/bridge/explorer-messages.ts';
import type { Point } from '../../src/bridge/explorer-client.ts';
import { succeed } from '../../src/engine/failure.ts';
import { countsOf, pointsCsv, scored } from '../../src/lab/explore-words.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { parseTickets } from '../../src/triage/ticket.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { testParts } from '../support/lives.ts';

function pointOf(outcome: Partial<Point['outcome']>): Point {
  return {
    crashes: ['=start.begin'],
    outcome: {
      kind: 'plain',
      status: 'completed',
      version: 4,
      reply: null,
      events: [],
      effects: 2,
      calls: { lookup_runbook: 1 },
      reused: 0,
      broken: [],
      stuck: null,
      ...outcome,
    },
  };
}

test('what is counted is what the points say', () => {
  const points = [
    pointOf({}),
    pointOf({ calls: { lookup_runbook: 2 } }),
    pointOf({ reused: 1, broken: ['I3'] }),
    pointOf({ status: 'running' }),
  ];
  const counts = countsOf(points);
  expect(counts).toEqual({ points: 4, completed: 3, broken: 1, calledTwice: 1, reused: 1 });
  expect(scored('some', counts)).toBe('You said at some points: right, it is broken at 1 of 4.');
  expect(scored('none', counts)).toBe('You said nowhere: wrong, it is broken at 1 of 4.');
  expect(scored('all', { ...counts, broken: 4 })).toContain('right');
});

test('no cell of the CSV is a formula', () => {
  expect(pointsCsv([pointOf({})]).split('\r\n')[1]).toMatch(/^'=start\.begin,|^"'=start\.begin"/);
});

/** Talks to the explorer as the page does, until it has answered to `until`. */
async function explored(...messages: readonly ToExplorer[]): Promise<FromExplorer[]> {
  const told: FromExplorer[] = [];
  const last = messages.at(-1);
  const parts = await testParts();
  const handlers = triageTools(readFileSync('static/runbooks.csv', 'utf8'));
  return new Promise((resolve) => {
    const receive = explorerMessages({
      tickets: parseTickets(readFileSync('static/facility_tickets.csv', 'utf8')),
      parts: () => Promise.resolve(succeed({ ...parts, random: cryptoRandom, handlers, remote: {} })),
      tell: (message) => {
        told.push(message);
        const isOver = message.type === 'ended' || message.type === 'failed';
        if (isOver && last?.type === 'explore' && message.id === last.id) resolve(told);
      },
      now: () => 0,
    });
    for (const message of messages) receive(message);
  });
}

const wanted = { ticketId: 'T104', workflow: 'triage', variant: 'e3', crashes: 'one' } as const;

test('an exploration is streamed, and the next one ends it', async () => {
  const told = await explored(
    { type: 'explore', id: 1, wanted },
    { type: 'explore', id: 2, wanted: { ...wanted, variant: 'correct' } },
  );
  expect(told[0]?.type).toBe('choices');
  expect(told.some((message) => message.type === 'ended' && message.id === 1)).toBe(false);
  const points = told.flatMap((message) =>
    message.type === 'points' && message.id === 2 ? message.points : [],
  );
  expect(countsOf(points)).toMatchObject({ points: 46, completed: 46, broken: 0 });
});

test('a ticket that is none is told as such', async () => {
  const told = await explored({ type: 'explore', id: 1, wanted: { ...wanted, ticketId: 'T999' } });
  expect(told.at(-1)).toEqual({
    type: 'failed',
    id: 1,
    failure: { type: 'TicketNotFound', ticketId: 'T999' },
  });
});
