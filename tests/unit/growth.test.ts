/** What a step writes and what is kept does not grow with the number of steps, and room is given back. */
import { expect, test } from 'vitest';
import { succeed, type Result } from '../../src/engine/failure.ts';
import type { Transaction } from '../../src/engine/ports.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { testDatabase } from '../support/database.ts';
import { MeteredPageStore } from '../support/metered-page-store.ts';
import { value } from '../support/result.ts';

const steps = 10_000;
const window = 1_000;

/** One checkpoint with its event, as the engine writes them; only the last 500 events are kept. */
function checkpoint(version: number): (transaction: Transaction) => Result<null> {
  return (transaction) => {
    transaction.run('UPDATE agent_runs SET version = ? WHERE run_id = ?', [version, 'run']);
    transaction.run('INSERT INTO agent_events VALUES (?, ?, ?, ?, ?, ?, ?)', [
      'run',
      version,
      'session-1',
      'checkpoint_saved',
      'classify_priority',
      `version ${version}`,
      '2025-01-01T00:00:00.000Z',
    ]);
    transaction.run('DELETE FROM agent_events WHERE run_id = ? AND sequence = ?', ['run', version - 500]);
    return succeed(null);
  };
}

test('over 10,000 steps what a step writes and what is kept stay the same', async () => {
  const store = new MeteredPageStore(new MemoryPageStore());
  const database = await testDatabase({ store });
  value(
    await database.commit('start', (transaction) => {
      transaction.run(
        "INSERT INTO agent_runs VALUES ('run', 'T104', 'running', 'classify_priority', '{}', 0)",
      );
      return succeed(null);
    }),
  );
  const written: number[] = [];
  const kept: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    value(await database.commit('test', checkpoint(step)));
    await database.compactIfWorthwhile();
    if (step % window > 0) continue;
    written.push(store.written / window);
    kept.push(store.kept);
    store.written = 0;
  }
  // The first window fills the table of 500 events; from then on nothing grows.
  const later = written.slice(1);
  const [least, most] = [Math.min(...later), Math.max(...later)];
  console.log(`bytes written a step: ${least.toFixed(0)} to ${most.toFixed(0)}; kept: ${Math.max(...kept)}`);
  expect(store.folds).toBeGreaterThan(5);
  expect(most).toBeLessThan(least * 1.5);
  expect(most).toBeLessThan(4096);
  expect(Math.max(...kept)).toBeLessThan(1024 * 1024);
});

test('deleting rows and VACUUM give the room back, in memory and in what is stored', async () => {
  const store = new MeteredPageStore(new MemoryPageStore());
  const database = await testDatabase({ store, foldAfter: 0 });
  value(
    await database.commit('test', (transaction) => {
      transaction.run('CREATE TABLE filler (id INTEGER PRIMARY KEY, body BLOB)');
      for (let row = 0; row < 3_000; row += 1)
        transaction.run('INSERT INTO filler (body) VALUES (randomblob(1000))');
      return succeed(null);
    }),
  );
  expect(value(await database.compactIfWorthwhile())).toBe(true);
  expect(store.kept).toBeGreaterThan(3_000_000);
  value(
    await database.commit('test', (transaction) => {
      transaction.run('DELETE FROM filler');
      return succeed(null);
    }),
  );
  expect(database.state.bytes).toBeGreaterThan(3_000_000);
  value(await database.vacuum());
  expect(database.state.bytes).toBeLessThan(200_000);
  value(await database.compactIfWorthwhile());
  expect(store.kept).toBeLessThan(200_000);
  const again = await testDatabase({ store });
  expect(await again.image()).toEqual(await database.image());
  expect(again.state.bytes).toBeLessThan(200_000);
});
