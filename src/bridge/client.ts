/**
 * Owns: sending requests to the agent's worker; the only file that posts to it.
 * Leaves: what a reply means to the screens.
 * Invariant: every request settles exactly once, with WorkerLost when the worker dies first. It never rejects.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { CommandName, CommandResult, FromWorker, Params, Push, Reply } from './protocol.ts';
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
  /** Called once, with the reason, when the worker dies by itself. */
  onLost(listener: (reason: string) => void): void;
  /** Kills the worker at this instant, whatever it is doing. All requests under way settle with WorkerLost. */
  terminate(): void;
}

export function connect(worker: Worker): Client {
  const waiting = new Map<number, (answer: Answer<CommandResult<CommandName>>) => void>();
  const pushListeners: ((push: Push) => void)[] = [];
  const lostListeners: ((reason: string) => void)[] = [];
  let lastId = 0;
  let lostBecause: string | null = null;

  function lose(reason: string): void {
    if (lostBecause !== null) return;
    lostBecause = reason;
    worker.terminate();
    for (const settle of waiting.values()) settle(fail({ type: 'WorkerLost', reason }));
    waiting.clear();
  }
  function die(reason: string): void {
    if (lostBecause !== null) return;
    lose(reason);
    for (const listener of lostListeners) listener(reason);
  }
  function settle(reply: Reply): void {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    waiter?.(reply.ok ? succeed(reply.result) : { ...fail(reply.failure), view: reply.view });
    if (!reply.ok && reply.failure.type === 'WorkerFault') die(reply.failure.message);
  }

  worker.addEventListener('message', (event: MessageEvent<FromWorker>) => {
    if (lostBecause !== null) return;
    if (event.data.type === 'reply') settle(event.data);
    else if (event.data.type === 'fault') die(event.data.message);
    else for (const listener of pushListeners) listener(event.data);
  });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    die(event.message || 'the worker could not be loaded');
  });
  worker.addEventListener('messageerror', () => {
    die('a message could not be read');
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
