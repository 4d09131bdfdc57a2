/**
 * Owns: the same inputs again, from a checkpoint of a run on: its context, the saved answers of its tools, the times and
 * the ends of its sessions. The engine must give the same events.
 * Leaves: where the record comes from, and what a difference means, to bridge/replay-messages.ts.
 *
 * The lab's own engine works, over a memory of its own: nothing of the lab is touched, and nobody outside is called.
 */
import { SimulatedCrash } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import { succeed } from '../engine/failure.ts';
import type { CrashPort, Tools, Transaction } from '../engine/ports.ts';
import type { AgentEvent, Effect, Run } from '../engine/records.ts';
import { effectFromRow, eventFromRow } from '../engine/records.ts';
import { decodeJson, isJsonObject } from '../engine/json.ts';
import { loadRun } from '../engine/checkpoint.ts';
import { step } from '../engine/runner.ts';
import { insertRun } from '../engine/start.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import { openDatabase } from '../storage/open-database.ts';
import { MemoryPageStore } from '../storage/memory-page-store.ts';
import { triage } from '../triage/workflow.ts';
import type { ExplorerParts } from './session.ts';

/** What is replayed. */
export interface Recording {
  /** As it stood at the checkpoint. */
  readonly run: Run;
  /** All of the run's, in order. */
  readonly events: readonly AgentEvent[];
  /** How many of them were there at the checkpoint. */
  readonly before: number;
  /** All of the run's: those that are saved after the checkpoint are the tools' answers. */
  readonly effects: readonly Effect[];
}

export interface Replayed {
  readonly run: Run;
  readonly events: readonly AgentEvent[];
  readonly effects: readonly Effect[];
  /** Why it went no further, in the failure's name; null: it did what the record did. */
  readonly stuck: string | null;
}

/** More steps than any session of a record has. */
const mostSteps = 10_000;

export async function replay(parts: ExplorerParts, recording: Recording): Promise<Replayed> {
  const { run, events, before } = recording;
  const store = new MemoryPageStore();
  let written = before;
  /** What is written next has the time that it had. */
  const clock = { now: () => (events[written] ?? events.at(-1))?.createdAtUtc ?? '' };
  let stuck: string | null = null;
  await inDatabase(parts, store, clock, quiet, (database) => setUp(database, recording));

  for (const { session, last } of sessionsAfter(events, before)) {
    /** The session ends when it has written what it wrote then. A crash unwinds nothing. */
    let isOver = false;
    const crash: CrashPort = {
      reach: (boundary) => {
        if (boundary.endsWith('.event_appended')) written += 1;
        isOver ||= written >= last && boundary.endsWith('.durable');
        if (isOver) throw new SimulatedCrash(boundary);
      },
      assertAlive: () => {
        if (isOver) throw new SimulatedCrash('the end of the session');
      },
    };
    await inDatabase(parts, store, clock, crash, async (database) => {
      const engine = engineOf(database, clock, crash, answersOf(recording), session);
      for (let steps = 0; stuck === null && steps < mostSteps; steps += 1) {
        const stepped = await step(engine, run.runId);
        if (!stepped.ok) stuck = stepped.failure.type;
        else if (stepped.value.status !== 'running') return;
      }
    });
    if (stuck !== null) break;
  }
  const told = await inDatabase(parts, store, clock, quiet, (database) => readAll(database, run));
  if (told === null) throw new Error('reading what was replayed came to no end');
  return { ...told, stuck };
}

const quiet: CrashPort = { reach: () => undefined, assertAlive: () => undefined };

/** Runs of events of one session, and how many events there are at the end of each. */
function sessionsAfter(events: readonly AgentEvent[], before: number) {
  const sessions: { session: string; last: number }[] = [];
  for (const [at, { session }] of events.entries()) {
    if (at < before) continue;
    const current = sessions.at(-1);
    if (current?.session === session) current.last = at + 1;
    else sessions.push({ session, last: at + 1 });
  }
  return sessions;
}

/** Null: the session has ended in the middle. */
async function inDatabase<T>(
  { sqlite, checksum, random }: ExplorerParts,
  store: MemoryPageStore,
  clock: Engine['clock'],
  crash: CrashPort,
  work: (database: AgentDatabase) => Promise<T>,
): Promise<T | null> {
  // Each session opens what is stored: the memory of the one before is gone.
  const opened = await openDatabase({ sqlite, checksum, random, store, crash, clock });
  if (!opened.ok) throw new Error(`the replay’s database does not open: ${opened.failure.type}`);
  try {
    return await work(opened.value);
  } catch (error) {
    if (!(error instanceof SimulatedCrash)) throw error;
    return null;
  } finally {
    await opened.value.close();
  }
}

/** The rows that were there at the checkpoint, and the labels of all sessions, so that none is drawn anew. */
async function setUp(database: AgentDatabase, { run, events, before, effects }: Recording): Promise<void> {
  const there = events.slice(0, before);
  const saved = new Set(there.filter(isSaving).map(({ detail }) => detail));
  const engine = engineOf(database, { now: () => '' }, quiet, nobody, '');
  await database.commit('replay', (transaction) => {
    insertRun(engine, transaction, 'replay', run, triage);
    for (const event of there) insertEvent(transaction, event);
    for (const effect of effects) if (saved.has(effect.idempotencyKey)) insertEffect(transaction, effect);
    for (const session of new Set(events.map((event) => event.session))) {
      const number = Number(/^session-(\d{1,9})$/.exec(session)?.[1]);
      transaction.run('INSERT INTO agent_sessions (worker, number) VALUES (?, ?)', [session, number]);
    }
    return succeed(null);
  });
}

const isSaving = ({ eventType }: AgentEvent): boolean => eventType === 'tool_executed';

function insertEvent(transaction: Transaction, event: AgentEvent): void {
  const { runId, sequence, session, eventType, action, detail, createdAtUtc } = event;
  transaction.run(
    `INSERT INTO agent_events (run_id, sequence, session, event_type, action, detail, created_at_utc)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [runId, sequence, session, eventType, action, detail, createdAtUtc],
  );
}

function insertEffect(transaction: Transaction, { idempotencyKey, toolName, resultJson }: Effect): void {
  transaction.run('INSERT INTO tool_effects (idempotency_key, tool_name, result_json) VALUES (?, ?, ?)', [
    idempotencyKey,
    toolName,
    resultJson,
  ]);
}

/** The saved results are what the tools answer. Nobody is called. */
function answersOf({ effects }: Recording): Tools['call'] {
  return ({ key }) => {
    const saved = effects.find((effect) => effect.idempotencyKey === key);
    const result = decodeJson(saved?.resultJson ?? '')?.value;
    return Promise.resolve(
      isJsonObject(result)
        ? { type: 'done', result }
        : { type: 'failed', reason: `the record holds no answer under ${key}`, retryable: false },
    );
  };
}

const nobody: Tools['call'] = () => Promise.resolve({ type: 'unknown', reason: 'nobody is called' });

function engineOf(
  database: AgentDatabase,
  clock: Engine['clock'],
  crash: CrashPort,
  call: Tools['call'],
  workerId: string,
): Engine {
  return {
    database,
    clock,
    crash,
    workerId,
    tools: {
      call,
      status: () => Promise.resolve({ type: 'cannot_tell', reason: 'nobody asks' }),
      destinationOf: () => null,
    },
    timer: { after: () => () => undefined },
    random: () => 0.5,
    owners: { stateOf: () => Promise.resolve('dead'), hold: () => Promise.resolve(), letGo: () => undefined },
    workflows: [triage],
    calls: new Map(),
  };
}

function readAll(database: AgentDatabase, { runId, ...before }: Run): Promise<Omit<Replayed, 'stuck'>> {
  return database.read((reader) => ({
    run: loadRun(reader, runId) ?? { runId, ...before },
    events: reader
      .all('SELECT * FROM agent_events WHERE run_id = ? ORDER BY sequence', [runId])
      .map(eventFromRow),
    effects: reader.all('SELECT * FROM tool_effects ORDER BY rowid').map(effectFromRow),
  }));
}
