/** Holds lab/explore-link.ts and lab/explore-report.ts: an exploration as an address, and as a report. */
import { expect, test } from 'vitest';
import type { Choices, Point } from '../../src/bridge/explorer-client.ts';
import { linkOf, readLink, usual } from '../../src/lab/explore-link.ts';
import { reportOf } from '../../src/lab/explore-report.ts';

const choices: Choices = {
  variants: [
    { id: 'correct', title: 'The engine as it is' },
    { id: 'e2', title: 'Too early' },
  ],
  workflows: [
    { name: 'triage', hasMistakes: true },
    { name: 'dispatch', hasMistakes: false },
  ],
};
const tickets = ['T101', 'T104'];

test('an address names an exploration and one of its crashes, and reads back as it was', () => {
  for (const wanted of [usual, { ...usual, variant: 'e2', crashes: 'two', ticketId: 'T101' } as const]) {
    for (const at of [[], ['start.begin'], ['start.durable', 'resume.begin']]) {
      expect(readLink(linkOf(wanted, at), choices, tickets)).toEqual({ wanted, at, unknown: [] });
    }
  }
  expect(readLink('#/explore', choices, tickets)).toBe(null);
});

test('what an address names and there is none of is told, and the usual is taken for it', () => {
  const linked = readLink('#/explore?t=T999&engine=<b>&crashes=many&w=nothing', choices, tickets);
  expect(linked?.wanted).toEqual(usual);
  expect(linked?.unknown).toEqual([
    'no workflow is called “nothing”',
    'no mistake, and no engine, is called “<b>”',
    'no kind of exploration is called “many”',
    'no ticket is called “T999”',
  ]);
  expect(readLink('#/explore?w=dispatch&engine=e2', choices, tickets)).toMatchObject({
    wanted: { workflow: 'dispatch', variant: 'correct' },
    unknown: ['dispatch has no mistake “e2”'],
  });
});

test('the report counts what was run, and lists each crash at which something is wrong', () => {
  const outcome = {
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
  } as const;
  const points: Point[] = [
    { crashes: ['a.begin'], outcome },
    { crashes: ['b.begin'], outcome: { ...outcome, kind: 'broken', broken: ['I2', 'reply'] } },
    { crashes: ['c.begin'], outcome: { ...outcome, kind: 'called twice', calls: { lookup_runbook: 2 } } },
  ];
  const exploration = { boundaries: ['a.begin', 'b.begin', 'c.begin'], crashFree: outcome };
  const report = reportOf(usual, 'Too early', exploration, points, 'https://example.org/#/explore');
  expect(report).toContain('| 3 | 3 | 1 | 1 | 0 |');
  expect(report).toContain('- `b.begin`: completed, version 4; calls: lookup_runbook 1; broken: I2, reply');
  expect(report).toContain('a second time: 1\n\n- `c.begin`');
  expect(report).not.toContain('`a.begin`');
});
