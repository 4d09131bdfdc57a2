/** Folding the log: a worker dies at each boundary of it, while another tab writes, folds or sleeps. */
import { describe, expect, test } from 'vitest';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import { succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { testDatabase } from '../support/database.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';

const boundaries = ['fold.begin', 'fold.durable'];

function add(key: string): (transaction: Transaction) => Result<number> {
  return (transaction) =>
    succeed(transaction.run('INSERT INTO tool_effects VALUES (?, ?, ?)', [key, 'tool', key.repeat(50)]));
}

function keys(database: AgentDatabase): Promise<string> {
  return database.read((reader) =>
    reader
      .all('SELECT idempotency_key AS key FROM tool_effects ORDER BY 1')
      .map(({ key }) => key)
      .join(' '),
  );
}

/** What a tab that comes later finds, checked by SQLite through and through. */
async function found(store: MemoryPageStore): Promise<string> {
  const later = await testDatabase({ store, random: seededRandom(99) });
  expect(await later.read((reader) => reader.get('PRAGMA integrity_check'))).toEqual({
    integrity_check: 'ok',
  });
  const there = await keys(later);
  await later.close();
  return there;
}

/** What another tab does, before and after the one that dies. Each gives the keys that it was told are saved. */
const others: Readonly<Record<string, (other: AgentDatabase, name: string) => Promise<readonly string[]>>> = {
  sleeps: () => Promise.resolve([]),
  writes: async (other, name) => {
    value(await other.commit('test', add(name)));
    return [name];
  },
  folds: async (other) => {
    await other.refresh();
    value(await other.compactIfWorthwhile());
    return [];
  },
  'writes and folds': async (other, name) => {
    value(await other.commit('test', add(name)));
    value(await other.compactIfWorthwhile());
    return [name];
  },
};

describe.each(boundaries)('a worker that dies at %s', (boundary) => {
  test.each(Object.keys(others).flatMap((before) => Object.keys(others).map((after) => [before, after])))(
    'loses nothing when another tab %s before and %s after',
    async (before, after) => {
      const store = new MemoryPageStore();
      const crash = new CrashPlan([{ boundary, every: false }]);
      const dying = await testDatabase({ store, crash, foldAfter: 0 });
      const other = await testDatabase({ store, foldAfter: 0, random: seededRandom(2) });
      value(await dying.commit('test', add('a')));
      value(await dying.commit('test', add('b')));
      const saved = ['a', 'b', ...(await others[before]!(other, 'before'))];
      await expect(dying.compactIfWorthwhile()).rejects.toBeInstanceOf(SimulatedCrash);
      saved.push(...(await others[after]!(other, 'later')));
      expect(await found(store)).toBe([...saved].sort().join(' '));
      value(await other.commit('test', add('z')));
      expect(await found(store)).toBe([...saved, 'z'].sort().join(' '));
    },
  );
});

test('a fold that fails leaves the log as it is, and the next ones succeed', async () => {
  const store = new MemoryPageStore();
  const database = await testDatabase({ store, foldAfter: 0 });
  value(await database.commit('test', add('a')));
  const compact = store.compact.bind(store);
  store.compact = () =>
    Promise.resolve({ ok: false, failure: { type: 'StorageFull', reason: 'no room' } } as const);
  expect((await database.compactIfWorthwhile()).ok).toBe(false);
  expect(value(await store.open())?.log).toHaveLength(1);
  store.compact = compact;
  value(await database.commit('test', add('b')));
  expect(value(await database.compactIfWorthwhile())).toBe(true);
  expect(value(await store.open())?.log).toHaveLength(0);
  expect(await found(store)).toBe('a b');
});

test('a tab that slept through commits and a fold writes on what is stored, not on what it remembers', async () => {
  const store = new MemoryPageStore();
  const sleeper = await testDatabase({ store, foldAfter: 0 });
  const other = await testDatabase({ store, foldAfter: 0, random: seededRandom(2) });
  value(await sleeper.commit('test', add('a')));
  value(await other.commit('test', add('b')));
  value(await other.commit('test', add('c')));
  expect(value(await other.compactIfWorthwhile())).toBe(true);
  expect(value(await sleeper.compactIfWorthwhile())).toBe(false);
  value(await sleeper.commit('test', add('d')));
  expect(await found(store)).toBe('a b c d');
});
