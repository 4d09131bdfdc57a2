/** The three state stores in Node, under one contract. */
import { rmSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import { lockInWorker } from '../../src/threads/file-folder.ts';
import { FileStateStore } from '../../src/threads/file-state-store.ts';
import { InMemoryStateStore } from '../../src/threads/in-memory-state-store.ts';
import { MemoryFolder } from '../../src/threads/memory-folder.ts';
import { databaseParts } from '../support/database.ts';
import { NodeFolder } from '../support/node-folder.ts';
import { sqliteThreads } from '../support/sqlite-threads.ts';
import { stateStoreContract } from './state-store.ts';

describe('in memory', () => {
  stateStoreContract(async (clock) => {
    const store = new InMemoryStateStore({ clock });
    return async () => store;
  });
});

describe('in SQLite', () => {
  stateStoreContract(
    async (clock) => {
      const parts = await databaseParts();
      return () => sqliteThreads(parts, clock);
    },
    { schedules: 5 },
  );
});

describe('in files, in memory', () => {
  stateStoreContract(async (clock) => {
    const parts = { folder: new MemoryFolder(), lock: lockInWorker(), clock };
    return async () => new FileStateStore(parts);
  });
});

describe('in files, on the disk', () => {
  const folders: NodeFolder[] = [];
  afterAll(() => {
    for (const { path } of folders) rmSync(path, { recursive: true });
  });
  stateStoreContract(
    async (clock) => {
      const folder = new NodeFolder();
      folders.push(folder);
      const lock = lockInWorker();
      return async () => new FileStateStore({ folder, lock, clock });
    },
    { schedules: 4 },
  );
});
