/**
 * Owns: the surroundings of the explorer's runs, all in memory: an outside world with its log of calls, which honours
 * idempotency keys where its work changes something; a clock that moves a second a reading; what of them a crash leaves.
 * Leaves: the engine in it to session.ts.
 */
import { fail, succeed } from '../engine/failure.ts';
import type { Clock, CrashPort, Tools } from '../engine/ports.ts';
import type { MemoryPageStore } from '../storage/memory-page-store.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Result } from '../engine/failure.ts';
import type { RemoteHandler, ToolHandler } from '../world/desk.ts';

/** A call that reached the world outside, as a line of its log. */
export interface Reached {
  readonly key: string;
  readonly tool: string;
  readonly atUtc: string;
  /** What it answered, as JSON; or why it failed. */
  readonly answer: string;
  /** `recognised`: the work was done before under this key, and is answered again. */
  readonly work: 'done' | 'recognised' | 'failed';
}

/** Everything that outlives a session. Plain: it can be copied at any instant. */
export interface Left {
  readonly store: MemoryPageStore;
  /** Number of the last durable commit. */
  readonly durable: number;
  readonly calls: readonly Reached[];
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Sessions so far. */
  readonly sessions: number;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly tools: Tools;
  readonly calls: Reached[];
  readonly time: () => number;
  /** Lets time go by until then, where it is later. */
  readonly turnTo: (utc: string) => void;
}

/** The time of the first reading: the same in every exploration, so that its traces can be compared. */
export const firstInstant = Date.UTC(2026, 0, 5, 9);

export function surroundings(
  left: Pick<Left, 'calls' | 'time'>,
  handlers: Readonly<Record<string, ToolHandler>>,
  crash: CrashPort,
  remote: Readonly<Record<string, RemoteHandler>> = {},
): Surroundings {
  let { time } = left;
  const calls = [...left.calls];
  function answered(
    key: string,
    tool: string,
    toolArguments: JsonObject,
  ): readonly [Reached['work'], Result<JsonObject, string>] {
    const far = remote[tool];
    if (far === undefined) {
      const answer = handlers[tool]?.(toolArguments) ?? fail(`there is no tool ${tool}`);
      return [answer.ok ? 'done' : 'failed', answer];
    }
    const done = calls.filter((call) => call.tool === tool && call.work === 'done');
    const before = done.find((call) => call.key === key);
    if (before !== undefined) return ['recognised', succeed(JSON.parse(before.answer) as JsonObject)];
    const answer = far(toolArguments, done.length);
    return [answer.ok ? 'done' : 'failed', answer];
  }
  return {
    calls,
    time: () => time,
    turnTo: (utc) => {
      time = Math.max(time, Date.parse(utc));
    },
    clock: {
      now: () => {
        time += 1000;
        return new Date(time).toISOString();
      },
    },
    tools: {
      call: ({ key, tool, arguments: toolArguments }) => {
        crash.assertAlive();
        const [work, answer] = answered(key, tool, toolArguments);
        const said = answer.ok ? JSON.stringify(answer.value) : answer.failure;
        calls.push({ key, tool, atUtc: new Date(time).toISOString(), answer: said, work });
        return Promise.resolve(
          answer.ok
            ? { type: 'done', result: answer.value }
            : { type: 'failed', reason: answer.failure, retryable: false },
        );
      },
      status: () => Promise.resolve({ type: 'cannot_tell', reason: 'nobody asks' }),
      destinationOf: () => null,
    },
  };
}
