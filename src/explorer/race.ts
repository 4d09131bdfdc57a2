/**
 * Owns: two workers over one store that take up the same run at the same version: a schedule of their moves carried out,
 * and all 70 orders of four moves each.
 * Leaves: a worker's own moves to racer.ts.
 */
import { loadRun } from '../engine/checkpoint.ts';
import { CrashPlan } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import type { Workflow } from '../engine/workflow.ts';
import { step } from '../engine/runner.ts';
import { startRun } from '../engine/start.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { MemoryPageStore } from '../storage/memory-page-store.ts';
import { ticketToJson, type Ticket } from '../triage/ticket.ts';
import { triage } from '../triage/workflow.ts';
import { evidenceOf, type Evidence } from './evidence.ts';
import { moves, racer, type Did, type Move, type Racer } from './racer.ts';
import { emptyLab, runIdOf, type ExplorerParts } from './session.ts';
import { surroundings, type Left, type Reached, type Surroundings } from './world.ts';

export const racers = ['A', 'B'] as const;
export type RacerName = (typeof racers)[number];

export interface RaceRules {
  /** The UPDATE says `AND version = ?`. */
  readonly guard: boolean;
  /** The call is intended and claimed, durably, before it is made (effects.ts). */
  readonly claimFirst: boolean;
}

export interface RaceMove {
  readonly racer: RacerName;
  readonly move: Move;
}

export interface RaceTrace {
  readonly moves: readonly (RaceMove & {
    readonly did: Did;
    /** What is stored after it. */
    readonly version: number;
    readonly generation: number;
  })[];
  readonly standing: Readonly<Record<RacerName, Move | null>>;
  readonly evidence: Evidence;
  /** What the world outside received. */
  readonly calls: readonly Reached[];
}

/** Every order of four moves of A and four of B: `AAAABBBB`, … , `BBBBAAAA`. */
export const orders: readonly string[] = (function from(as: number, bs: number): string[] {
  if (as + bs === 0) return [''];
  const withA = as > 0 ? from(as - 1, bs).map((rest) => `A${rest}`) : [];
  return [...withA, ...(bs > 0 ? from(as, bs - 1).map((rest) => `B${rest}`) : [])];
})(moves.length, moves.length);

export function movesOf(order: string): RaceMove[] {
  const made = { A: 0, B: 0 };
  return [...order].flatMap((letter) => {
    const name = letter === 'B' ? 'B' : 'A';
    const move = moves[made[name]];
    made[name] += 1;
    return move === undefined ? [] : [{ racer: name, move }];
  });
}

export interface Race {
  run(schedule: readonly RaceMove[]): Promise<RaceTrace>;
}

/** The action that both are after. */
export const racedAction = 'lookup_runbook';

export async function race(parts: ExplorerParts, ticket: Ticket, rules: RaceRules): Promise<Race> {
  const workflow = rules.claimFirst ? claiming : triage;
  const from = await atVersionOne(parts, ticket, workflow);
  return { run: (schedule) => carriedOut(parts, runIdOf(ticket), rules, workflow, from, schedule) };
}

/** The lesson's workflow, with the lookup made as a call of the world outside. */
const claiming: Workflow = {
  ...triage,
  tools: [
    {
      name: racedAction,
      safety: 'idempotent',
      check: () => null,
      approval: () => null,
      timeLimit: 10_000,
      attempts: 4,
      secrets: [],
    },
  ],
  actions: triage.actions.map((action) => {
    const { tool } = action;
    if (action.name !== racedAction || tool === null) return action;
    return {
      ...action,
      tool: null,
      calls: (context) => {
        const made = tool.arguments(context);
        return made.ok ? { ok: true, value: [{ id: null, tool: tool.name, arguments: made.value }] } : made;
      },
    };
  }),
};

/** A run that a session, which is dead by now, has brought to the lookup. */
async function atVersionOne(parts: ExplorerParts, ticket: Ticket, workflow: Workflow): Promise<Left> {
  const empty = await emptyLab(parts);
  const store = empty.store.copy();
  const world = surroundings(empty, parts.handlers, new CrashPlan());
  const database = await opened(parts, store, world);
  const engine = engineOver(database, world, workflow, 'worker-1', 'dead');
  const started = await startRun(engine, ticket.ticketId, { ticket: ticketToJson(ticket) });
  const stepped = started.ok ? await step(engine, started.value.runId) : started;
  if (!stepped.ok) throw new Error(`the race has no start: ${stepped.failure.type}`);
  await database.close();
  return { store, durable: store.generation, calls: [], time: world.time(), sessions: 1 };
}

async function carriedOut(
  parts: ExplorerParts,
  runId: string,
  rules: RaceRules,
  workflow: Workflow,
  from: Left,
  schedule: readonly RaceMove[],
): Promise<RaceTrace> {
  const store = from.store.copy();
  const world = surroundings(from, parts.handlers, new CrashPlan());
  const [first, second] = [await opened(parts, store, world), await opened(parts, store, world)];
  const racing = (database: AgentDatabase, worker: string): Racer =>
    racer({ ...engineOver(database, world, workflow, worker, 'alive'), database }, runId, rules);
  const both = { A: racing(first, 'worker-A'), B: racing(second, 'worker-B') };
  const databases = { A: first, B: second };
  const done: RaceTrace['moves'][number][] = [];
  try {
    for (const { racer: name, move } of schedule) {
      const did = await both[name].go(move);
      // Also a move that did nothing shows what the other one has stored since.
      await databases[name].refresh();
      const version = await databases[name].read((reader) => loadRun(reader, runId)?.version ?? 0);
      done.push({ racer: name, move, did, version, generation: databases[name].state.generation });
    }
    await first.refresh();
    const evidence = await first.read((reader) => evidenceOf(reader, runId));
    const standing = { A: both.A.standing, B: both.B.standing };
    return { moves: done, standing, evidence, calls: [...world.calls] };
  } finally {
    await first.close();
    await second.close();
  }
}

async function opened(
  { sqlite, checksum, random }: ExplorerParts,
  store: MemoryPageStore,
  { clock }: Surroundings,
): Promise<AgentDatabase> {
  const database = await openDatabase({ sqlite, checksum, random, store, crash: new CrashPlan(), clock });
  if (!database.ok) throw new Error(`the race’s database does not open: ${database.failure.type}`);
  return database.value;
}

function engineOver(
  database: AgentDatabase,
  { clock, tools }: Surroundings,
  workflow: Workflow,
  workerId: string,
  others: 'alive' | 'dead',
): Engine {
  return {
    database,
    clock,
    tools,
    timer: { after: () => () => undefined },
    random: () => 0.5,
    crash: new CrashPlan(),
    owners: {
      stateOf: () => Promise.resolve(others),
      hold: () => Promise.resolve(),
      letGo: () => undefined,
    },
    workflows: [workflow],
    workerId,
    calls: new Map(),
  };
}
