import { describe } from 'vitest';
import { keptImagesContract } from '../contract/kept-images.ts';
import { pageStoreContract } from '../contract/page-store.ts';
import { browserStorage, newStorageName } from '../support/browser-storage.ts';

describe('IndexedDB', () => {
  pageStoreContract(() => {
    const storageName = newStorageName();
    return Promise.resolve(() => Promise.resolve(browserStorage(storageName).pages));
  });
  keptImagesContract(() => Promise.resolve(browserStorage(newStorageName()).kept));
});
