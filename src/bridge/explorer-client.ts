/**
 * Owns: the page's side of an exploration: a worker of its own, made when the first one is asked for.
 * Leaves: what the points mean to the screen.
 */
import type { Failure } from '../engine/failure.ts';
import type {
  Choices,
  Exploration,
  FromExplorer,
  Point,
  ToExplorer,
  VariantView,
  Wanted,
} from './explorer-messages.ts';

export type { Choices, Exploration, Point, VariantView, Wanted };

export interface ExploreListener {
  begun(exploration: Exploration): void;
  points(points: readonly Point[]): void;
  ended(milliseconds: number): void;
  failed(failure: Failure): void;
}

export interface ExplorerClient {
  /** Makes the worker, which then tells the choices. A failure of that is `lost`'s. */
  begin(lost: (failure: Failure) => void): void;
  /** Ends whatever is under way, and begins this one. */
  explore(wanted: Wanted, listener: ExploreListener): void;
  /** Ends what is under way; nothing more is told of it. */
  stop(): void;
}

/** `choices` is told what can be explored, when the worker is there. */
export function explorerClient(newWorker: () => Worker, choices: (choices: Choices) => void): ExplorerClient {
  let worker: Worker | null = null;
  let listener: ExploreListener | null = null;
  let lost: (failure: Failure) => void = () => undefined;
  let id = 0;

  function post(message: ToExplorer): void {
    worker?.postMessage(message);
  }
  /** Whoever listened is told once more, and may begin anew then. */
  function over(): ExploreListener | null {
    const last = listener;
    listener = null;
    return last;
  }
  function lose(failure: Failure): void {
    worker?.terminate();
    worker = null;
    const last = over();
    if (last === null) lost(failure);
    else last.failed(failure);
  }
  function hear(message: FromExplorer): void {
    if (message.type === 'choices') {
      choices(message.choices);
      return;
    }
    if (message.id !== id || listener === null) return;
    switch (message.type) {
      case 'begun':
        listener.begun(message.exploration);
        return;
      case 'points':
        listener.points(message.points);
        return;
      case 'ended':
        over()?.ended(message.milliseconds);
        return;
      case 'failed':
        over()?.failed(message.failure);
        return;
    }
  }
  function made(): void {
    if (worker !== null) return;
    worker = newWorker();
    worker.onmessage = (event: MessageEvent<FromExplorer>) => {
      hear(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      lose(
        event.message
          ? { type: 'WorkerFault', message: event.message }
          : { type: 'WorkerNotLoaded', worker: 'explorer' },
      );
    };
  }

  return {
    begin: (told) => {
      lost = told;
      made();
    },
    explore: (wanted, told) => {
      made();
      id += 1;
      listener = told;
      post({ type: 'explore', id, wanted });
    },
    stop: () => {
      listener = null;
      post({ type: 'stop' });
    },
  };
}
