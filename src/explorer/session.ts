/**
 * Owns: one session of the explorer: it opens what is stored, starts or goes on with the run, and ends with it or in a
 * crash. The engine, the database and their boundaries are those of the lab.
 * Leaves: where to crash, and what follows, to explore.ts.
 */
import { loadRun } from '../engine/checkpoint.ts';
import { CrashPlan, SimulatedCrash } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import type { Run } from '../engine/records.ts';
import type { CrashPort } from '../engine/ports.ts';
import { startRun } from '../engine/start.ts';
import type { Variant } from '../mistakes/variant.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import type { Checksum } from '../storage/checksum.ts';
import { openDatabase } from '../storage/open-database.ts';
import { MemoryPageStore } from '../storage/memory-page-store.ts';
import type { Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import type { Ticket } from '../triage/ticket.ts';
import { ticketToJson } from '../triage/ticket.ts';
import type { Workflow } from '../engine/workflow.ts';
import { workflows } from '../triage/workflows.ts';
import type { RemoteHandler, ToolHandler } from '../world/desk.ts';
import { decide } from './person.ts';
import type { Left, Surroundings } from './world.ts';
import { firstInstant, surroundings } from './world.ts';

export interface ExplorerParts {
  readonly sqlite: Sqlite;
  readonly checksum: Checksum;
  readonly random: Random;
  readonly handlers: Readonly<Record<string, ToolHandler>>;
  readonly remote: Readonly<Record<string, RemoteHandler>>;
}

export interface Subject {
  readonly ticket: Ticket;
  readonly variant: Variant;
  /** Absent: the lesson's. A mistake is one of the lesson's. */
  readonly workflow?: Workflow;
}

/** Told at each boundary, before anything happens there. */
export type Watch = (boundary: string, now: () => Left) => void;

export interface Session {
  readonly crashedAt: string | null;
  readonly left: Left;
  /** Why the session went no further, though nothing crashed. */
  readonly failure: Failure | null;
}

/** More steps, and turns of a person, than any run has. */
const mostTurns = 40;

/** A lab without runs, to begin with. */
export async function emptyLab(parts: ExplorerParts): Promise<Left> {
  const store = new MemoryPageStore();
  const database = await opened(parts, store, new CrashPlan(), {
    now: () => new Date(firstInstant).toISOString(),
  });
  await database.close();
  return { store, durable: database.state.generation, calls: [], time: firstInstant, sessions: 0 };
}

/** One session from `from`, which is not changed. `crashAt` null: to the end. */
export async function runSession(
  parts: ExplorerParts,
  subject: Subject,
  from: Left,
  crashAt: string | null,
  watch: Watch = () => undefined,
): Promise<Session> {
  const plan = new CrashPlan(crashAt === null ? [] : [{ boundary: crashAt, every: false }]);
  const store = from.store.copy();
  const world = surroundings(from, parts.handlers, plan, parts.remote);
  const now = (): Left => ({
    store: store.copy(),
    durable: store.generation,
    calls: [...world.calls],
    time: world.time(),
    sessions: from.sessions + 1,
  });
  const crash: CrashPort = {
    reach: (boundary) => {
      watch(boundary, now);
      plan.reach(boundary);
    },
    assertAlive: () => {
      plan.assertAlive();
    },
  };
  let database: AgentDatabase | null = null;
  try {
    database = await opened(parts, store, crash, world.clock);
    const engine: Engine = {
      database,
      clock: world.clock,
      tools: world.tools,
      timer: { after: () => () => undefined },
      random: () => (from.sessions + 1) / 1000,
      crash,
      owners: {
        stateOf: () => Promise.resolve('dead'),
        hold: () => Promise.resolve(),
        letGo: () => undefined,
      },
      workflows,
      workerId: `worker-${String(from.sessions + 1)}`,
      calls: new Map(),
    };
    return { crashedAt: null, failure: await goOn(engine, world, subject), left: now() };
  } catch (error) {
    if (!(error instanceof SimulatedCrash)) throw error;
    return { crashedAt: error.boundary, failure: null, left: now() };
  } finally {
    // A dead worker's memory is the browser's to free; here it is ours.
    await database?.close();
  }
}

export function runIdOf({ ticketId }: Ticket): string {
  return `run-${ticketId}`;
}

async function goOn(
  engine: Engine,
  world: Surroundings,
  { ticket, variant, workflow }: Subject,
): Promise<Failure | null> {
  const runId = runIdOf(ticket);
  const found = await engine.database.read((reader) => loadRun(reader, runId));
  const context = { ticket: ticketToJson(ticket) };
  const begun = found ? succeed(found) : await startRun(engine, ticket.ticketId, context, workflow);
  if (!begun.ok) return begun.failure;
  let run = begun.value;
  const step = variant.newSession();
  for (let turns = 0; turns < mostTurns; turns += 1) {
    if (run.status !== 'running' && run.status !== 'waiting') return null;
    const gone: Result<Run> =
      run.status === 'waiting' ? await decide(engine, world, run) : await step(engine, runId);
    if (gone.ok) run = gone.value;
    else if (gone.failure.type === 'AttemptNotDue') world.turnTo(gone.failure.dueAtUtc);
    else return gone.failure;
  }
  return null;
}

async function opened(
  { sqlite, checksum, random }: ExplorerParts,
  store: MemoryPageStore,
  crash: CrashPort,
  clock: Engine['clock'],
): Promise<AgentDatabase> {
  const database = await openDatabase({ sqlite, checksum, random, store, crash, clock });
  if (!database.ok) throw new Error(`the explorer’s database does not open: ${database.failure.type}`);
  return database.value;
}
