/**
 * Owns: workers over one stored database, in a world outside that a test scripts call by call: who answers what, who is
 * asked, who lives. What survives a worker is the page store, the clock and the outside.
 * Leaves: the desk as the page has it to desk.ts and dispatch-lives.ts.
 */
import { decideApproval, approvalsOf, type Approval } from '../../src/engine/approvals.ts';
import { attemptsOf, type Attempt } from '../../src/engine/attempts.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import type { Arm } from '../../src/engine/crash.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { succeed, type Result } from '../../src/engine/failure.ts';
import { intentsOf, type Intent } from '../../src/engine/intents.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { KeyStatus, Owners, Row, SqlValue, ToolAnswer, ToolRequest } from '../../src/engine/ports.ts';
import type { AgentEvent, Run } from '../../src/engine/records.ts';
import { step } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import type { OutsideCall, OutsideTool } from '../../src/engine/tool.ts';
import type { Action, Workflow } from '../../src/engine/workflow.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import type { PageStore } from '../../src/storage/page-store.ts';
import { handTimer, type HandTimer } from './desk.ts';
import { handClock, type HandClock } from './dispatch-lives.ts';
import { emptyStore, must, open, readEvents, testParts, type Parts } from './lives.ts';

/** The run that every test works on, and the key of its one call. */
export const workRun = 'run-T1';
export const workKey = 'run-T1:work';

/** A tool `act`: idempotent, never to be approved, three attempts, ten seconds. */
export function actTool(over: Partial<OutsideTool> = {}): OutsideTool {
  return {
    name: 'act',
    safety: 'idempotent',
    check: () => null,
    approval: () => null,
    timeLimit: 10_000,
    attempts: 3,
    secrets: [],
    ...over,
  };
}

type Calls = NonNullable<Action['calls']>;

/** One call of `act`, with what the context holds under `order`. */
const oneCall: Calls = ({ order = 'tea' }) => succeed([{ id: null, tool: 'act', arguments: { order } }]);

/** Two actions: `work`, which makes the calls, and `end`. The result is kept under `work`. */
export function workflowWith(
  tools: readonly OutsideTool[] = [actTool()],
  { calls = oneCall, budgets }: { calls?: Calls; budgets?: Workflow['budgets'] } = {},
): Workflow {
  return {
    name: 'work',
    version: 1,
    tools,
    ...(budgets && { budgets }),
    actions: [
      {
        name: 'work',
        next: 'end',
        tool: null,
        calls,
        apply: (context, result) => succeed({ ...context, work: result }),
      },
      { name: 'end', next: null, tool: null, apply: (context) => succeed(context) },
    ],
  };
}

/** Calls of `act`, told apart by their ids. */
export function callsOf(...calls: readonly (readonly [id: string, order: string])[]): Calls {
  return () => succeed(calls.map(([id, order]): OutsideCall => ({ id, tool: 'act', arguments: { order } })));
}

type Script = ToolAnswer | ((request: ToolRequest, signal: AbortSignal) => ToolAnswer | Promise<ToolAnswer>);

export const done = (result: JsonObject = { ok: true }): ToolAnswer => ({ type: 'done', result });
export const failed = (reason = 'down', retryable = true, after?: number): ToolAnswer => ({
  type: 'failed',
  reason,
  retryable,
  ...(after !== undefined && { after }),
});
export const unknown = (reason = 'cut off'): ToolAnswer => ({ type: 'unknown', reason });

/** An answer that the test gives when it likes. `left` resolves when the call has left. */
export function heldBack(): { script: Script; left: Promise<ToolRequest>; give(answer: ToolAnswer): void } {
  let give: (answer: ToolAnswer) => void = () => undefined;
  let leave: (request: ToolRequest) => void = () => undefined;
  const answer = new Promise<ToolAnswer>((resolve) => {
    give = resolve;
  });
  const left = new Promise<ToolRequest>((resolve) => {
    leave = resolve;
  });
  return {
    script: (request) => {
      leave(request);
      return answer;
    },
    left,
    give: (given) => {
      give(given);
    },
  };
}

export interface Outside {
  readonly parts: Parts;
  readonly store: MemoryPageStore;
  readonly clock: HandClock;
  /** What was called, and what was asked for its status, in order. */
  readonly calls: ToolRequest[];
  readonly asked: ToolRequest[];
  /** Taken one after the other; when none is left, every call is answered well. */
  readonly answers: Script[];
  /** What the other side says when it is asked. */
  status: KeyStatus;
  /** Can a worker tell whether another one lives? */
  hasLocks: boolean;
  /** Where new intents are sent. */
  destination: string | null;
  /** Keys that living workers hold. */
  readonly held: Map<string, Set<string>>;
}

let prepared: Promise<{ parts: Parts; empty: MemoryPageStore }> | null = null;

async function prepare() {
  const parts = await testParts();
  return { parts, empty: await emptyStore(parts) };
}

/** An empty lab and a world that is kind, until it is scripted otherwise. */
export async function newOutside(): Promise<Outside> {
  prepared ??= prepare();
  const { parts, empty } = await prepared;
  return {
    parts,
    store: empty.copy(),
    clock: handClock(),
    calls: [],
    asked: [],
    answers: [],
    status: { type: 'cannot_tell', reason: 'it keeps no book' },
    hasLocks: true,
    destination: null,
    held: new Map(),
  };
}

export interface Worker {
  readonly engine: Engine;
  readonly database: AgentDatabase;
  readonly plan: CrashPlan;
  readonly timer: HandTimer;
  /** Its locks go with it. Nothing of it runs any more. */
  die(): void;
}

export interface WorkerOptions {
  readonly workflows?: readonly Workflow[];
  readonly store?: PageStore;
  readonly arms?: readonly Arm[];
  readonly engine?: Partial<Engine>;
}

let workers = 0;

export async function workerIn(world: Outside, options: WorkerOptions = {}): Promise<Worker> {
  const plan = new CrashPlan(options.arms ?? []);
  const database = await open(world.parts, options.store ?? world.store, plan, world.clock);
  workers += 1;
  const workerId = `worker-${String(workers)}`;
  const timer = handTimer();
  const engine: Engine = {
    database,
    clock: world.clock,
    timer,
    random: () => 0.5,
    crash: plan,
    owners: ownersIn(world, workerId),
    workflows: options.workflows ?? [workflowWith()],
    workerId,
    calls: new Map(),
    tools: {
      call: async (request, signal) => {
        plan.assertAlive();
        world.calls.push(request);
        const script = world.answers.shift() ?? done();
        const answer = await (typeof script === 'function' ? script(request, signal) : script);
        // The dead hear nothing.
        if (plan.crashedAt !== null) return new Promise(() => undefined);
        return answer;
      },
      status: (request) => {
        plan.assertAlive();
        world.asked.push(request);
        return Promise.resolve(world.status);
      },
      destinationOf: () => world.destination,
    },
    ...options.engine,
  };
  return {
    engine,
    database,
    plan,
    timer,
    die: () => {
      plan.crashedAt ??= 'killed';
      world.held.delete(workerId);
    },
  };
}

function ownersIn(world: Outside, workerId: string): Owners {
  return {
    stateOf: (worker) =>
      Promise.resolve(!world.hasLocks ? 'unknown' : world.held.has(worker) ? 'alive' : 'dead'),
    hold: (key) => {
      world.held.set(workerId, (world.held.get(workerId) ?? new Set()).add(key));
      return Promise.resolve();
    },
    letGo: (key) => {
      const keys = world.held.get(workerId);
      keys?.delete(key);
      if (keys?.size === 0) world.held.delete(workerId);
    },
  };
}

/** A worker with the run started, at its action `work`. */
export async function startedIn(
  world: Outside,
  options: WorkerOptions = {},
  context: JsonObject = {},
): Promise<Worker> {
  const worker = await workerIn(world, options);
  must(await startRun(worker.engine, 'T1', context));
  return worker;
}

export const stepOf = ({ engine }: Worker): Promise<Result<Run>> => step(engine, workRun);

/** All that is stored of the run, as a later session would see it. */
export interface Stored {
  readonly run: Run;
  readonly events: readonly AgentEvent[];
  readonly types: readonly string[];
  readonly intents: readonly Intent[];
  readonly approvals: readonly Approval[];
  readonly attempts: readonly Attempt[];
  readonly effects: readonly Row[];
  readonly budgets: Readonly<Record<string, readonly [used: unknown, allowed: unknown]>>;
  /** Ids of the invariants that do not hold. */
  readonly violated: readonly string[];
}

export async function storedIn(
  world: Outside,
  runId = workRun,
  workflows: readonly Workflow[] = [workflowWith()],
): Promise<Stored> {
  const database = await open(world.parts, world.store, new CrashPlan(), world.clock);
  const stored = await database.read((reader): Stored => {
    const run = loadRun(reader, runId);
    if (run === undefined) throw new Error(`${runId} is gone`);
    const events = readEvents(reader, runId);
    const intents = intentsOf(reader, runId);
    const budgets = reader.all('SELECT * FROM run_budgets WHERE run_id = ?', [runId]);
    return {
      run,
      events,
      types: events.map(({ eventType }) => eventType),
      intents,
      approvals: approvalsOf(reader, runId),
      attempts: intents.flatMap(({ key }) => attemptsOf(reader, key)),
      effects: reader.all('SELECT * FROM tool_effects ORDER BY rowid'),
      budgets: Object.fromEntries(
        budgets.map((row) => [String(row['resource']), [row['used'], row['allowed']]] as const),
      ),
      violated: invariantsOf(workflows, [])
        .filter(({ sql, values }) => reader.all(sql, values).length > 0)
        .map(({ id }) => id),
    };
  });
  await database.close();
  return stored;
}

/** What another program, or a hostile file, does to the tables behind the engine's back. */
export async function tamper(
  { database }: Pick<Worker, 'database'>,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<void> {
  must(
    await database.commit('tamper', (transaction) => {
      transaction.run('PRAGMA defer_foreign_keys = ON');
      return succeed(transaction.run(sql, values));
    }),
  );
}

/** A person's word on the only request that is open. */
export async function decide(
  world: Outside,
  { engine, database }: Worker,
  decision: 'given' | 'denied',
): Promise<Result<Run>> {
  must(await database.refresh());
  const { approvals } = await storedIn(world);
  const asked = approvals.filter(({ state }) => state === 'requested');
  const [first] = asked;
  if (first === undefined || asked.length > 1) throw new Error(`${String(asked.length)} requests are open`);
  return decideApproval(engine, first.approvalId, first.argumentsHash, decision);
}
