/**
 * Owns: one life of a worker in Node: open the stored database, take the run up, work until it ends or crashes.
 * What survives a life is the page store and the world, nothing else.
 */
import type { Arm } from '../../src/engine/crash.ts';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Result } from '../../src/engine/failure.ts';
import type { Clock, Owners, Reader, Timer } from '../../src/engine/ports.ts';
import type { AgentEvent, Run } from '../../src/engine/records.ts';
import { eventFromRow } from '../../src/engine/records.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import type { Checksum } from '../../src/storage/checksum.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { PageStore } from '../../src/storage/page-store.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { cryptoRandom, randomId } from '../../src/storage/random.ts';
import type { Sqlite } from '../../src/storage/sqlite.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { triage } from '../../src/triage/workflow.ts';
import { testSqlite } from './sqlite.ts';
import type { TestWorld } from './world.ts';
import { testWorld } from './world.ts';

export interface Parts {
  readonly sqlite: Sqlite;
  readonly checksum: Checksum;
}

export async function testParts(): Promise<Parts> {
  return { sqlite: await testSqlite(), checksum: await loadChecksum() };
}

/** A store with the image of an empty lab, to copy: making one takes longer than many a life. */
export async function emptyStore(parts: Parts): Promise<MemoryPageStore> {
  const store = new MemoryPageStore();
  const database = await open(parts, store, new CrashPlan(), steppingClock());
  await database.close();
  return store;
}

/** What a crash leaves alone. */
export interface Survivors {
  readonly store: PageStore;
  readonly world: TestWorld;
  readonly clock: Clock;
  /** What the engine was told is durable: the run's events at that moment, by acknowledged commit. */
  readonly acknowledged: { readonly boundary: string; readonly events: readonly AgentEvent[] }[];
}

export function survivors(
  runbooks: 'fixed' | 'changing' = 'fixed',
  clock: Clock = steppingClock(),
  store: PageStore = new MemoryPageStore(),
): Survivors {
  return { store, world: testWorld(runbooks), clock, acknowledged: [] };
}

/** A second a reading, from a fixed instant. */
export function steppingClock(step = 1000): Clock {
  let time = Date.UTC(2026, 0, 5, 9, 0, 0);
  return { now: () => new Date((time += step)).toISOString() };
}

/** Nobody's patience ever ends. */
export const stillTimer: Timer = { after: () => () => undefined };

/** Every other worker is dead. */
export const nobodyElse: Owners = {
  stateOf: () => Promise.resolve('dead'),
  hold: () => Promise.resolve(),
  letGo: () => undefined,
};

export const runId = 'run-T104';
export const ticketContext = {
  ticket: {
    ticket_id: 'T104',
    area: 'cold storage',
    issue: 'temperature sensor stopped reporting',
    outage_minutes: 18,
    safety_impact: 'yes',
    expected_priority: 'urgent',
  },
};

export interface Life {
  /** Null: it worked to the end. */
  readonly crashedAt: string | null;
  readonly plan: CrashPlan;
}

export function readEvents(reader: Reader, run: string): AgentEvent[] {
  return reader.all('SELECT * FROM agent_events WHERE run_id = ? ORDER BY sequence', [run]).map(eventFromRow);
}

export async function open(
  parts: Parts,
  store: PageStore,
  plan: CrashPlan,
  clock: Clock,
): Promise<AgentDatabase> {
  const opened = await openDatabase({ ...parts, store, crash: plan, random: cryptoRandom, clock });
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  return opened.value;
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`expected success: ${JSON.stringify(result.failure)}`);
  return result.value;
}

/** Opens, starts or resumes `run-T104`, and works to the end, or until the armed crash. */
export async function live(parts: Parts, left: Survivors, arms: readonly Arm[] = []): Promise<Life> {
  const plan = new CrashPlan(arms);
  let database: AgentDatabase | null = null;
  try {
    database = await open(parts, left.store, plan, left.clock);
    const engine = engineOver(watched(database, left), left, plan);
    const found = await database.read((reader) => loadRun(reader, runId));
    if (found === undefined) must(await startRun(engine, 'T104', ticketContext));
    if (found === undefined || found.status === 'running') must<Run>(await runToEnd(engine, runId));
    return { crashedAt: null, plan };
  } catch (error) {
    if (!(error instanceof SimulatedCrash)) throw error;
    return { crashedAt: error.boundary, plan };
  } finally {
    // A dead worker's memory is the browser's to free; here it is ours.
    await database?.close();
  }
}

export function engineOver(
  database: Engine['database'],
  left: Pick<Survivors, 'world' | 'clock'>,
  plan: CrashPlan,
): Engine {
  return {
    database,
    clock: left.clock,
    crash: plan,
    tools: left.world.toolsFor(plan),
    timer: stillTimer,
    random: () => 0.5,
    owners: nobodyElse,
    workflows: [triage, dispatch],
    workerId: randomId(cryptoRandom),
    calls: new Map(),
  };
}

/** The database, noting each acknowledged commit with the events that were in it. */
function watched(database: AgentDatabase, left: Survivors): Engine['database'] {
  return {
    read: (body) => database.read(body),
    commit: async (boundary, body) => {
      let events: AgentEvent[] = [];
      const result = await database.commit(boundary, (transaction) => {
        const done = body(transaction);
        events = readEvents(transaction, runId);
        return done;
      });
      if (result.ok) left.acknowledged.push({ boundary, events });
      return result;
    },
  };
}

/** Reads the stored database as a later session would, without taking anything up. */
export async function look<T>(
  parts: Parts,
  left: Pick<Survivors, 'store' | 'clock'>,
  body: (reader: Reader) => T,
): Promise<T> {
  const database = await open(parts, left.store, new CrashPlan(), left.clock);
  const value = await database.read(body);
  await database.close();
  return value;
}
