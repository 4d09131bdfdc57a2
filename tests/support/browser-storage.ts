/** IndexedDB storage under names that no other test has, and SQLite as the browser loads it. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { idbStorage, type IdbStorageParts } from '../../src/storage/idb-page-store.ts';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom, randomId } from '../../src/storage/random.ts';
import { loadSqlite, type Sqlite } from '../../src/storage/sqlite.ts';
import { value } from './result.ts';

export function newStorageName(): string {
  return `crashpoint-test:${randomId(cryptoRandom)}`;
}

export function browserStorage(storageName: string, over: Partial<IdbStorageParts> = {}): ImageStorage {
  return idbStorage({
    factory: indexedDB,
    storageName,
    random: cryptoRandom,
    clock: { now: () => '2025-01-01T00:00:00.000Z' },
    ...over,
  });
}

let loaded: Promise<Sqlite> | null = null;

export function browserSqlite(): Promise<Sqlite> {
  loaded ??= fetch(wasmUrl)
    .then((response) => response.arrayBuffer())
    .then(loadSqlite)
    .then(value);
  return loaded;
}
