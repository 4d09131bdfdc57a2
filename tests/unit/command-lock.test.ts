/** One tab at a time for commands that write, and nobody who is stuck holds up the others. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { commandLock } from '../../src/bridge/command-lock.ts';

/** Web Locks as one browser gives them to its tabs: one holder a name, the others in the order of asking. */
class FakeLocks {
  readonly #queue: (() => void)[] = [];
  #held = false;

  get manager(): LockManager {
    return this as unknown as LockManager;
  }

  request(
    name: string,
    options: { signal?: AbortSignal; ifAvailable?: boolean },
    work: (lock: { name: string } | null) => Promise<void> | undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = (): void => {
        this.#held = true;
        void Promise.resolve(work({ name })).then(() => {
          this.#held = false;
          this.#queue.shift()?.();
          resolve();
        });
      };
      if (!this.#held) return run();
      if (options.ifAvailable) return resolve(void work(null));
      this.#queue.push(run);
      options.signal?.addEventListener('abort', () => {
        const at = this.#queue.indexOf(run);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(new DOMException('aborted', 'AbortError'));
      });
    });
  }
}

let locks: FakeLocks;
beforeEach(() => {
  vi.useFakeTimers();
  locks = new FakeLocks();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes the lock in the background: has it been given yet? */
function taking(tab: ReturnType<typeof commandLock>): { given: boolean; letGo: () => void } {
  const state = { given: false, letGo: () => undefined as void };
  void tab.take().then((letGo) => {
    state.given = true;
    state.letGo = letGo;
  });
  return state;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('the second tab gets the lock when the first gives it back', async () => {
  const first = taking(commandLock(locks.manager, 'command'));
  const second = taking(commandLock(locks.manager, 'command'));
  await settled();
  expect([first.given, second.given]).toEqual([true, false]);
  first.letGo();
  await settled();
  expect(second.given).toBe(true);
});

test('a lock that is never given back holds a command up for two seconds, and the next ones not at all', async () => {
  taking(commandLock(locks.manager, 'command'));
  const tab = commandLock(locks.manager, 'command');
  const command = taking(tab);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(command.given).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(command.given).toBe(true);
  command.letGo();
  const next = taking(tab);
  await settled();
  expect(next.given).toBe(true);
});

test('once the stuck lock is free again, it is waited for again', async () => {
  const stuck = taking(commandLock(locks.manager, 'command'));
  const tab = commandLock(locks.manager, 'command');
  const late = taking(tab);
  await vi.advanceTimersByTimeAsync(2_000);
  late.letGo();
  stuck.letGo();
  await settled();
  const free = taking(tab);
  await settled();
  const other = commandLock(locks.manager, 'command');
  const waits = taking(other);
  await settled();
  expect([free.given, waits.given]).toEqual([true, false]);
  free.letGo();
  const own = taking(tab);
  await settled();
  expect([waits.given, own.given]).toEqual([true, false]);
  waits.letGo();
  await settled();
  expect(own.given).toBe(true);
});

test('a page that goes to sleep gives back what it holds and what it waits for', async () => {
  const tab = commandLock(locks.manager, 'command');
  taking(tab);
  const waits = taking(tab);
  const other = taking(commandLock(locks.manager, 'command'));
  await settled();
  expect([waits.given, other.given]).toEqual([false, false]);
  tab.letGo();
  await settled();
  // The command that waited goes ahead: it is as right without the lock.
  expect([waits.given, other.given]).toEqual([true, true]);
});

test('without Web Locks, and where they are refused, nobody waits', async () => {
  const refusing = { request: () => Promise.reject(new DOMException('no', 'SecurityError')) };
  for (const manager of [undefined, refusing as unknown as LockManager]) {
    const command = taking(commandLock(manager, 'command'));
    await settled();
    expect(command.given).toBe(true);
  }
});
