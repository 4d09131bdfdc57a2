/** Holds lab/lab-link.ts: what an address asks of the lab, and what of it there is. */
import { expect, test } from 'vitest';
import type { LabView } from '../../src/bridge/views.ts';
import { asksSomething, readLabLink } from '../../src/lab/lab-link.ts';

const view = {
  runs: [{ runId: 'run-T104' }],
  tickets: [{ ticketId: 'T104' }],
  workflows: [{ boundaries: [{ boundaries: [{ name: 'start.begin' }, { name: 'start.durable' }] }] }],
} as unknown as LabView;

test('an address names a ticket, a run, crashes in their order, and an event', () => {
  const hash = '#/lab?t=T104&run=run-T104&crash=start.durable,start.begin&cursor=5&view=diff';
  expect(readLabLink(hash, view)).toEqual({
    runId: 'run-T104',
    ticketId: 'T104',
    boundaries: ['start.durable', 'start.begin'],
    cursor: 5,
    unknown: [],
  });
  expect(asksSomething(hash)).toBe(true);
  expect(asksSomething('#/lab')).toBe(false);
});

test('what it names and there is none of is told, each for itself, and the rest is done', () => {
  const hash = '#/lab?t=constructor&run=%3Cb%3E&crash=start.begin,nowhere&cursor=-1&view=x&mistake=e2';
  expect(readLabLink(hash, view)).toEqual({
    runId: null,
    ticketId: null,
    boundaries: ['start.begin'],
    cursor: null,
    unknown: [
      'there is no run “<b>”',
      'there is no ticket “constructor”',
      'there is no boundary “nowhere”',
      '“-1” is no event’s number',
      'there is no pane “x”',
      '“mistake” says nothing here',
    ],
  });
});
