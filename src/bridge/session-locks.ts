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
  const held = new Set<string>();
  let release: (() => void) | null = null;

  return {
    stateOf: async (worker) => {
      if (locks === undefined) return 'unknown';
      try {
        const all = await locks.query();
        return all.held?.some(({ name }) => name === nameOf(worker)) ? 'alive' : 'dead';
      } catch {
        return 'unknown';
      }
    },
    hold: async (key) => {
      const isFirst = held.size === 0;
      held.add(key);
      if (locks === undefined || !isFirst) return;
      await new Promise<void>((granted) => {
        locks
          .request(nameOf(workerId), () => {
            granted();
            return new Promise<void>((released) => {
              release = released;
            });
          })
          // A browser that refuses it leaves the lease to decide: others then find no lock, and an open lease.
          .catch(() => {
            granted();
          });
      });
    },
    letGo: (key) => {
      held.delete(key);
      if (held.size > 0) return;
      release?.();
      release = null;
    },
  };
}
