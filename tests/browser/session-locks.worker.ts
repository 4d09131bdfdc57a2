/** A worker that holds its session's lock as long as its call is out. For session-locks.test.ts. */
import { sessionLocks } from '../../src/bridge/session-locks.ts';

export type Order =
  | { readonly type: 'begin'; readonly storageName: string; readonly workerId: string }
  | { readonly type: 'hold' | 'let go'; readonly key: string }
  | { readonly type: 'ask'; readonly worker: string };

let owners = sessionLocks(undefined, '', '');

self.onmessage = async ({ data, ports }: MessageEvent<Order>) => {
  ports[0]?.postMessage(await carryOut(data));
};

async function carryOut(order: Order): Promise<string> {
  switch (order.type) {
    case 'begin':
      owners = sessionLocks(navigator.locks, order.storageName, order.workerId);
      return 'begun';
    case 'hold':
      await owners.hold(order.key);
      return 'held';
    case 'let go':
      owners.letGo(order.key);
      return 'let go';
    case 'ask':
      return owners.stateOf(order.worker);
  }
}
