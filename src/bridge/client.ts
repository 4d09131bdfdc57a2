/**
 * Owns: sending requests to the agent's worker; the only file that posts to it.
 * Leaves: what a reply means to the screens.
 * Invariant: every request settles exactly once, with WorkerLost when the worker dies first. It never rejects.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { CommandName, CommandResult, FromWorker, Params, Push, Reply } from './protocol.ts';
import { whyStopped } from './stopped.ts';
import type { LabView } from './views.ts';

/** A result, and after a failure what the database shows, where that could be read. */
export type Answer<T> = Result<T> & { readonly view?: LabView | null };

export interface Client {
  request<C extends CommandName>(
    command: C,
    params: Params<C>,
    transfer?: readonly Transferable[],
  ): Promise<Answer<CommandResult<C>>>;
  onPush(listener: (push: Push) => void): void;
  /** Called once, with the reason, when the worker dies by itself, or never came to life (WorkerNotLoaded). */
  onLost(listener: (failure: Failure) => void): void;
  /** Kills the worker at this instant, whatever it is doing. All requests under way settle with WorkerLost. */
  terminate(): void;
}

export function connect(worker: Worker): Client {
  const waiting = new Map<number, (answer: Answer<CommandResult<CommandName>>) => void>();
  const pushListeners: ((push: Push) => void)[] = [];
  const lostListeners: ((failure: Failure) => void)[] = [];
  let lastId = 0;
  let lostBecause: string | null = null;
  /** The worker has said something, so its program is here. */
  let heard = false;

  function lose(reason: string): void {
    if (lostBecause !== null) return;
    lostBecause = reason;
    worker.terminate();
    for (const settle of waiting.values()) settle(fail({ type: 'WorkerLost', reason }));
    waiting.clear();
  }
  function die(failure: Failure, reason: string): void {
    if (lostBecause !== null) return;
    lose(reason);
    for (const listener of lostListeners) listener(failure);
  }
  function dieOf(failure: Failure): void {
    if (failure.type === 'WorkerFault') die(failure, failure.message);
    if (failure.type === 'OutOfMemory') die(failure, failure.reason);
  }
  function settle(reply: Reply): void {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    waiter?.(reply.ok ? succeed(reply.result) : { ...fail(reply.failure), view: reply.view });
    if (!reply.ok && reply.stopped) dieOf(reply.failure);
  }

  worker.addEventListener('message', (event: MessageEvent<FromWorker>) => {
    if (lostBecause !== null) return;
    heard = true;
    if (event.data.type === 'reply') settle(event.data);
    else if (event.data.type === 'fault') dieOf(event.data.failure);
    else for (const listener of pushListeners) listener(event.data);
  });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    // A program that does not arrive is an error without a message.
    if (!heard && !event.message) die({ type: 'WorkerNotLoaded', worker: 'agent' }, 'it could not be loaded');
    else dieOf(whyStopped(event.message || 'no reason was given'));
  });
  worker.addEventListener('messageerror', () => {
    dieOf(whyStopped('a message could not be read'));
  });

  return {
    request: <C extends CommandName>(command: C, params: Params<C>, transfer: readonly Transferable[] = []) =>
      new Promise<Answer<CommandResult<C>>>((resolve) => {
        if (lostBecause !== null) {
          resolve(fail({ type: 'WorkerLost', reason: lostBecause }));
          return;
        }
        lastId += 1;
        waiting.set(lastId, (answer) => {
          resolve(answer as Answer<CommandResult<C>>);
        });
        const id = lastId;
        try {
          worker.postMessage({ id, command, params }, [...transfer]);
        } catch (error) {
          // A value that can't be sent: a fault of ours, told like any other.
          waiting.delete(id);
          resolve(fail({ type: 'WorkerFault', message: String(error) }));
        }
      }),
    onPush: (listener) => {
      pushListeners.push(listener);
    },
    onLost: (listener) => {
      lostListeners.push(listener);
    },
    terminate: () => {
      lose('the worker was terminated');
    },
  };
}
