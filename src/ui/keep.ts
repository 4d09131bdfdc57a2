/**
 * Owns: small things the page remembers (settings, arms, progress), over idb-keyval.
 * Leaves: the database image to storage/; what a stored value means to the parser of whoever wrote it.
 *
 * Where IndexedDB is refused or does not answer, the page goes on with memory: `durable` says so.
 */
import { createStore, get, set, type UseStore } from 'idb-keyval';

export interface Keep {
  /** What was written under this key, unchecked; undefined: nothing, or not readable. Never rejects. */
  read(key: string): Promise<unknown>;
  /** Resolves when stored. False: it is only in this page's memory. Never rejects. */
  write(key: string, value: unknown): Promise<boolean>;
}

/** How long the page waits for a small value before it goes on without. */
const patienceMs = 2000;

export function idbKeep(databaseName: string): Keep {
  const memory = new Map<string, unknown>();
  let store: UseStore | null = null;
  /** Nothing was answered in time, nor since: nobody waits for it again before an answer comes. */
  let silent = false;
  function open(): UseStore {
    store ??= createStore(databaseName, 'keyval');
    return store;
  }
  /** The value, or not ok: refused, aborted, or no answer in time. */
  function inTime<T>(work: () => Promise<T>): Promise<InTime<T>> {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          silent = true;
          resolve({ ok: false });
        },
        silent ? 0 : patienceMs,
      );
      work()
        .then(
          (value) => resolve({ ok: true, value }),
          () => resolve({ ok: false }),
        )
        .finally(() => {
          silent = false;
          clearTimeout(timer);
        });
    });
  }
  return {
    async read(key) {
      if (memory.has(key)) return memory.get(key);
      const stored = await inTime(async () => get<unknown>(key, open()));
      return stored.ok ? stored.value : undefined;
    },
    async write(key, value) {
      memory.set(key, value);
      return (await inTime(async () => set(key, value, open()))).ok;
    },
  };
}

type InTime<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** A plain object's members, or none: the first step of every parser of a kept value. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
