/**
 * Owns: the page's side of the demonstration: what outlives the worker (the pages of the database, the world outside with
 * its count of calls), a worker, and its death. Loaded when the demonstration is run.
 */
import runbooksCsv from '../../static/runbooks.csv?raw';
import type { Failure } from '../engine/failure.ts';
import { triageTools } from '../triage/tools.ts';
import type { FromDemo, Lane, Remembered, Stored, ToDemo } from './demo-messages.ts';
import { createMemoryHost } from './memory-host.ts';

export type { Lane, Remembered, Stored };

export interface DemoListener {
  loading(loaded: number, total: number): void;
  memory(remembered: Remembered): void;
  sqlite(stored: Stored, found: boolean): void;
  /** A call has reached the world outside. */
  called(lane: Lane, tool: string): void;
  ended(): void;
  failed(failure: Failure): void;
}

export interface Demo {
  /** A new worker, over what there is. `pause` in milliseconds. */
  begin(pause: number, listener: DemoListener): void;
  /** Terminates the worker, wherever it is. */
  kill(): void;
}

export function demo(newWorker: () => Worker): Demo {
  const hostPages = createMemoryHost();
  const world = triageTools(runbooksCsv);
  let worker: Worker | null = null;

  function kill(): void {
    worker?.terminate();
    worker = null;
  }
  function hear(from: Worker, message: FromDemo, listener: DemoListener): void {
    switch (message.type) {
      case 'loading':
        listener.loading(message.loaded, message.total);
        return;
      case 'memory':
        listener.memory(message.remembered);
        return;
      case 'sqlite':
        listener.sqlite(message.stored, message.found);
        return;
      case 'call': {
        const answer = world[message.tool]?.(message.arguments);
        if (!answer?.ok) throw new Error(`${message.tool}: ${answer?.failure ?? 'no such tool'}`);
        listener.called(message.lane, message.tool);
        from.postMessage({ type: 'answer', id: message.id, result: answer.value } satisfies ToDemo);
        return;
      }
      case 'ended':
        listener.ended();
        return;
      case 'failed':
        listener.failed(message.failure);
        return;
    }
  }

  return {
    begin: (pause, listener) => {
      kill();
      const made = newWorker();
      worker = made;
      made.onmessage = (event: MessageEvent<FromDemo>) => {
        // What a dead worker said before is no news any more.
        if (worker === made) hear(made, event.data, listener);
      };
      made.onerror = (event) => {
        event.preventDefault();
        if (worker !== made) return;
        kill();
        listener.failed(
          event.message
            ? { type: 'WorkerFault', message: event.message }
            : { type: 'WorkerNotLoaded', worker: 'agent' },
        );
      };
      const { port1, port2 } = new MessageChannel();
      hostPages(port1);
      made.postMessage({ type: 'begin', pages: port2, pause } satisfies ToDemo, [port2]);
    },
    kill,
  };
}
