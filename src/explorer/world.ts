/**
 * Owns: the surroundings of the explorer's runs, all in memory: an outside world with its log of calls, a clock that
 * moves a second a reading, and what of them a crash leaves behind.
 * Leaves: the engine in it to session.ts.
 */
import { fail } from '../engine/failure.ts';
import type { Clock, CrashPort, Tools } from '../engine/ports.ts';
import type { MemoryPageStore } from '../storage/memory-page-store.ts';
import type { ToolHandler } from '../world/desk.ts';

/** A call that reached the world outside, as a line of its log. */
export interface Reached {
  readonly key: string;
  readonly tool: string;
  readonly atUtc: string;
  /** What it answered, as JSON; or why it failed. */
  readonly answer: string;
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
}

/** The time of the first reading: the same in every exploration, so that its traces can be compared. */
export const firstInstant = Date.UTC(2026, 0, 5, 9);

export function surroundings(
  left: Pick<Left, 'calls' | 'time'>,
  handlers: Readonly<Record<string, ToolHandler>>,
  crash: CrashPort,
): Surroundings {
  let { time } = left;
  const calls = [...left.calls];
  return {
    calls,
    time: () => time,
    clock: {
      now: () => {
        time += 1000;
        return new Date(time).toISOString();
      },
    },
    tools: {
      call: ({ key, tool, arguments: toolArguments }) => {
        crash.assertAlive();
        const answer = handlers[tool]?.(toolArguments) ?? fail(`there is no tool ${tool}`);
        const said = answer.ok ? JSON.stringify(answer.value) : answer.failure;
        calls.push({ key, tool, atUtc: new Date(time).toISOString(), answer: said });
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
