/**
 * Owns: an agent's worker in whose browser something is broken, on and off as a test wishes: its script gets a prelude
 * that stands between the built program and the browser's own functions.
 * Leaves: faults that the browser itself can be brought to (full, cleared, refused) to the tests.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { distFolder } from '../support/static-server.ts';

export type Fault =
  /** IndexedDB does not answer when it is opened. */
  | 'stuck-open'
  /** Transactions are carried out, and nobody is told. */
  | 'silent'
  /** Each write of a commit is aborted by the browser after it has succeeded. */
  | 'aborted'
  /** Other tabs are not told of what is written. */
  | 'mute'
  /** No array of any size can be had. */
  | 'no-memory'
  /** SQLite's memory can't be had. */
  | 'no-wasm-memory';

export interface FaultyWorker {
  /** From now on these faults and no others, in a worker that lives and in later ones. */
  switchTo(...faults: Fault[]): Promise<void>;
}

/** Before the page is opened. The worker's clock runs `speed` times as fast, so that no test waits for a time-out. */
export async function faultyWorker(
  page: Page,
  first: readonly Fault[] = [],
  speed = 10,
): Promise<FaultyWorker> {
  let current = first;
  await page.route(/\/agent\.worker-[^/]*\.js$/, async (route) => {
    const file = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    const program = await readFile(join(distFolder, 'assets', file), 'utf8');
    const body = `(${prelude.toString()})(${JSON.stringify(current)}, ${speed});\n${program}`;
    await route.fulfill({ body, contentType: 'text/javascript' });
  });
  return {
    switchTo: async (...faults) => {
      current = faults;
      await page.evaluate(
        (wanted) =>
          new Promise<void>((resolve) => {
            const channel = new BroadcastChannel('faults');
            // A worker that is dead, or not yet there, has nothing to say.
            const alive = document.body.textContent.includes('LIVE');
            channel.onmessage = () => resolve();
            channel.postMessage(wanted);
            if (!alive) resolve();
          }),
        faults,
      );
    },
  };
}

/** Runs in the worker, before the program. */
function prelude(first: readonly string[], speed: number): void {
  let faults = new Set(first);
  const held: (() => void)[] = [];
  const channel = new BroadcastChannel('faults');
  channel.onmessage = (event: MessageEvent<readonly string[]>) => {
    faults = new Set(event.data);
    if (!faults.has('silent')) for (const tell of held.splice(0)) tell();
    channel.postMessage('done');
  };

  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = function (this: BroadcastChannel, message: unknown) {
    if (this === channel || !faults.has('mute')) postMessage.call(this, message);
  };

  const { setTimeout: later, setInterval: each } = self;
  self.setTimeout = ((work: () => void, wait = 0) => later(work, wait / speed)) as typeof setTimeout;
  self.setInterval = ((work: () => void, wait = 0) => each(work, wait / speed)) as typeof setInterval;

  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (this: IDBFactory, ...values) {
    if (faults.has('stuck-open')) return new EventTarget() as IDBOpenDBRequest;
    return open.apply(this, values);
  };

  for (const type of ['complete', 'abort']) {
    Object.defineProperty(IDBTransaction.prototype, `on${type}`, {
      set(this: IDBTransaction, listener: (event: Event) => void) {
        this.addEventListener(type, (event) => {
          const tell = (): void => listener.call(this, event);
          if (faults.has('silent')) held.push(tell);
          else tell();
        });
      },
    });
  }

  const { add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.add = function (this: IDBObjectStore, ...values) {
    const request = add.apply(this, values);
    // A key that is there is an error, and one that nobody catches ends the whole transaction.
    if (faults.has('aborted')) add.apply(this, values);
    return request;
  };

  self.Uint8Array = new Proxy(Uint8Array, {
    construct: (original, values, target) => {
      if (faults.has('no-memory') && values[0] !== 0) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(original, values, target) as object;
    },
  });
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = ((...values: Parameters<typeof instantiate>) =>
    faults.has('no-wasm-memory')
      ? Promise.reject(
          new RangeError('WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory'),
        )
      : instantiate(...values)) as typeof instantiate;
}
