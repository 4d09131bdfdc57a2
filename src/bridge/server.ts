/**
 * Owns: answering requests in the worker, one after the other, each with exactly one reply.
 * Leaves: the commands themselves to lab-server.ts.
 * Invariants: after a simulated crash not one message leaves (the page settles what was under way as lost); a
 * broken invariant is replied as WorkerFault, and a lack of memory as OutOfMemory: both stop the worker.
 */
import { SimulatedCrash } from '../engine/crash.ts';
import type { CrashPort } from '../engine/ports.ts';
import type { Result } from '../engine/failure.ts';
import type { CommandName, CommandResult, FromWorker, Params, Push, Request } from './protocol.ts';
import { whyStopped } from './stopped.ts';
import type { LabView } from './views.ts';

/** A command that has come to a slow call lets the next one have its turn; it still has its one reply. */
export type EndTurn = () => void;

export type Handlers = {
  readonly [C in CommandName]: (params: Params<C>, endTurn?: EndTurn) => Promise<Result<CommandResult<C>>>;
};

/** The worker's side of the channel: `self`, or a stand-in in Node. */
export interface Channel {
  postMessage(message: FromWorker): void;
  onRequest(listener: (request: Request) => void): void;
  close(): void;
}

export interface Server {
  /** Runs work of our own in turn with the requests. */
  inTurn(piece: () => Promise<void>): void;
  push(push: Push): void;
}

export interface Work {
  readonly handlers: Handlers;
  /** What the database shows, for the reply to a failed request; null if it can't be read. */
  currentView(): Promise<LabView | null>;
  /** What can be put off until nobody waits. */
  whenIdle(): Promise<void>;
}

export function serve(channel: Channel, crash: CrashPort, work: Work): Server {
  let turn = Promise.resolve();
  let stopped = false;
  let waiting = 0;

  async function reply(request: Request, endTurn: EndTurn): Promise<void> {
    const { id } = request;
    const result = await dispatch(work.handlers, request, endTurn);
    const view = result.ok ? null : await work.currentView();
    crash.assertAlive();
    channel.postMessage(
      result.ok
        ? { type: 'reply', id, ok: true, result: result.value }
        : { type: 'reply', id, ok: false, failure: result.failure, view, stopped: false },
    );
  }
  function stop(error: unknown, id: number | null): void {
    stopped = true;
    if (error instanceof SimulatedCrash) return;
    const failure = whyStopped(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    if (id === null) channel.postMessage({ type: 'fault', failure });
    else channel.postMessage({ type: 'reply', id, ok: false, failure, view: null, stopped: true });
    channel.close();
  }
  async function carryOut(piece: (endTurn: EndTurn) => Promise<void>, id: number | null, endTurn: EndTurn) {
    if (stopped) return;
    try {
      await piece(endTurn);
    } catch (error) {
      stop(error, id);
      return;
    }
    if (waiting > 0) return;
    try {
      await work.whenIdle();
    } catch (error) {
      stop(error, null);
    }
  }
  function inTurn(piece: (endTurn: EndTurn) => Promise<void>, id: number | null): void {
    waiting += 1;
    turn = turn.then(
      () =>
        new Promise<void>((endTurn) => {
          waiting -= 1;
          void carryOut(piece, id, endTurn).finally(endTurn);
        }),
    );
  }

  channel.onRequest((request) => {
    inTurn((endTurn) => reply(request, endTurn), request.id);
  });
  return {
    inTurn: (piece) => {
      inTurn(piece, null);
    },
    push: (push) => {
      channel.postMessage(push);
    },
  };
}

function dispatch(
  handlers: Handlers,
  request: Request,
  endTurn: EndTurn,
): Promise<Result<CommandResult<CommandName>>> {
  // The request's type ties its params to its command; TypeScript can't see that through the map.
  const handler = handlers[request.command] as (
    params: Params<CommandName>,
    endTurn: EndTurn,
  ) => Promise<Result<CommandResult<CommandName>>>;
  return handler(request.params, endTurn);
}
