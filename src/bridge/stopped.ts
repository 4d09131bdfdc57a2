/** Owns: why a worker stopped by itself: a fault of ours, or no memory left. */
import type { WorkerStopped } from './protocol.ts';

/** As the engines of the browsers and SQLite say it. */
const noMemory = /out of memory|allocation failed|Aborted\(OOM|allocation size overflow|maximum memory size/i;

export function whyStopped(message: string): WorkerStopped {
  return noMemory.test(message) ? { type: 'OutOfMemory', reason: message } : { type: 'WorkerFault', message };
}
