import { describe, expect, test } from 'vitest';
import { connect } from '../../src/bridge/client.ts';
import type { FromWorker, Request } from '../../src/bridge/protocol.ts';
import type { Channel, Handlers } from '../../src/bridge/server.ts';
import { serve } from '../../src/bridge/server.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import type { Failure } from '../../src/engine/failure.ts';
import { fail, succeed } from '../../src/engine/failure.ts';

/** A worker whose thread is this one: messages cross in microtasks, as copies. */
class PairedWorker extends EventTarget {
  terminated = false;
  closed = false;
  sent = 0;
  #request: ((request: Request) => void) | null = null;

  readonly channel: Channel = {
    postMessage: (message: FromWorker) => {
      this.sent += 1;
      const data = structuredClone(message);
      queueMicrotask(() => {
        if (!this.terminated) this.dispatchEvent(new MessageEvent('message', { data }));
      });
    },
    onRequest: (listener) => {
      this.#request = listener;
    },
    close: () => {
      this.closed = true;
    },
  };

  postMessage(message: unknown): void {
    const request = structuredClone(message) as Request;
    queueMicrotask(() => {
      if (!this.terminated) this.#request?.(request);
    });
  }
  terminate(): void {
    this.terminated = true;
  }
  asWorker(): Worker {
    return this as unknown as Worker;
  }
}

/** Only the commands under test have a handler; another one would be a fault, and be replied as one. */
function pair(handlers: Partial<Handlers>, crash = new CrashPlan(), whenIdle?: () => Promise<void>) {
  const worker = new PairedWorker();
  let idle = 0;
  const work = {
    handlers: handlers as Handlers,
    currentView: () => Promise.resolve(null),
    whenIdle: () => {
      idle += 1;
      return whenIdle?.() ?? Promise.resolve();
    },
  };
  const server = serve(worker.channel, crash, work);
  return { worker, client: connect(worker.asWorker()), crash, server, idle: () => idle };
}

describe('one reply a request', () => {
  test('a result, and a failure with the view after it, come back to who asked', async () => {
    const { client } = pair({
      exportTrace: ({ runId }) => Promise.resolve(succeed(`trace of ${String(runId)}`)),
      undo: () => Promise.resolve(fail({ type: 'NothingToUndo' })),
    });
    const answers = await Promise.all([
      client.request('exportTrace', { runId: 'a' }),
      client.request('undo', {}),
      client.request('exportTrace', { runId: null }),
    ]);
    expect(answers).toEqual([
      { ok: true, value: 'trace of a' },
      { ok: false, failure: { type: 'NothingToUndo' }, view: null },
      { ok: true, value: 'trace of null' },
    ]);
  });

  test('requests are carried out one after the other', async () => {
    const order: string[] = [];
    const { client, idle } = pair({
      exportTrace: async ({ runId }) => {
        order.push(`begin ${String(runId)}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`end ${String(runId)}`);
        return succeed('');
      },
    });
    await Promise.all([
      client.request('exportTrace', { runId: '1' }),
      client.request('exportTrace', { runId: '2' }),
    ]);
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
    // Put-off work waited until the second one was answered.
    await new Promise((resolve) => setImmediate(resolve));
    expect(idle()).toBe(1);
  });

  test('a handler that throws is replied as a fault, stops the worker, and loses what waited', async () => {
    const { client, worker } = pair({ undo: () => Promise.reject(new Error('broken invariant')) });
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    const answers = await Promise.all([client.request('undo', {}), client.request('reset', {})]);
    expect(answers[0]).toMatchObject({
      failure: { type: 'WorkerFault', message: 'Error: broken invariant' },
    });
    expect(answers[1]).toMatchObject({ failure: { type: 'WorkerLost' } });
    expect(worker.closed).toBe(true);
    expect(lost).toHaveLength(1);
    expect(await client.request('undo', {})).toMatchObject({ failure: { type: 'WorkerLost' } });
  });
});

describe('a fault outside any request', () => {
  test('in work of the worker’s own, it is told, and what is asked afterwards is lost, not left waiting', async () => {
    const { client, server } = pair({ undo: () => Promise.resolve(fail({ type: 'NothingToUndo' })) });
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    server.inTurn(() => Promise.reject(new Error('out of step')));
    const asked = client.request('undo', {});
    expect(await asked).toMatchObject({ failure: { type: 'WorkerLost' } });
    expect(lost).toEqual([{ type: 'WorkerFault', message: 'Error: out of step' }]);
  });

  test('when idle, after the reply: the reply stands, and no second one is sent', async () => {
    const { client, worker } = pair(
      { undo: () => Promise.resolve(fail({ type: 'NothingToUndo' })) },
      new CrashPlan(),
      () => Promise.reject(new Error('idle fault')),
    );
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    expect(await client.request('undo', {})).toMatchObject({ failure: { type: 'NothingToUndo' } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(lost).toEqual([{ type: 'WorkerFault', message: 'Error: idle fault' }]);
    expect(worker.sent).toBe(2);
  });

  test('a value that can’t be sent is a failure, not a rejection', async () => {
    const { client } = pair({});
    const params = { image: (() => undefined) as never };
    expect(await client.request('importFile', params)).toMatchObject({ failure: { type: 'WorkerFault' } });
  });
});

describe('a worker that dies', () => {
  const hanging = { undo: () => new Promise<never>(() => undefined) };

  test('terminate settles everything under way as lost, and nothing is heard from it afterwards', async () => {
    const { client, worker } = pair(hanging);
    const pushes: string[] = [];
    client.onPush((push) => pushes.push(push.type));
    const asked = client.request('undo', {});
    worker.channel.postMessage({ type: 'halted', boundary: 'start.begin' });
    client.terminate();
    expect(await asked).toMatchObject({ ok: false, failure: { type: 'WorkerLost' } });
    await Promise.resolve();
    expect(pushes).toEqual([]);
    expect(worker.terminated).toBe(true);
  });

  test('an error of the worker itself settles what is under way and is told once', async () => {
    const { client, worker } = pair(hanging);
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    const asked = client.request('undo', {});
    const died = Object.assign(new Event('error', { cancelable: true }), { message: 'out of memory' });
    worker.dispatchEvent(died);
    worker.dispatchEvent(died);
    expect(await asked).toEqual({ ok: false, failure: { type: 'WorkerLost', reason: 'out of memory' } });
    expect(lost).toEqual([{ type: 'OutOfMemory', reason: 'out of memory' }]);
  });

  test('a program that never arrives is told as such', async () => {
    const { client, worker } = pair(hanging);
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    const asked = client.request('undo', {});
    worker.dispatchEvent(new Event('error', { cancelable: true }));
    expect(await asked).toMatchObject({ failure: { type: 'WorkerLost' } });
    expect(lost).toEqual([{ type: 'WorkerNotLoaded', worker: 'agent' }]);
  });

  test('a handler that runs out of memory stops the worker with that reason', async () => {
    const { client } = pair({ undo: () => Promise.reject(new RangeError('Array buffer allocation failed')) });
    const lost: Failure[] = [];
    client.onLost((failure) => lost.push(failure));
    const reason = 'RangeError: Array buffer allocation failed';
    expect(await client.request('undo', {})).toMatchObject({ failure: { type: 'OutOfMemory', reason } });
    expect(lost).toEqual([{ type: 'OutOfMemory', reason }]);
  });

  test('after a simulated crash not one message leaves the worker', async () => {
    const crash = new CrashPlan([{ boundary: 'start.begin', every: false }]);
    const { client, worker } = pair(
      {
        undo: () => {
          try {
            crash.reach('start.begin');
          } catch {
            // Code that swallows the crash must not be able to answer.
          }
          return Promise.resolve(fail({ type: 'NothingToUndo' }));
        },
      },
      crash,
    );
    const asked = client.request('undo', {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(worker.sent).toBe(0);
    client.terminate();
    expect(await asked).toMatchObject({ failure: { type: 'WorkerLost' } });
  });
});
