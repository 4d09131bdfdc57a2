import { expect, test } from 'vitest';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import { fail, succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { seededRandom } from '../support/random.ts';
import { testDatabase } from '../support/database.ts';
import { value } from '../support/result.ts';

function addEffect(key: string): (transaction: Transaction) => Result<number> {
  return (transaction) =>
    succeed(
      transaction.run('INSERT INTO tool_effects (idempotency_key, tool_name, result_json) VALUES (?, ?, ?)', [
        key,
        'lookup_runbook',
        '{}',
      ]),
    );
}

function effects(database: AgentDatabase): Promise<unknown[]> {
  return database.read((reader) =>
    reader.all('SELECT idempotency_key FROM tool_effects ORDER BY 1').map((row) => row['idempotency_key']),
  );
}

test('an acknowledged commit is there after opening again', async () => {
  const store = new MemoryPageStore();
  const first = await testDatabase({ store });
  expect(value(await first.commit('test', addEffect('a')))).toBe(1);
  expect(first.state).toMatchObject({
    generation: 1,
    savedAtUtc: '2025-01-01T00:00:00.000Z',
    kind: 'memory',
  });
  expect(await effects(await testDatabase({ store }))).toEqual(['a']);
});

test('opening what is stored writes nothing', async () => {
  const store = new MemoryPageStore();
  const random = seededRandom(1);
  await testDatabase({ store, random });
  const again = await testDatabase({ store, random });
  expect(again.state).toMatchObject({ generation: 0, savedAtUtc: null });
});

test('a body that returns a failure writes nothing and its failure is the answer', async () => {
  const database = await testDatabase();
  const failure = { type: 'RunNotFound', runId: 'r' } as const;
  const result = await database.commit('test', (transaction) => {
    addEffect('a')(transaction);
    return fail(failure);
  });
  expect(result).toEqual({ ok: false, failure });
  expect(await effects(database)).toEqual([]);
  expect(database.state.generation).toBe(0);
});

test('a body that throws writes nothing, the throw passes, and the next commit works', async () => {
  const database = await testDatabase();
  const thrown = database.commit('test', (transaction) => {
    addEffect('a')(transaction);
    throw new Error('fault');
  });
  await expect(thrown).rejects.toThrow('fault');
  value(await database.commit('test', addEffect('b')));
  expect(await effects(database)).toEqual(['b']);
});

test('a commit that changes nothing writes nothing', async () => {
  const database = await testDatabase();
  value(await database.commit('test', () => succeed(null)));
  expect(database.state).toMatchObject({ generation: 0, savedAtUtc: null });
});

test('commits are made one after the other, and a read sees the durable state only', async () => {
  const database = await testDatabase();
  const commits = ['a', 'b', 'c'].map((key) => database.commit('test', addEffect(key)));
  const read = effects(database);
  expect((await Promise.all(commits)).every((result) => result.ok)).toBe(true);
  expect(await read).toEqual(['a', 'b', 'c']);
});

test('a read that writes is a fault', async () => {
  const database = await testDatabase();
  await expect(database.read((reader) => reader.all('DELETE FROM lab'))).rejects.toThrow('a read wrote');
});

test('boundaries are announced in order', async () => {
  const crash = new CrashPlan();
  const database = await testDatabase({ crash });
  value(await database.commit('step', addEffect('a')));
  expect(crash.reached).toEqual(['step.begin', 'step.committed', 'step.durable']);
});

test.each([
  ['step.begin', []],
  ['step.committed', []],
  ['step.durable', ['a']],
])('a crash at %s leaves what was durable then, and touches nothing afterwards', async (boundary, stored) => {
  const store = new MemoryPageStore();
  const crash = new CrashPlan([{ boundary, every: false }]);
  const database = await testDatabase({ store, crash });
  await expect(database.commit('step', addEffect('a'))).rejects.toBeInstanceOf(SimulatedCrash);
  expect(crash.touchedAfterCrash).toBe(0);
  await expect(effects(database)).rejects.toBeInstanceOf(SimulatedCrash);
  expect(await effects(await testDatabase({ store }))).toEqual(stored);
});

test('the last commit tells which rows it changed', async () => {
  const database = await testDatabase();
  value(await database.commit('step', addEffect('a')));
  expect(database.lastCommit).toEqual({
    boundary: 'step',
    changes: [{ table: 'tool_effects', rowid: 1, operation: 'insert' }],
  });
});

test('the downloaded image holds everything, and the database goes on as before', async () => {
  const database = await testDatabase();
  value(await database.commit('step', addEffect('a')));
  const image = await database.image();
  expect(image.length).toBe(database.state.bytes);
  expect(await database.read((reader) => reader.get('PRAGMA foreign_keys'))).toEqual({ foreign_keys: 1 });
  value(await database.commit('step', addEffect('b')));
  value(await database.replace('undo', { bytes: image }));
  expect(await effects(database)).toEqual(['a']);
  expect(database.state.generation).toBe(3);
});
