/**
 * Owns: one tab at a time for commands that write, so that tabs do not waste work on each other: a Web Lock that the
 * page holds from before the command until its answer.
 * Leaves: what is true to the page store's compare-and-swap: every command is right without this, where the browser has
 * no Web Locks (plain http) and where nobody gives the lock back.
 *
 * The page holds it, not the worker: the browser keeps a killed worker, and a worker of a cached page, for a while.
 */

export interface CommandLock {
  /** Waits for the other tabs' commands, and not for long. Call the result when the command has its answer. */
  take(): Promise<() => void>;
  /** Gives back whatever is held or waited for: the page may be frozen or cached from now on. */
  letGo(): void;
}

/** Milliseconds after which the command goes ahead: whoever holds the lock may be frozen for ever. */
const patience = 2_000;

export function commandLock(locks: LockManager | undefined, name: string): CommandLock {
  const held = new Set<() => void>();
  /** The lock was not given in time, so nobody waits for it again until it has been seen free. */
  let stuck = false;

  function take(manager: LockManager): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = new AbortController();
      let release = (): void => undefined;
      const letGo = (): void => {
        clearTimeout(timer);
        held.delete(letGo);
        waiting.abort();
        release();
        resolve(letGo);
      };
      const timer = setTimeout(() => {
        stuck = true;
        letGo();
      }, patience);
      held.add(letGo);
      const options = stuck ? { ifAvailable: true } : { signal: waiting.signal };
      manager
        .request(name, options, (lock) => {
          clearTimeout(timer);
          stuck = lock === null;
          resolve(letGo);
          if (lock === null || waiting.signal.aborted) return undefined;
          return new Promise<void>((released) => {
            release = released;
          });
        })
        // Aborted by `letGo`, or refused by the browser: the command goes ahead either way.
        .catch(letGo);
    });
  }

  return {
    take: () => (locks === undefined ? Promise.resolve(() => undefined) : take(locks)),
    letGo: () => {
      for (const letGo of [...held]) letGo();
    },
  };
}
