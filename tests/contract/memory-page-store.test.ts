import { describe, onTestFinished } from 'vitest';
import { memoryStorage } from '../../src/storage/image-storage.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { hostStorage, portStorage } from '../../src/storage/port-page-store.ts';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { keptImagesContract } from './kept-images.ts';
import { pageStoreContract } from './page-store.ts';

const clock = { now: () => '2025-01-01T00:00:00.000Z' };

/** The storage as a worker sees it, when `storage` lives in the page. */
function throughPort(storage: ImageStorage): ImageStorage {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  hostStorage(port1, storage);
  return portStorage(port2);
}

describe('memory', () => {
  pageStoreContract(() => {
    const store = new MemoryPageStore();
    return Promise.resolve(() => Promise.resolve(store));
  });
  keptImagesContract(() => Promise.resolve(memoryStorage(clock).kept));
});

describe('memory of another program, through a port', () => {
  pageStoreContract(() => {
    const storage = memoryStorage(clock);
    return Promise.resolve(() => Promise.resolve(throughPort(storage).pages));
  });
  keptImagesContract(() => Promise.resolve(throughPort(memoryStorage(clock)).kept));
});
