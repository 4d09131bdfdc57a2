/** A stored database that is gone, or another page's: nothing in memory is dropped in silence, nothing of it is overwritten. */
import { beforeEach, expect, test } from 'vitest';
import { fail, succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { databaseParts, testDatabase } from '../support/database.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';

let shared: MemoryPageStore;
beforeEach(() => {
  shared = new MemoryPageStore();
});

const add =
  (key: string) =>
  (transaction: Transaction): Result<number> =>
    succeed(transaction.run(`INSERT INTO tool_effects VALUES (?, 'tool', '{}')`, [key]));

function keys(database: AgentDatabase): Promise<unknown[]> {
  return database.read((reader) =>
    reader.all('SELECT idempotency_key FROM tool_effects ORDER BY 1').map((row) => row['idempotency_key']),
  );
}

/** The store forgets its image, as a browser does that clears a site's data. */
async function evict(): Promise<void> {
  value(await shared.quarantine(value(await shared.open())?.name ?? '', 'evicted'));
}

async function storedKeys(): Promise<unknown[]> {
  const fresh = await testDatabase({ store: shared, random: seededRandom(99) });
  expect(await fresh.read((reader) => reader.all('PRAGMA integrity_check'))).toEqual([
    { integrity_check: 'ok' },
  ]);
  return keys(fresh);
}

test('a database that is gone is told by the next commit and by the next refresh, and memory keeps the last commit', async () => {
  const database = await testDatabase({ store: shared });
  value(await database.commit('test', add('a')));
  await evict();
  const gone = { ok: false, failure: { type: 'StorageGone', replaced: false } };
  expect(await database.commit('test', add('b'))).toEqual(gone);
  expect(await database.refresh()).toEqual(gone);
  expect(await keys(database)).toEqual(['a']);
  expect(value(await shared.open())).toBe(null);
});

test('what is in memory is stored again on request only, and commits go on from there', async () => {
  const database = await testDatabase({ store: shared });
  value(await database.commit('test', add('a')));
  await evict();
  expect((await database.commit('test', add('b'))).ok).toBe(false);
  expect(value(await database.storeAgain())).toBe(true);
  value(await database.commit('test', add('c')));
  expect(await storedKeys()).toEqual(['a', 'c']);
  expect(database.state.generation).toBe(2);
});

test('where another tab has stored a new database since, neither overwrites the other', async () => {
  const database = await testDatabase({ store: shared });
  value(await database.commit('test', add('a')));
  await evict();
  const other = await testDatabase({ store: shared, random: seededRandom(5) });
  value(await other.commit('test', add('other')));
  const replaced = { ok: false, failure: { type: 'StorageGone', replaced: true } };
  expect(await database.commit('test', add('b'))).toEqual(replaced);
  expect(await database.refresh()).toEqual(replaced);
  expect(value(await database.storeAgain())).toBe(false);
  expect(await keys(database)).toEqual(['a']);
  expect(await storedKeys()).toEqual(['other']);
});

test.each([true, false])(
  'storing again whose outcome stays unknown is found out by the next attempt (it had arrived: %s)',
  async (arrives) => {
    const database = await testDatabase({ store: shared });
    value(await database.commit('test', add('a')));
    await evict();
    const { create } = shared;
    shared.create = async (image) => {
      shared.create = create;
      if (arrives) value(await create.call(shared, image));
      return fail({ type: 'OutcomeUnknown', reason: 'test' });
    };
    expect(await database.storeAgain()).toMatchObject({ failure: { type: 'OutcomeUnknown' } });
    expect(value(await database.storeAgain())).toBe(true);
    value(await database.commit('test', add('b')));
    expect(await storedKeys()).toEqual(['a', 'b']);
  },
);

test('tables of a newer page are read, and every way to write them fails', async () => {
  const writer = await testDatabase({ store: shared });
  value(await writer.commit('test', add('a')));
  value(
    await writer.commit('test', (transaction) =>
      succeed(transaction.run('INSERT INTO schema_migrations VALUES (99)')),
    ),
  );
  const before = await writer.image();
  const opened = value(await openDatabase(await databaseParts({ store: shared, random: seededRandom(3) })));
  const newer = { type: 'FormatNewer', what: 'tables', stored: 99 };
  expect(opened.state.readOnly).toMatchObject(newer);
  expect(await keys(opened)).toEqual(['a']);
  expect(await opened.image()).toEqual(before);
  expect(await opened.commit('test', add('b'))).toMatchObject({ ok: false, failure: newer });
  expect(await opened.replace('reset', { bytes: before })).toMatchObject({ ok: false, failure: newer });
  expect(value(await opened.compactIfWorthwhile())).toBe(false);
  expect(value(await writer.refresh())).toBe(false);
  expect(await writer.image()).toEqual(before);
});
