import { beforeAll, describe, expect, test } from 'vitest';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import { decodeJson, isJsonObject } from '../../src/engine/json.ts';
import type { Reader } from '../../src/engine/ports.ts';
import { effectFromRow } from '../../src/engine/records.ts';
import { priorities } from '../../src/triage/ticket.ts';
import { lessonBoundary, triage } from '../../src/triage/workflow.ts';
import type { Life, Parts, Survivors } from '../support/lives.ts';
import {
  emptyStore,
  live,
  look,
  readEvents,
  runId,
  steppingClock,
  survivors,
  testParts,
} from '../support/lives.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';

let parts: Parts;
let empty: MemoryPageStore;
beforeAll(async () => {
  parts = await testParts();
  empty = await emptyStore(parts);
});

function newSurvivors(runbooks: 'fixed' | 'changing' = 'fixed', clock = steppingClock()): Survivors {
  return survivors(runbooks, clock, empty.copy());
}

const once = (boundary: string) => [{ boundary, every: false }];
/** Boundaries of making and opening the database come before the run's own. */
const ofTheRun = (life: Life) => life.plan.reached.filter((name) => !name.startsWith('open.'));

interface Ending {
  readonly status: string;
  readonly version: number;
  readonly context: unknown;
  readonly types: readonly string[];
  readonly effects: readonly string[];
  readonly violations: readonly string[];
}

function ending(reader: Reader): Ending {
  const run = loadRun(reader, runId);
  if (run === undefined) throw new Error('the run is gone');
  return {
    status: run.status,
    version: run.version,
    context: decodeJson(run.contextJson)?.value,
    types: readEvents(reader, runId).map((event) => event.eventType),
    effects: reader.all('SELECT * FROM tool_effects ORDER BY 1').map((row) => effectFromRow(row).resultJson),
    violations: invariantsOf([triage], priorities)
      .filter(({ sql, values }) => reader.all(sql, values).length > 0)
      .map(({ id }) => id),
  };
}

/** What must hold after any crashes; returns how often the world was called a second time. */
async function check(left: Survivors, lives: readonly Life[], crashFree: Ending): Promise<number> {
  const end = await look(parts, left, ending);
  const trace = await look(parts, left, (reader) => readEvents(reader, runId));
  expect(end).toMatchObject({ status: 'completed', version: 4, violations: [] });
  expect(end.context).toEqual(crashFree.context);
  expect(end.effects).toEqual(crashFree.effects);
  expect(lives.map((life) => life.plan.touchedAfterCrash)).toEqual(lives.map(() => 0));
  for (const { events } of left.acknowledged) expect(trace.slice(0, events.length)).toEqual(events);
  const keys = left.world.calls.map((call) => call.key);
  const calledAgain = keys.length - new Set(keys).size;
  // R14: once more for each crash at most, and only where the call was made and its row was not yet durable.
  const windows = lives.filter(({ crashedAt }) => {
    const [, action = '', instant = ''] = /^(\w+)\.tool\.(\w+)$/.exec(crashedAt ?? '') ?? [];
    return action !== '' && instant !== 'durable';
  });
  expect(calledAgain).toBe(windows.length);
  return calledAgain;
}

async function livesWith(left: Survivors, ...crashes: readonly string[]): Promise<Life[]> {
  const lives: Life[] = [];
  for (const boundary of crashes) {
    const life = await live(parts, left, once(boundary));
    expect(life.crashedAt).toBe(boundary);
    lives.push(life);
  }
  const last = await live(parts, left);
  expect(last.crashedAt).toBeNull();
  return [...lives, last];
}

async function crashFreeRun(): Promise<{ end: Ending; boundaries: string[] }> {
  const left = newSurvivors();
  const life = await live(parts, left);
  return { end: await look(parts, left, ending), boundaries: ofTheRun(life) };
}

describe('the lesson’s run', () => {
  test('the listed boundaries are those that sessions reach, in their order', async () => {
    const { boundaries } = await crashFreeRun();
    const groups = boundariesOf(triage);
    const listed = (afterRestart: boolean) =>
      groups.filter((group) => group.afterRestart === afterRestart).flatMap((group) => group.boundaries);
    expect(boundaries).toEqual(listed(false).map(({ name }) => name));

    const reachedLater = new Set<string>();
    for (const crash of ['lookup_runbook.tool.durable', 'draft_reply.tool.durable']) {
      const lives = await livesWith(newSurvivors(), crash);
      for (const name of lives[1]?.plan.reached ?? []) reachedLater.add(name);
    }
    expect(listed(true).filter(({ name }) => !reachedLater.has(name))).toEqual([]);
    const all = new Set(groups.flatMap((group) => group.boundaries.map(({ name }) => name)));
    expect([...reachedLater].filter((name) => !all.has(name))).toEqual([]);
  });

  test('crashed after the lookup’s result is durable, it has the nine events of the contract', async () => {
    const left = newSurvivors();
    const lives = await livesWith(left, lessonBoundary);
    const { end } = await crashFreeRun();
    await check(left, lives, end);
    const events = await look(parts, left, (reader) => readEvents(reader, runId));
    expect(events.map((e) => [e.sequence, e.session, e.eventType, e.action, e.detail])).toEqual([
      [1, 'session-1', 'run_started', 'start', 'T104'],
      [2, 'session-1', 'checkpoint_saved', 'classify_priority', 'version 1'],
      [3, 'session-1', 'tool_executed', 'lookup_runbook', 'run-T104:lookup_runbook'],
      [4, 'session-2', 'run_resumed', 'resume', 'loaded durable state'],
      [5, 'session-2', 'tool_reused', 'lookup_runbook', 'run-T104:lookup_runbook'],
      [6, 'session-2', 'checkpoint_saved', 'lookup_runbook', 'version 2'],
      [7, 'session-2', 'tool_executed', 'draft_reply', 'run-T104:draft_reply'],
      [8, 'session-2', 'checkpoint_saved', 'draft_reply', 'version 3'],
      [9, 'session-2', 'checkpoint_saved', 'finish', 'version 4'],
    ]);
  });

  test('a clock that steps back changes neither order nor outcome (R7)', async () => {
    let time = Date.UTC(2026, 0, 5);
    const backwards = { now: () => new Date((time -= 60_000)).toISOString() };
    const left = newSurvivors('fixed', backwards);
    const lives = await livesWith(left, lessonBoundary);
    await check(left, lives, (await crashFreeRun()).end);
  });

  test('a runbook that changes at each call: what the checkpoint holds is the saved result, everywhere', async () => {
    const { boundaries } = await crashFreeRun();
    for (const boundary of boundaries) {
      const left = newSurvivors('changing');
      await livesWith(left, boundary);
      const end = await look(parts, left, ending);
      expect(end).toMatchObject({ status: 'completed', version: 4, violations: [] });
      const context = isJsonObject(end.context as never) ? (end.context as Record<string, unknown>) : {};
      const saved = end.effects.map((text) => decodeJson(text)?.value);
      expect(saved).toContainEqual(context['runbook']);
      expect(saved).toContainEqual({ reply: context['reply'] });
    }
  });
});

describe('one crash at each boundary', () => {
  test('every run completes at version 4, breaks no invariant and keeps what was acknowledged', async () => {
    const { end, boundaries } = await crashFreeRun();
    let calledAgain = 0;
    let reused = 0;
    for (const boundary of boundaries) {
      const left = newSurvivors();
      const lives = await livesWith(left, boundary);
      calledAgain += await check(left, lives, end);
      const types = (await look(parts, left, ending)).types;
      reused += types.includes('tool_reused') ? 1 : 0;
    }
    // The shape of the crash model: four instants of each tool call, and both are non-zero.
    expect({ points: boundaries.length, calledAgain, reused }).toMatchObject({ calledAgain: 12, reused: 12 });
    console.log(
      `one crash: ${String(boundaries.length)} points, called again at ${String(calledAgain)}, reused at ${String(reused)}`,
    );
  });
});

describe('two crashes', () => {
  test('at every pair of boundaries the run completes, breaks nothing and keeps what was acknowledged', async () => {
    const { end, boundaries } = await crashFreeRun();
    let pairs = 0;
    for (const first of boundaries) {
      const probe = newSurvivors();
      const [, second] = await livesWith(probe, first);
      for (const next of second?.plan.reached ?? []) {
        const left = newSurvivors();
        await check(left, await livesWith(left, first, next), end);
        pairs += 1;
      }
    }
    expect(pairs).toBeGreaterThan(boundaries.length * 10);
    console.log(`two crashes: ${String(pairs)} pairs`);
  });
});
