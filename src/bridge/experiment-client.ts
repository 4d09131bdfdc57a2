/**
 * Owns: the page's side of the experiments: a question to the explorer's worker, its parts as they come, its answer.
 * Every question gets one answer, also when the worker does not come or dies.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import type { Ask, FromExperiment, QuestionName, Questions } from './experiment-messages.ts';

export type { Evidence, Violation } from '../explorer/evidence.ts';
export type { RaceMove, RaceRules, RacerName, RaceTrace } from '../explorer/race.ts';
export type { Did, Move } from '../explorer/racer.ts';
export type { Trial } from '../explorer/trial.ts';
export type { Reached } from '../explorer/world.ts';
export type { Attempt } from '../mistakes/locks.ts';
export type { LoadPoint } from '../mistakes/many-writers.ts';
export type {
  Held,
  LoadCurve,
  LockLog,
  OrderOutcome,
  Questions,
  TicketTrial,
} from './experiment-messages.ts';

export interface ExperimentClient {
  /** Makes the worker, where there is none. */
  ask<Q extends QuestionName>(
    question: Q,
    wanted: Questions[Q]['wanted'],
    part?: (part: Questions[Q]['part']) => void,
  ): Promise<Result<Questions[Q]['answer']>>;
  /** Ends the worker, and whatever it is at: that is never answered. The next question makes a new one. */
  close(): void;
}

interface Waiting {
  part(part: unknown): void;
  answer(answer: Result<unknown>): void;
}

export function experimentClient(newWorker: () => Worker): ExperimentClient {
  let worker: Worker | null = null;
  let waiting = new Map<number, Waiting>();
  let last = 0;

  function lose(failure: Failure): void {
    const asked = waiting;
    close();
    for (const one of asked.values()) one.answer(fail(failure));
  }
  function close(): void {
    worker?.terminate();
    worker = null;
    waiting = new Map();
  }
  function made(): Worker {
    if (worker !== null) return worker;
    worker = newWorker();
    worker.onmessage = ({ data }: MessageEvent<FromExperiment>) => {
      // What the explorer tells of itself has other types.
      if (data.type === 'part') waiting.get(data.id)?.part(data.part);
      if (data.type !== 'answer') return;
      waiting.get(data.id)?.answer(data.answer);
      waiting.delete(data.id);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      lose(
        event.message
          ? { type: 'WorkerFault', message: event.message }
          : { type: 'WorkerNotLoaded', worker: 'explorer' },
      );
    };
    return worker;
  }

  return {
    ask: (question, wanted, part) =>
      new Promise((resolve) => {
        last += 1;
        // What comes was typed where it was sent.
        waiting.set(last, { part: part as Waiting['part'], answer: resolve as Waiting['answer'] });
        made().postMessage({ type: 'ask', id: last, question, wanted } satisfies Ask);
      }),
    close,
  };
}
