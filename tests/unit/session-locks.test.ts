/** Holds bridge/session-locks.ts against a lock manager whose answers come late. In browsers: tests/browser. */
import { expect, test } from 'vitest';
import { sessionLocks } from '../../src/bridge/session-locks.ts';

/** Grants when the test says so. */
function slowLocks() {
  const requests: { readonly name: string; readonly grant: () => Promise<unknown> }[] = [];
  const [held, pending] = [new Set<string>(), new Set<string>()];
  const locks = {
    request: (name: string, work: () => Promise<unknown>) =>
      new Promise((resolve, reject) => {
        pending.add(name);
        requests.push({
          name,
          grant: () => {
            pending.delete(name);
            held.add(name);
            const working = work().finally(() => held.delete(name));
            working.then(resolve, reject);
            return working;
          },
        });
      }),
    query: () =>
      Promise.resolve({
        held: [...held].map((name) => ({ name })),
        pending: [...pending].map((name) => ({ name })),
      }),
  } as unknown as LockManager;
  return { locks, requests, held };
}

test('a second call does not go ahead before the lock of the first is there', async () => {
  const { locks, requests } = slowLocks();
  const owners = sessionLocks(locks, 'lab', 'w');
  let second = false;
  const holds = [owners.hold('a'), owners.hold('b').then(() => (second = true))];
  await Promise.resolve();
  expect(second).toBe(false);
  expect(requests).toHaveLength(1);
  void requests[0]?.grant();
  await Promise.all(holds);
  expect(await owners.stateOf('w')).toBe('alive');
});

test('who has just asked for the lock is alive, too', async () => {
  const { locks } = slowLocks();
  void sessionLocks(locks, 'lab', 'w').hold('a');
  expect(await sessionLocks(locks, 'lab', 'x').stateOf('w')).toBe('alive');
  expect(await sessionLocks(locks, 'another lab', 'x').stateOf('w')).toBe('dead');
});

test('the lock is kept until the last call is over, and taken anew for the next', async () => {
  const { locks, requests, held } = slowLocks();
  const owners = sessionLocks(locks, 'lab', 'w');
  const holds = [owners.hold('a'), owners.hold('b')];
  const first = requests[0]?.grant();
  await Promise.all(holds);
  owners.letGo('a');
  owners.letGo('never held');
  expect(held.size).toBe(1);
  owners.letGo('b');
  await first;
  expect(held.size).toBe(0);
  const again = owners.hold('c');
  void requests[1]?.grant();
  await again;
  expect(held.size).toBe(1);
});

test('a call that is over before the lock is granted leaves none behind', async () => {
  const { locks, requests, held } = slowLocks();
  const owners = sessionLocks(locks, 'lab', 'w');
  const holding = owners.hold('a');
  owners.letGo('a');
  const granted = requests[0]?.grant();
  await Promise.all([holding, granted]);
  expect(held.size).toBe(0);
});

test('where there are no locks, or they can’t be asked, nobody can say who lives', async () => {
  const none = sessionLocks(undefined, 'lab', 'w');
  await none.hold('a');
  none.letGo('a');
  expect(await none.stateOf('w')).toBe('unknown');
  const refusing = {
    request: () => Promise.reject(new DOMException('no', 'SecurityError')),
    query: () => Promise.reject(new DOMException('no', 'SecurityError')),
  } as unknown as LockManager;
  const refused = sessionLocks(refusing, 'lab', 'w');
  await refused.hold('a');
  refused.letGo('a');
  expect(await refused.stateOf('w')).toBe('unknown');
});
