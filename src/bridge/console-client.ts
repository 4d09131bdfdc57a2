/**
 * Owns: the page's side of the SQL console: a worker of its own, and its end: when a query takes too long, when the
 * person no longer waits, when it fails, and when a query may have left something behind in it.
 * Leaves: running SQL to the worker; when to ask to lab/console/.
 * Invariant: every `run` and `look` settles, in bounded time; a worker that was ended is not heard any more.
 */
import type { Failure } from '../engine/failure.ts';
import type { FromConsole, SchemaTable, SqlAnswer, ToConsole } from './console-answer.ts';
import { whyStopped } from './stopped.ts';

/** The lab's database as it was after this commit. */
export interface Copy {
  readonly image: Uint8Array;
  readonly generation: number;
}

type Ended =
  /** The worker was ended, with whatever it was doing. */
  | { readonly type: 'cancelled' }
  | { readonly type: 'too-long'; readonly seconds: number }
  | { readonly type: 'failed'; readonly failure: Failure };

export type Looked = { readonly type: 'schema'; readonly tables: readonly SchemaTable[] } | Ended;
export type Ran =
  { readonly type: 'answer'; readonly answer: SqlAnswer; readonly refused: string | null } | Ended;

export interface ConsoleClient {
  /** Gives the copy to the worker, and tells what is in it. */
  look(copy: Copy, signal: AbortSignal): Promise<Looked>;
  /** Runs the SQL on the copy: `read`; or `try`: as it would be written. One at a time. */
  run(copy: Copy, how: 'read' | 'try', sql: string, signal: AbortSignal): Promise<Ran>;
  stop(): void;
}

export interface ConsoleParts {
  newWorker(): Worker;
  /** True when the time has passed, false when it was aborted. Milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
}

/** For a query. The program may take longer to arrive. */
export const secondsForQuery = 5;
const secondsToLoad = 30;

interface Live {
  readonly worker: Worker;
  hear: (message: FromConsole) => void;
  ready: boolean;
  /** What the worker has, and its schema. */
  copy: Copy | null;
  tables: readonly SchemaTable[];
}

export function consoleClient({ newWorker, wait }: ConsoleParts): ConsoleClient {
  let live: Live | null = null;

  function stop(): void {
    live?.worker.terminate();
    live = null;
  }
  /** Nobody waits for it: a worker that fails now is not asked again. */
  function idle({ type }: FromConsole): void {
    if (type === 'failed') stop();
  }
  function made(): Live {
    const worker = newWorker();
    const one: Live = { worker, hear: idle, ready: false, copy: null, tables: [] };
    worker.onmessage = (event: MessageEvent<FromConsole>) => {
      one.hear(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const failure: Failure =
        one.ready || event.message
          ? whyStopped(event.message || 'no reason was given')
          : { type: 'WorkerNotLoaded', worker: 'console' };
      one.hear({ type: 'failed', failure });
    };
    return one;
  }
  /** The worker's next message, or its end. `task` null: it speaks by itself. */
  async function next(
    one: Live,
    task: ToConsole | null,
    seconds: number,
    signal: AbortSignal,
  ): Promise<FromConsole | Ended> {
    const over = new AbortController();
    const told = new Promise<FromConsole | Ended>((resolve) => {
      const cancel = (): void => {
        resolve({ type: 'cancelled' });
      };
      one.hear = resolve;
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { signal: over.signal });
      void wait(seconds * 1000, over.signal).then((passed) => {
        if (passed) resolve({ type: 'too-long', seconds });
      });
    });
    if (task !== null && !signal.aborted) one.worker.postMessage(task);
    const message = await told;
    over.abort();
    one.hear = idle;
    if (message.type !== 'ready' && message.type !== 'schema' && message.type !== 'answer') stop();
    return message;
  }
  /** A worker that has the copy. */
  async function holding(copy: Copy, signal: AbortSignal): Promise<Live | Ended> {
    live ??= made();
    const one = live;
    if (!one.ready) {
      const message = await next(one, null, secondsToLoad, signal);
      if (message.type !== 'ready') return endOf(message);
      one.ready = true;
    }
    if (one.copy !== copy) {
      const message = await next(one, { type: 'copy', image: copy.image }, secondsToLoad, signal);
      if (message.type !== 'schema') return endOf(message);
      one.copy = copy;
      one.tables = message.tables;
    }
    return one;
  }

  return {
    look: async (copy, signal) => {
      const one = await holding(copy, signal);
      return 'worker' in one ? { type: 'schema', tables: one.tables } : one;
    },
    run: async (copy, how, sql, signal) => {
      const one = await holding(copy, signal);
      if (!('worker' in one)) return one;
      const message = await next(one, { type: how, sql }, secondsForQuery, signal);
      if (message.type !== 'answer') return endOf(message);
      if (message.answer.worn) stop();
      return { type: 'answer', answer: message.answer, refused: message.refused };
    },
    stop,
  };
}

function endOf(message: FromConsole | Ended): Ended {
  switch (message.type) {
    case 'cancelled':
    case 'too-long':
    case 'failed':
      return message;
    default:
      throw new Error(`the console’s worker said ${message.type} out of turn`);
  }
}
