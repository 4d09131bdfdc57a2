/** Holds effects.md for *Dispatch*: whatever the desk does, and wherever sessions die, nothing is lost and nothing at-most-once is done twice. */
import { beforeAll, describe, expect, test } from 'vitest';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { budgetsOf } from '../../src/engine/budgets.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import { intentsOf } from '../../src/engine/intents.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import { decodeJson } from '../../src/engine/json.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { priorities } from '../../src/triage/ticket.ts';
import { workflows } from '../../src/triage/workflows.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import type { DispatchLife, World, WorldSettings } from '../support/dispatch-lives.ts';
import { copyOf, dispatchRun, linesOf, liveDispatch, newWorld } from '../support/dispatch-lives.ts';
import type { Parts } from '../support/lives.ts';
import { emptyStore, look, readEvents, testParts } from '../support/lives.ts';

let parts: Parts;
let empty: MemoryPageStore;
beforeAll(async () => {
  parts = await testParts();
  empty = await emptyStore(parts);
});

/** All pairs with all settings take half an hour: `npm run pairs`. Else those near each other, and some of the rest. */
const everything = process.env['ALL_PAIRS'] === '1';

/** Both in one action, or the second in taking the run up: only there can the second meet what the first left. */
function areNear(first: string, second: string): boolean {
  const actionOf = (boundary: string) => boundary.slice(0, boundary.indexOf('.'));
  return actionOf(first) === actionOf(second) || second.startsWith('resume.');
}

/** Each setting of the desk, and those that are worse together. */
const desks: readonly (readonly [name: string, settings: WorldSettings])[] = [
  ['a kind desk', {}],
  ['a desk that ignores keys', { honoursKeys: false }],
  ['a desk that cannot be asked', { answersStatus: false }],
  ['a desk that ignores keys and cannot be asked', { honoursKeys: false, answersStatus: false }],
  ['a slow desk', { delayMs: 5000 }],
  ['a desk that loses the work order’s answer', { trouble: 'loses_answer', troubleAt: 'open_work_order' }],
  ['a desk that loses the page’s answer', { trouble: 'loses_answer', troubleAt: 'page_technician' }],
  [
    'a desk that loses the page’s answer and cannot be asked',
    { trouble: 'loses_answer', troubleAt: 'page_technician', answersStatus: false },
  ],
  [
    'a desk that loses the work order’s answer and ignores keys',
    { trouble: 'loses_answer', troubleAt: 'open_work_order', honoursKeys: false },
  ],
  ['a desk that fails before the runbook', { trouble: 'fails_before', troubleAt: 'request_runbook' }],
  ['a desk that fails before the work order', { trouble: 'fails_before', troubleAt: 'open_work_order' }],
  ['a desk that fails before the page', { trouble: 'fails_before', troubleAt: 'page_technician' }],
  [
    'a desk that always fails before the work order',
    { trouble: 'fails_before', troubleTimes: 'always', troubleAt: 'open_work_order' },
  ],
  [
    'a desk that always fails before the page',
    { trouble: 'fails_before', troubleTimes: 'always', troubleAt: 'page_technician' },
  ],
  ['a desk that never answers', { trouble: 'loses_answer', troubleTimes: 'always' }],
  ['a desk that is slower than anybody waits', { delayMs: 15_000 }],
];

const once = (boundary: string) => [{ boundary, every: false }];
const ofTheRun = (life: DispatchLife) => life.plan.reached.filter((name) => !name.startsWith('open.'));

async function check(world: World, settings: WorldSettings, lives: readonly DispatchLife[]): Promise<void> {
  const end = await look(parts, world, (reader) => ({
    run: loadRun(reader, dispatchRun),
    events: readEvents(reader, dispatchRun),
    intents: intentsOf(reader, dispatchRun),
    budgets: budgetsOf(reader, dispatchRun),
    attempts: reader.all('SELECT * FROM tool_attempts'),
    effects: reader.all('SELECT * FROM tool_effects'),
    violations: invariantsOf(workflows, priorities)
      .filter(({ sql, values }) => reader.all(sql, values).length > 0)
      .map(({ id }) => id),
  }));
  const lines = await linesOf(world);
  const failing = settings.troubleTimes === 'always' || settings.delayMs === 15_000;
  expect(end.run?.status).toBe(failing ? 'failed' : 'completed');
  expect(end.violations).toEqual([]);
  expect(lives.map((life) => life.plan.touchedAfterCrash)).toEqual(lives.map(() => 0));
  for (const events of world.acknowledged) expect(end.events.slice(0, events.length)).toEqual(events);

  const done = (tool: string) => lines.filter((line) => line.tool === tool && line.work === 'done');
  // No at-most-once tool twice, ever: not even by a person, who looks first.
  expect(done('page_technician').length).toBeLessThanOrEqual(1);
  if (settings.honoursKeys !== false) expect(done('open_work_order').length).toBeLessThanOrEqual(1);
  // What was received was intended: nothing left before its intent and its claim were durable.
  for (const line of lines) {
    const intent = end.intents.find(({ key }) => key === line.key);
    expect(intent?.argumentsJson).toBe(line.argumentsJson);
  }
  // A budget is what was claimed, whatever became of it; an attempt a call at most, and the fences have no gap.
  expect(end.budgets.find(({ resource }) => resource === 'tool_calls')?.used).toBe(end.attempts.length);
  const calls = lines.filter((line) => line.work !== 'asked').length;
  expect(calls).toBeLessThanOrEqual(end.attempts.length);
  for (const { key } of end.intents) {
    const fences = end.attempts.filter((row) => row['idempotency_key'] === key).map((row) => row['fence']);
    expect(fences).toEqual(fences.map((_, index) => index + 1));
  }
  if (failing) return;
  expect(end.effects).toHaveLength(3);
  expect(done('page_technician')).toHaveLength(1);
  const context = decodeJson(end.run?.contextJson ?? '')?.value;
  expect(context).toMatchObject({ page: { page: 'PG-1' }, priority: 'urgent' });
}

/** What a session reaches that takes up what this one left, with the world as it was left. */
interface Left {
  readonly world: World;
  readonly life: DispatchLife;
}

async function crashed(world: World, boundary: string): Promise<Left> {
  return { world, life: await liveDispatch(parts, world, once(boundary)) };
}

async function livesWith(world: World, ...crashes: readonly string[]): Promise<readonly DispatchLife[]> {
  const lives: DispatchLife[] = [];
  for (const boundary of crashes) lives.push(await liveDispatch(parts, world, once(boundary)));
  lives.push(await liveDispatch(parts, world));
  return lives;
}

async function boundariesWith(settings: WorldSettings): Promise<readonly string[]> {
  const world = newWorld(empty, settings);
  const life = await liveDispatch(parts, world);
  await check(world, settings, [life]);
  return [...new Set(ofTheRun(life))];
}

test('the listed boundaries are those that a run reaches, and those that it may reach', async () => {
  const listed = new Set(boundariesOf(dispatch).flatMap((group) => group.boundaries.map(({ name }) => name)));
  const reached = new Set<string>();
  for (const [, settings] of desks) for (const name of await boundariesWith(settings)) reached.add(name);
  for (const name of await boundariesWith({})) {
    const lives = await livesWith(newWorld(empty, { answersStatus: false }), name);
    for (const again of lives.flatMap(ofTheRun)) reached.add(again);
  }
  // What a person does has boundaries of its own, which no run reaches by itself.
  const byPersons = /^(approval|resolve)\./;
  expect([...reached].filter((name) => !listed.has(name) && !byPersons.test(name))).toEqual([]);
  expect([...listed].filter((name) => !reached.has(name))).toEqual([]);
});

describe.each(desks)('one crash at each boundary, with %s', (_, settings) => {
  test('nothing is lost, nothing is doubled that must not be', async () => {
    for (const boundary of await boundariesWith(settings)) {
      const world = newWorld(empty, settings);
      await check(world, settings, await livesWith(world, boundary));
    }
  });
});

describe.each(desks)('two crashes at pairs of boundaries, with %s', (name, settings) => {
  test('nothing is lost, nothing is doubled that must not be', async () => {
    const [oneOfNear, oneOfFar] = everything ? [1, 1] : name === 'a kind desk' ? [3, 60] : [80, 600];
    let pairs = 0;
    let turn = name.length;
    for (const boundary of await boundariesWith(settings)) {
      const left = await crashed(newWorld(empty, settings), boundary);
      const second = await liveDispatch(parts, await copyOf(left.world));
      for (const next of new Set(ofTheRun(second))) {
        turn += 1;
        if (turn % (areNear(boundary, next) ? oneOfNear : oneOfFar) !== 0) continue;
        const world = await copyOf(left.world);
        await check(world, settings, [left.life, ...(await livesWith(world, next))]);
        pairs += 1;
      }
    }
    expect(pairs).toBeGreaterThan(3);
    console.log(`${name}: ${String(pairs)} pairs`);
  });
});
