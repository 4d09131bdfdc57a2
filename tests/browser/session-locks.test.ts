/** Who lives, by real locks of real workers: alive while a call is out, dead as soon as its worker is ended. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Order } from './session-locks.worker.ts';

let storageName = '';
let workers: Worker[] = [];
beforeEach(() => {
  storageName = `test-${crypto.randomUUID()}`;
});
afterEach(() => {
  for (const worker of workers) worker.terminate();
  workers = [];
});

async function begun(workerId: string, name = storageName) {
  const worker = new Worker(new URL('./session-locks.worker.ts', import.meta.url), { type: 'module' });
  workers.push(worker);
  const order = (wanted: Order): Promise<string> =>
    new Promise((answered) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }: MessageEvent<string>) => {
        answered(data);
      };
      worker.postMessage(wanted, [port2]);
    });
  await order({ type: 'begin', storageName: name, workerId });
  return { worker, order, ask: (other: string) => order({ type: 'ask', worker: other }) };
}

/** Resolves when the browser has taken the lock back, however long it was held. */
function lockIsFree(workerId: string): Promise<unknown> {
  return navigator.locks.request(`${storageName}:session:${workerId}`, () => Promise.resolve());
}

test('a worker is alive while a call is out, and neither before nor after it', async () => {
  const [a, b] = [await begun('a'), await begun('b')];
  expect(await b.ask('a')).toBe('dead');
  await a.order({ type: 'hold', key: 'run-1:x' });
  expect(await b.ask('a')).toBe('alive');
  expect(await a.ask('b')).toBe('dead');
  await a.order({ type: 'let go', key: 'run-1:x' });
  await lockIsFree('a');
  expect(await b.ask('a')).toBe('dead');
});

test('a worker that is ended in its call is dead, without anybody waiting for a lease', async () => {
  const [a, b] = [await begun('a'), await begun('b')];
  await a.order({ type: 'hold', key: 'run-1:x' });
  await b.order({ type: 'hold', key: 'run-2:x' });
  expect(await b.ask('a')).toBe('alive');
  a.worker.terminate();
  await lockIsFree('a');
  expect(await b.ask('a')).toBe('dead');
  expect(await b.ask('b')).toBe('alive');
});

test('of several calls that are out the last one lets go', async () => {
  const [a, b] = [await begun('a'), await begun('b')];
  await Promise.all([a.order({ type: 'hold', key: 'x' }), a.order({ type: 'hold', key: 'y' })]);
  await a.order({ type: 'let go', key: 'x' });
  expect(await b.ask('a')).toBe('alive');
  await a.order({ type: 'let go', key: 'y' });
  await lockIsFree('a');
  await a.order({ type: 'hold', key: 'z' });
  expect(await b.ask('a')).toBe('alive');
});

test('another lab’s workers are nobody here', async () => {
  const [a, b] = [await begun('a', `${storageName}-other`), await begun('b')];
  await a.order({ type: 'hold', key: 'x' });
  expect(await b.ask('a')).toBe('dead');
});
