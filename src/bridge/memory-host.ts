/**
 * Owns: the pages of memory mode, in the page itself: they outlive each worker, and are gone with the page.
 * Loaded only where IndexedDB is refused.
 */
import { memoryStorage } from '../storage/image-storage.ts';
import { hostStorage } from '../storage/port-page-store.ts';

/** One memory; call the result with a port for each new agent worker. */
export function createMemoryHost(): (port: MessagePort) => void {
  const storage = memoryStorage({ now: () => new Date().toISOString() });
  return (port) => {
    hostStorage(port, storage);
  };
}
