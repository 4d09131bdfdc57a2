/**
 * Owns: what one place of storage offers: the current image, and the images kept beside it. Three makes: the
 * browser's (`idbStorage`), this program's memory (`memoryStorage`), another program's memory (`portStorage`).
 */
import type { Clock } from '../engine/ports.ts';
import { MemoryKeptImages, type KeptImages } from './kept-images.ts';
import { MemoryPageStore } from './memory-page-store.ts';
import type { PageStore } from './page-store.ts';

export interface ImageStorage {
  readonly pages: PageStore;
  readonly kept: KeptImages;
}

/** Nothing of it outlives the program. */
export function memoryStorage(clock: Clock): ImageStorage {
  const kept = new MemoryKeptImages();
  return { pages: new MemoryPageStore(kept, clock), kept };
}
