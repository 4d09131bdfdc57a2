/**
 * Owns: lives of a worker that works on *Dispatch* in Node: it opens what is stored, goes on, and crashes where that is
 * armed; a person decides what waits. What survives a life is the page store, the service desk and the clock.
 * Leaves: what must hold afterwards to the tests.
 */
import { approvalsOf, decideApproval } from '../../src/engine/approvals.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import type { Arm } from '../../src/engine/crash.ts';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import { resolveDoubt, type Resolution } from '../../src/engine/doubt.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Result } from '../../src/engine/failure.ts';
import { intentsOf } from '../../src/engine/intents.ts';
import type { AgentEvent, Run } from '../../src/engine/records.ts';
import type { Tools } from '../../src/engine/ports.ts';
import { step } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { cryptoRandom, randomId } from '../../src/storage/random.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { workflows } from '../../src/triage/workflows.ts';
import type { CallLog, ReceivedCall } from '../../src/world/call-log.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import type { Desk } from '../../src/world/desk.ts';
import { receiveCall, receiveStatus } from '../../src/world/desk.ts';
import { DeskRules, defaultDeskSettings, type DeskSettings } from '../../src/world/desk-settings.ts';
import { handTimer, newDesk, type HandTimer } from './desk.ts';
import { nobodyElse, open, readEvents, ticketContext, type Parts } from './lives.ts';

export const lab = 'lab';
export const dispatchRun = 'run-T104';

/** What a crash leaves alone. */
export interface World {
  readonly store: MemoryPageStore;
  readonly log: CallLog;
  readonly desk: Desk;
  readonly deskTimer: HandTimer;
  readonly clock: HandClock;
  /** The tool whose calls meet the trouble; null: any. */
  readonly troubleAt: string | null;
  /** The events of the run, after each acknowledged commit. */
  readonly acknowledged: (readonly AgentEvent[])[];
  /** How often a person had a call in doubt made again, by key. */
  readonly calledAgainByHand: string[];
}

/** Time that stands still until a test turns it. */
export interface HandClock {
  now(): string;
  turnTo(utc: string): void;
  turnBy(milliseconds: number): void;
}

export function handClock(from = Date.UTC(2026, 0, 5, 9)): HandClock {
  let time = from;
  return {
    now: () => new Date(time).toISOString(),
    turnTo: (utc) => {
      time = Math.max(time, Date.parse(utc));
    },
    turnBy: (milliseconds) => {
      time += milliseconds;
    },
  };
}

/** `troubleAt`: the tool whose calls meet the desk's trouble; absent: any. */
export interface WorldSettings extends Partial<DeskSettings> {
  readonly troubleAt?: string;
}

/** `store`: copied; an empty lab, or what an earlier world left. */
export function newWorld(store: MemoryPageStore, settings: WorldSettings = {}): World {
  const { troubleAt, ...desk } = settings;
  const all = { ...defaultDeskSettings, ...desk };
  return worldOf(store, handClock(), all, troubleAt ?? null, [], { acknowledged: [], calledAgainByHand: [] });
}

/** Goes its own way from here. */
export async function copyOf(world: World): Promise<World> {
  const clock = handClock(Date.parse(world.clock.now()));
  return worldOf(world.store, clock, world.desk.rules.settings, world.troubleAt, await linesOf(world), {
    acknowledged: [...world.acknowledged],
    calledAgainByHand: [...world.calledAgainByHand],
  });
}

function worldOf(
  store: MemoryPageStore,
  clock: HandClock,
  settings: DeskSettings,
  troubleAt: string | null,
  lines: readonly ReceivedCall[],
  notes: Pick<World, 'acknowledged' | 'calledAgainByHand'>,
): World {
  const log = memoryCallLog(lines);
  const rules = new DeskRules();
  rules.set(settings);
  const deskTimer = handTimer();
  const desk = newDesk({ log, clock, rules, timer: deskTimer });
  return { store: store.copy(), log, clock, deskTimer, desk, troubleAt, ...notes };
}

/** The desk as one session's tools, with an engine's timer that ends whoever the desk lets wait too long. */
export function toolsAndTimer(world: World, plan: CrashPlan): { tools: Tools; timer: HandTimer } {
  const timer = handTimer();
  const longest = 10_000;
  const tools: Tools = {
    call: async (request, signal) => {
      plan.assertAlive();
      const { rules } = world.desk;
      const { trouble, delayMs } = rules.settings;
      const isSpared = trouble !== 'none' && world.troubleAt !== null && world.troubleAt !== request.tool;
      if (isSpared) rules.set({ ...rules.settings, trouble: 'none' });
      const answering = receiveCall(world.desk, lab, request, signal);
      if (isSpared) rules.set({ ...rules.settings, trouble });
      // Time passes while nobody answers: for the desk first, then for who waits.
      void Promise.resolve().then(async () => {
        await Promise.resolve();
        if (delayMs > 0 && delayMs < longest) world.deskTimer.pass(delayMs);
        else if (delayMs > 0) timer.pass(longest);
      });
      const answer = await answering;
      if (answer !== null) return answer;
      timer.pass(longest);
      return new Promise(() => undefined);
    },
    status: (request) => {
      plan.assertAlive();
      return receiveStatus(world.desk, lab, request);
    },
    destinationOf: () => null,
  };
  return { tools, timer };
}

export function engineIn(world: World, plan: CrashPlan, database: Engine['database']): Engine {
  return {
    ...toolsAndTimer(world, plan),
    database,
    clock: world.clock,
    random: () => 0.5,
    crash: plan,
    owners: nobodyElse,
    workflows,
    workerId: randomId(cryptoRandom),
    calls: new Map(),
  };
}

export interface DispatchLife {
  readonly crashedAt: string | null;
  readonly plan: CrashPlan;
  /** How the run stood when nothing was left to do; null after a crash. */
  readonly run: Run | null;
}

/** What a person does who looks at the desk's own log: what was done is entered, what was not is called again. */
async function lookAtTheDesk(world: World, key: string): Promise<Resolution> {
  const done = (await linesOf(world)).find((line) => line.key === key && line.work === 'done');
  if (done !== undefined) return { type: 'result', result: JSON.parse(done.answerJson) };
  world.calledAgainByHand.push(key);
  return { type: 'retry' };
}

/** Goes on until the run is completed or failed, or a crash. Opens the database anew, as a new session. */
export async function liveDispatch(
  parts: Parts,
  world: World,
  arms: readonly Arm[] = [],
): Promise<DispatchLife> {
  const plan = new CrashPlan(arms);
  let database: AgentDatabase | null = null;
  try {
    database = await open(parts, world.store, plan, world.clock);
    const engine = engineIn(world, plan, noting(database, world));
    const run = await goOn(engine, world);
    return { crashedAt: null, plan, run };
  } catch (error) {
    if (!(error instanceof SimulatedCrash)) throw error;
    return { crashedAt: error.boundary, plan, run: null };
  } finally {
    // A dead worker's memory is the browser's to free; here it is ours.
    await database?.close();
  }
}

async function goOn(engine: Engine, world: World): Promise<Run> {
  for (let turn = 0; turn < 60; turn += 1) {
    const found = await engine.database.read((reader) => ({
      run: loadRun(reader, dispatchRun),
      intents: intentsOf(reader, dispatchRun),
      approvals: approvalsOf(reader, dispatchRun),
    }));
    const { run } = found;
    if (run === undefined) {
      expectOk(await startRun(engine, 'T104', ticketContext, dispatch));
    } else if (run.status === 'running') {
      const stepped = await step(engine, dispatchRun);
      if (!stepped.ok && stepped.failure.type === 'AttemptNotDue')
        world.clock.turnTo(stepped.failure.dueAtUtc);
      else expectOk(stepped);
    } else if (run.status === 'waiting') {
      const asked = found.approvals.find(({ state }) => state === 'requested');
      const doubted = found.intents.find(({ state }) => state === 'in_doubt');
      if (asked) expectOk(await decideApproval(engine, asked.approvalId, asked.argumentsHash, 'given'));
      else if (doubted)
        expectOk(await resolveDoubt(engine, doubted.key, await lookAtTheDesk(world, doubted.key)));
      else throw new Error('the run waits for nobody');
    } else {
      return run;
    }
  }
  throw new Error('the run comes to no end');
}

function expectOk(result: Result<unknown>): void {
  if (!result.ok) throw new Error(`expected success: ${JSON.stringify(result.failure)}`);
}

/** The database, noting the events of each acknowledged commit. */
function noting(database: Engine['database'], world: World): Engine['database'] {
  return {
    read: (body) => database.read(body),
    commit: async (boundary, body) => {
      let events: AgentEvent[] = [];
      const result = await database.commit(boundary, (transaction) => {
        const done = body(transaction);
        events = readEvents(transaction, dispatchRun);
        return done;
      });
      if (result.ok) world.acknowledged.push(events);
      return result;
    },
  };
}

export async function linesOf(world: World): Promise<readonly ReceivedCall[]> {
  const lines = await world.log.list(lab);
  if (!lines.ok) throw new Error('the log can’t be read');
  return lines.value;
}
