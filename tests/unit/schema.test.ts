import { expect, test } from 'vitest';
import schemaSql from '../../static/schema.sql?raw';
import { CrashPlan } from '../../src/engine/crash.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { ImagePages } from '../../src/storage/image-pages.ts';
import { sealBase } from '../../src/storage/stored-records.ts';
import { testDatabase } from '../support/database.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';
import { testSqlite } from '../support/sqlite.ts';

const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`;

async function storeWith(sql: string): Promise<MemoryPageStore> {
  const scratch = (await testSqlite()).openScratch(null);
  scratch.exec(sql);
  const store = new MemoryPageStore();
  const head = { incarnation: 'i', generation: 0, id: 'start' };
  value(await store.create(sealBase(await loadChecksum(), head, ImagePages.of(scratch.export()))));
  scratch.close();
  return store;
}

test('the three tables are to the letter those of static/schema.sql', async () => {
  const database = await testDatabase();
  const stored = await database.read((reader) =>
    reader.all(`SELECT sql FROM sqlite_schema WHERE name IN ('agent_runs', 'agent_events', 'tool_effects')`),
  );
  for (const { sql } of stored) expect(schemaSql).toContain(`${String(sql)};`);
  expect(stored).toHaveLength(3);
});

test('an image that holds only the three tables gets the further ones in one commit, and once', async () => {
  const store = await storeWith(schemaSql);
  const crash = new CrashPlan();
  const database = await testDatabase({ store, crash });
  expect(crash.reached).toEqual(['open.migrate.begin', 'open.migrate.committed', 'open.migrate.durable']);
  expect(database.state.generation).toBe(1);
  const fresh = await testDatabase();
  expect(await database.read((reader) => reader.all(tables))).toEqual(
    await fresh.read((reader) => reader.all(tables)),
  );
  expect((await testDatabase({ store })).state.generation).toBe(1);
});

test('a crash while the further tables are added leaves an image that opens', async () => {
  const store = await storeWith(schemaSql);
  const crash = new CrashPlan([{ boundary: 'open.migrate.committed', every: false }]);
  await expect(testDatabase({ store, crash })).rejects.toThrow('simulated crash');
  expect((await testDatabase({ store })).state.generation).toBe(1);
});

test('two tabs that open at once succeed, on a fresh store and on one that lacks the further tables', async () => {
  for (const store of [new MemoryPageStore(), await storeWith(schemaSql)]) {
    const labs = await Promise.all(
      [1, 2].map(async (seed) => {
        const database = await testDatabase({ store, random: seededRandom(seed) });
        value(await database.refresh());
        return database.read((reader) => reader.get('SELECT lab_id FROM lab')?.['lab_id']);
      }),
    );
    expect(labs[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(labs[1]).toBe(labs[0]);
  }
});

test('every fresh image has a lab id of its own', async () => {
  const sqlite = await testSqlite();
  const random = seededRandom(1);
  expect(freshImage(sqlite, random)).not.toEqual(freshImage(sqlite, random));
});

test('replacing by an image that lacks the further tables adds them in the same commit', async () => {
  const scratch = (await testSqlite()).openScratch(null);
  scratch.exec(schemaSql);
  const database = await testDatabase();
  value(await database.replace('import', { bytes: scratch.export() }));
  expect(database.state.generation).toBe(1);
  expect(await database.read((reader) => reader.all('SELECT id FROM lab'))).toEqual([{ id: 1 }]);
});
