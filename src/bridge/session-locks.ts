/**
 * Owns: showing the other tabs that this session is in the middle of a call, by a Web Lock that the browser takes back at
 * once when the worker dies; and asking that of others.
 * Leaves: what follows from it to engine/claims.ts.
 *
 * Held only while a call is out: a page that holds a lock is not kept for going back to.
 */
import type { Owners } from '../engine/ports.ts';

/** `locks` undefined: the browser has none here (plain http), and nobody can say who lives. */
export function sessionLocks(locks: LockManager | undefined, storageName: string, workerId: string): Owners {
  const nameOf = (worker: string) => `${storageName}:session:${worker}`;
  const keys = new Set<string>();
  /** Once granted: what gives it back. */
  let lock: Promise<() => void> | null = null;

  function take(manager: LockManager): Promise<() => void> {
    return new Promise((granted) => {
      manager
        .request(nameOf(workerId), () => new Promise<void>((release) => granted(release)))
        // Where it is refused, asking is refused as well: then others go by the lease.
        .catch(() => granted(() => undefined));
    });
  }

  return {
    stateOf: async (worker) => {
      if (locks === undefined) return 'unknown';
      try {
        const { held = [], pending = [] } = await locks.query();
        return [...held, ...pending].some(({ name }) => name === nameOf(worker)) ? 'alive' : 'dead';
      } catch {
        return 'unknown';
      }
    },
    hold: async (key) => {
      keys.add(key);
      if (locks === undefined) return;
      lock ??= take(locks);
      await lock;
    },
    letGo: (key) => {
      keys.delete(key);
      if (keys.size > 0) return;
      void lock?.then((release) => {
        release();
      });
      lock = null;
    },
  };
}
