/**
 * Owns: the demonstration in its worker: the same agent twice, once with its state in a plain object, once on the engine,
 * side by side at one pace.
 * Leaves: the pages and the world outside to the page (demo.ts); the engine to engine/.
 */
import { noCrash } from '../engine/crash.ts';
import { loadRun } from '../engine/checkpoint.ts';
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import { decodeJson, isJsonObject, type JsonObject } from '../engine/json.ts';
import type { Clock, Database, Reader } from '../engine/ports.ts';
import { runToEnd } from '../engine/runner.ts';
import { startRun } from '../engine/start.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import { ticketToJson, type Ticket } from '../triage/ticket.ts';
import { triage } from '../triage/workflow.ts';
import type { FromDemo, Lane, Stored } from './demo-messages.ts';

export interface LanePorts {
  readonly ticket: Ticket;
  readonly clock: Clock;
  readonly workerId: string;
  tell(message: FromDemo): void;
  /** The world outside, which is not in this worker. */
  call(lane: Lane, tool: string, toolArguments: JsonObject): Promise<JsonObject>;
  pause(): Promise<void>;
}

/** The agent with a dictionary. Whatever it knows is in `state`, and nowhere else. */
export async function memoryLane({ ticket, tell, call, pause }: LanePorts): Promise<void> {
  let state: JsonObject = { ticket: ticketToJson(ticket) };
  for (const action of triage.actions) {
    tell({ type: 'memory', remembered: { nextAction: action.name, state } });
    await pause();
    let result: JsonObject = {};
    if (action.tool) {
      result = await call('memory', action.tool.name, must(action.tool.arguments(state)));
      tell({
        type: 'memory',
        remembered: { nextAction: action.name, state: { ...state, [action.name]: result } },
      });
      await pause();
    }
    state = must(action.apply(state, result));
  }
  tell({ type: 'memory', remembered: { nextAction: null, state } });
}

/** The agent on the engine: it goes on with the run that is found, or starts one. */
export async function sqliteLane(database: AgentDatabase, ports: LanePorts): Promise<Result<unknown>> {
  const { ticket, clock, workerId, tell, call, pause } = ports;
  const runId = `run-${ticket.ticketId}`;
  const told = (found: boolean) =>
    database.read((reader) => {
      const stored = storedIn(reader, runId);
      if (stored) tell({ type: 'sqlite', stored, found });
    });
  const shown: Database = {
    read: (body) => database.read(body),
    commit: async (boundary, body) => {
      const done = await database.commit(boundary, body);
      await told(false);
      if (boundary !== 'resume' && !boundary.endsWith('.reuse')) await pause();
      return done;
    },
  };
  const engine: Engine = {
    database: shown,
    clock,
    timer: { after: () => () => undefined },
    random: () => 0.5,
    crash: noCrash,
    tools: {
      call: async ({ tool, arguments: toolArguments }) => ({
        type: 'done',
        result: await call('sqlite', tool, toolArguments),
      }),
      status: () => Promise.resolve({ type: 'cannot_tell', reason: 'nobody asks' }),
      destinationOf: () => null,
    },
    owners: {
      stateOf: () => Promise.resolve('dead'),
      hold: () => Promise.resolve(),
      letGo: () => undefined,
    },
    workflows: [triage],
    workerId,
    calls: new Map(),
  };
  const found = await database.read((reader) => loadRun(reader, runId));
  if (found) {
    await told(true);
    await pause();
  } else {
    const started = await startRun(engine, ticket.ticketId, { ticket: ticketToJson(ticket) });
    if (!started.ok) return started;
  }
  return found?.status === 'completed' ? { ok: true, value: found } : runToEnd(engine, runId);
}

function storedIn(reader: Reader, runId: string): Stored | null {
  const run = loadRun(reader, runId);
  if (run === undefined) return null;
  const counts = reader.get(
    `SELECT (SELECT COUNT(*) FROM agent_runs) AS runs, (SELECT COUNT(*) FROM agent_events) AS events,
       (SELECT COUNT(*) FROM tool_effects) AS effects`,
  );
  const context = decodeJson(run.contextJson)?.value;
  const reply = isJsonObject(context) ? context['reply'] : null;
  return {
    status: run.status,
    nextAction: run.nextAction,
    version: run.version,
    runs: Number(counts?.['runs']),
    events: Number(counts?.['events']),
    effects: Number(counts?.['effects']),
    reply: typeof reply === 'string' ? reply : null,
  };
}

/** The lesson's own ticket fits. */
function must<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.failure);
  return result.value;
}
