/**
 * Holds the experiments of `#/break`: each mistake breaks what it is said to break, at the very crash that is shown; the
 * step without it holds there and at every other crash, and ends as the engine's own step does.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  experimentMessages,
  type FromExperiment,
  type Held,
  type TicketTrial,
} from '../../src/bridge/experiment-messages.ts';
import { succeed } from '../../src/engine/failure.ts';
import { explorer, type Point } from '../../src/explorer/explore.ts';
import type { ExplorerParts } from '../../src/explorer/session.ts';
import { trial } from '../../src/explorer/trial.ts';
import { experiments } from '../../src/mistakes/experiments.ts';
import { sound } from '../../src/mistakes/sound.ts';
import { correct, type Variant } from '../../src/mistakes/variant.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { parseTickets, type Ticket } from '../../src/triage/ticket.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { testParts } from '../support/lives.ts';

const tickets = parseTickets(readFileSync('static/facility_tickets.csv', 'utf8'));
let parts: ExplorerParts;
beforeAll(async () => {
  const handlers = triageTools(readFileSync('static/runbooks.csv', 'utf8'));
  parts = { ...(await testParts()), random: cryptoRandom, handlers, remote: {} };
});

function lessonTicket(): Ticket {
  const ticket = tickets.find(({ ticketId }) => ticketId === 'T104');
  if (ticket === undefined) throw new Error('no ticket T104');
  return ticket;
}

async function everywhere(variant: Variant): Promise<{ points: Point[]; boundaries: readonly string[] }> {
  const made = await explorer(parts, { ticket: lessonTicket(), variant });
  const points: Point[] = [];
  await made.one((point) => points.push(point), new AbortController().signal);
  return { points, boundaries: made.exploration.boundaries };
}

test('the step without a mistake reaches the boundaries of the engine’s own step, and ends the same at each', async () => {
  const [own, other] = [await everywhere(correct), await everywhere(sound)];
  expect(other.boundaries).toEqual(own.boundaries);
  expect(other.points).toEqual(own.points);
  expect(own.points.filter(({ outcome }) => outcome.broken.length > 0)).toEqual([]);
});

describe.each(experiments.map((one) => [one.variant.id, one] as const))('%s', (_, experiment) => {
  test('is caught at the crash that is shown; without the mistake everything holds there', async () => {
    const ticket = lessonTicket();
    const broken = await trial(parts, { ticket, variant: experiment.variant }, experiment.crashAt);
    const fixed = await trial(parts, { ticket, variant: sound }, experiment.soundCrashAt);
    expect(broken.violated.map(({ id }) => id)).toContain(experiment.catches);
    expect(broken.violated.every(({ rows, columns }) => rows.length > 0 && columns.length > 0)).toBe(true);
    expect(broken.status).toBe('completed');
    expect(fixed.violated).toEqual([]);
    expect(fixed).toMatchObject({ status: 'completed', version: 4, reply: fixed.expectedReply });
  });
});

test('what is said on screen of E1, E2 and E3 is what the runs give', async () => {
  const ticket = lessonTicket();
  const [e1, e2, e3] = await Promise.all(
    experiments.map(({ variant, crashAt }) => trial(parts, { ticket, variant }, crashAt)),
  );
  const keys = (tool: string, of = e1) =>
    of?.calls.filter((call) => call.tool === tool).map(({ key }) => key);
  expect(keys('lookup_runbook')).toHaveLength(2);
  expect(e1?.reply).not.toBe(e1?.expectedReply);
  expect(e1?.brokenAtCrash).toEqual(['I1']);
  expect(e3?.brokenAtCrash).toEqual([]);
  expect(e2?.reply).toContain('Next step: None');
  expect(new Set(keys('lookup_runbook', e3)).size).toBe(2);
  expect(e3?.effects.filter(({ toolName }) => toolName === 'lookup_runbook')).toHaveLength(2);
});

/** Asks as the screen does. */
async function ask(question: 'tickets' | 'everywhere', wanted: object) {
  const told: unknown[] = [];
  const answer = await new Promise<unknown>((resolve) => {
    const host = { tickets, parts: () => Promise.resolve(succeed(parts)) };
    const receive = experimentMessages(host, (message: FromExperiment) => {
      if (message.type === 'part') told.push(message.part);
      else resolve(message.answer.ok ? message.answer.value : message.answer.failure);
    });
    receive({ type: 'ask', id: 1, question, wanted: wanted as never });
  });
  return { told, answer };
}

test('E8: what the model says breaks I7 for some tickets and is wrong for others; the rule gives the six expected', async () => {
  const believed = (await ask('tickets', { fixed: false })).answer as TicketTrial[];
  const ruled = (await ask('tickets', { fixed: true })).answer as TicketTrial[];
  expect(believed).toHaveLength(6);
  expect(believed.some(({ violated }) => violated.some(({ id }) => id === 'I7'))).toBe(true);
  // Some of what it says is a priority that exists, and the wrong one: no invariant can know.
  expect(believed.some((one) => one.violated.length === 0 && one.priority !== one.expectedPriority)).toBe(
    true,
  );
  expect(ruled.map(({ priority }) => priority)).toEqual(tickets.map((one) => one.expectedPriority));
  expect(ruled.flatMap(({ violated }) => violated)).toEqual([]);
});

test('the rule holds for all six tickets at every crash', async () => {
  const told = (await ask('everywhere', { tickets: 'all' })).told as Held[];
  expect(new Set(told.map(({ ticketId }) => ticketId)).size).toBe(6);
  expect(told.length).toBeGreaterThan(6 * 40);
  expect(told.filter(({ holds }) => !holds)).toEqual([]);
});
