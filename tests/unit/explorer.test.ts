/** Holds the explorer and the mistakes: each breaks its own invariant somewhere, the correct engine none anywhere. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { explorer, type Point } from '../../src/explorer/explore.ts';
import { outcomeOf } from '../../src/explorer/outcome.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import { startRun } from '../../src/engine/start.ts';
import {
  emptyLab,
  runIdOf,
  runSession,
  type ExplorerParts,
  type Subject,
} from '../../src/explorer/session.ts';
import { surroundings } from '../../src/explorer/world.ts';
import { mistakes } from '../../src/mistakes/mistakes.ts';
import { noVersion } from '../../src/mistakes/no-version.ts';
import { ruleAsAgent } from '../../src/mistakes/rule-as-agent.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { correct, type Variant } from '../../src/mistakes/variant.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { parseTickets, priorities, ticketToJson } from '../../src/triage/ticket.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { dispatchTools } from '../../src/triage/dispatch-tools.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { triage } from '../../src/triage/workflow.ts';
import { engineOver, must, open, steppingClock, testParts } from '../support/lives.ts';
import { testWorld } from '../support/world.ts';

const tickets = parseTickets(readFileSync('static/facility_tickets.csv', 'utf8'));
const never = new AbortController().signal;
let parts: ExplorerParts;
beforeAll(async () => {
  const runbooks = readFileSync('static/runbooks.csv', 'utf8');
  parts = {
    ...(await testParts()),
    random: cryptoRandom,
    handlers: triageTools(runbooks),
    remote: dispatchTools(runbooks),
  };
});

async function newWorker(store: MemoryPageStore, number: number) {
  const clock = steppingClock();
  const plan = new CrashPlan();
  const database = await open(parts, store, plan, clock);
  const { tools } = surroundings({ calls: [], time: 0 }, parts.handlers, plan);
  const workerId = `worker-${String(number)}`;
  const engine = { ...engineOver(database, { world: testWorld('fixed'), clock }, plan), tools, workerId };
  return { database, engine };
}

function subject(variant: Variant, ticketId = 'T104'): Subject {
  const ticket = tickets.find((one) => one.ticketId === ticketId);
  if (ticket === undefined) throw new Error(`no ticket ${ticketId}`);
  return { ticket, variant };
}

async function pointsOf(variant: Variant, kind: 'one' | 'two'): Promise<Point[]> {
  const points: Point[] = [];
  await (await explorer(parts, subject(variant)))[kind]((point) => points.push(point), never);
  return points;
}

const count = (points: readonly Point[]) => {
  const of = (kind: string) => points.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    points: points.length,
    completed: points.filter(({ outcome }) => outcome.status === 'completed' && outcome.version === 4).length,
    broken: points.filter(({ outcome }) => outcome.broken.length > 0).length,
    calledTwice: points.filter(({ outcome }) => Object.values(outcome.calls).some((n) => n > 1)).length,
    reused: points.filter(({ outcome }) => outcome.reused > 0).length,
    notStored: of('not stored'),
  };
};

describe('the correct engine', () => {
  test('one crash at each boundary: what the explorer says is what crashing there says', async () => {
    const made = await explorer(parts, subject(correct));
    const points: Point[] = [];
    await made.one((point) => points.push(point), never);
    expect(points.map(({ crashes }) => crashes[0])).toEqual(made.exploration.boundaries);
    const empty = await emptyLab(parts);
    for (const { crashes, outcome } of points) {
      const crashed = await runSession(parts, subject(correct), empty, crashes[0] ?? '');
      expect(crashed.crashedAt).toBe(crashes[0]);
      const last = await runSession(parts, subject(correct), crashed.left, null);
      const { reply } = made.exploration.crashFree;
      const direct = await outcomeOf(parts, subject(correct), crashed.left, last, reply);
      const untimed = ({ events, ...rest }: typeof outcome) => ({
        ...rest,
        events: events.map((event) => ({ ...event, createdAtUtc: '' })),
      });
      expect(untimed(direct)).toEqual(untimed(outcome));
    }
    expect(count(points)).toMatchObject({ completed: points.length, broken: 0 });
  });

  test('two crashes, at every pair of boundaries: nothing is broken', async () => {
    const points = await pointsOf(correct, 'two');
    expect(count(points)).toMatchObject({ completed: points.length, broken: 0 });
    expect(points.length).toBeGreaterThan(900);
  });
});

/** What each mistake breaks, and where it shows: an invariant, or the reply. */
const breaks: Readonly<Record<string, readonly string[]>> = {
  e1: ['I1'],
  e2: ['I2', 'reply'],
  e3: ['I3'],
  'e4-state-first': ['I4'],
  'e4-event-first': ['I5'],
};

describe.each(mistakes.filter(({ id }) => id in breaks).map((one) => [one.title, one] as const))(
  '%s',
  (_, variant) => {
    test('breaks its own invariant at one point at least', async () => {
      const points = await pointsOf(variant, 'one');
      const broken = new Set(points.flatMap(({ outcome }) => outcome.broken));
      expect([...broken]).toEqual(expect.arrayContaining([...(breaks[variant.id] ?? [])]));
      // Looking at the final status proves nothing: every one of them ends well.
      expect(count(points)).toMatchObject({ completed: points.length });
    });
  },
);

describe('two workers that resume the same version', () => {
  /** Both do the next action at once, over one store. */
  async function race(variant: Variant): Promise<readonly string[]> {
    const { ticket } = subject(variant);
    const store = (await emptyLab(parts)).store.copy();
    const [one, two] = [await newWorker(store, 1), await newWorker(store, 2)];
    must(await startRun(one.engine, ticket.ticketId, { ticket: ticketToJson(ticket) }));
    must(await two.database.refresh());
    await Promise.all([one, two].map(({ engine }) => variant.newSession()(engine, runIdOf(ticket))));
    must(await two.database.refresh());
    const broken = await two.database.read((reader) =>
      invariantsOf([triage], priorities)
        .filter(({ sql, values }) => reader.all(sql, values).length > 0)
        .map(({ id }) => id),
    );
    for (const { database } of [one, two]) await database.close();
    return broken;
  }

  test('without a version in the UPDATE, one version is saved twice', async () => {
    expect(await race(noVersion)).toContain('I5');
  });

  test('with it, one of them gets the conflict and nothing is broken', async () => {
    expect(await race(correct)).toEqual([]);
  });
});

test('a model that is believed stores priorities that the workflow does not know, and wrong ones', async () => {
  const outcomes = [];
  for (const ticket of tickets) {
    const one = { ticket, variant: ruleAsAgent };
    const session = await runSession(parts, one, await emptyLab(parts), null);
    outcomes.push({ ticket, outcome: await outcomeOf(parts, one, null, session, null) });
  }
  expect(outcomes.some(({ outcome }) => outcome.broken.includes('I7'))).toBe(true);
  const right = outcomes.filter(({ ticket, outcome }) =>
    outcome.reply?.startsWith(`Priority: ${ticket.expectedPriority}.`),
  );
  expect(right.length).toBeLessThan(tickets.length);
});

describe('Dispatch', () => {
  test('one crash at each of its boundaries: it completes, no work is done twice, and a page is never sent again', async () => {
    const points: Point[] = [];
    const made = await explorer(parts, { ...subject(correct), workflow: dispatch });
    expect(made.exploration.crashFree.calls).toEqual({
      request_runbook: 1,
      open_work_order: 1,
      page_technician: 1,
    });
    await made.one((point) => points.push(point), never);
    expect(points.map(({ crashes }) => crashes[0])).toEqual(made.exploration.boundaries);
    for (const { crashes, outcome } of points) {
      expect(outcome, crashes.join()).toMatchObject({ status: 'completed', broken: [], stuck: null });
      expect(outcome.calls['page_technician'], crashes.join()).toBe(1);
    }
    // It was sent, and nobody here knew: a person had to say what became of it.
    const doubted = points.filter(({ outcome }) =>
      outcome.events.some(({ eventType }) => eventType === 'tool_in_doubt'),
    );
    expect(doubted.map(({ crashes }) => crashes[0])).toContain('page_technician.call.answered');
    expect(new Set(doubted.map(({ outcome }) => outcome.kind))).toEqual(new Set(['in doubt']));
    expect(points.filter(({ outcome }) => outcome.kind === 'called twice').length).toBeGreaterThan(0);
  });

  test('a crash at a boundary of its own, run for itself, ends as the explorer says', async () => {
    const one = { ...subject(correct), workflow: dispatch };
    const points: Point[] = [];
    await (await explorer(parts, one)).one((point) => points.push(point), never);
    const empty = await emptyLab(parts);
    for (const { crashes, outcome } of points.filter((_, index) => index % 7 === 0)) {
      const crashed = await runSession(parts, one, empty, crashes[0] ?? '');
      const last = await runSession(parts, one, crashed.left, null);
      expect(await outcomeOf(parts, one, crashed.left, last, null), crashes.join()).toMatchObject({
        kind: outcome.kind,
        calls: outcome.calls,
        version: outcome.version,
      });
    }
  });
});
