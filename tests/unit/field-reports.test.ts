/**
 * What happened to others and has no other home among the tests: each is named after what must hold here.
 * src/storage/README.md lists all reports with their tests.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { succeed } from '../../src/engine/failure.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { assemble } from '../../src/storage/stored-image.ts';
import { testDatabase } from '../support/database.ts';
import { FaultyPageStore } from '../support/faulty-page-store.ts';
import { storedInFormat1 } from '../support/format-1.ts';
import { seededRandom } from '../support/random.ts';
import { value } from '../support/result.ts';
import { testSqlite } from '../support/sqlite.ts';

/** An event that points at no run: refused as long as foreign keys are on. */
function orphan(database: AgentDatabase): Promise<unknown> {
  return database.commit('test', (transaction) =>
    succeed(
      transaction.run(
        "INSERT INTO agent_events VALUES ('nobody', 1, 'session-1', 'run_started', 'a', '', '')",
      ),
    ),
  );
}

function write(database: AgentDatabase, key: string): Promise<unknown> {
  return database.commit('test', (transaction) =>
    succeed(transaction.run('INSERT INTO tool_effects VALUES (?, ?, ?)', [key, 'tool', '{}'])),
  );
}

describe('foreign keys stay on', () => {
  let store: FaultyPageStore;
  let database: AgentDatabase;
  let other: AgentDatabase;
  beforeEach(async () => {
    const shared = new MemoryPageStore();
    store = new FaultyPageStore(shared);
    database = await testDatabase({ store, foldAfter: 0 });
    other = await testDatabase({ store: shared, foldAfter: 0, random: seededRandom(2) });
  });

  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    'a commit': () => write(database, 'a'),
    'a download': () => database.image(),
    'a fold': async () => {
      await write(database, 'a');
      expect(value(await database.compactIfWorthwhile())).toBe(true);
    },
    'a commit that was refused': async () => {
      store.faults.push({ failure: { type: 'StorageFull', reason: 'test' }, arrives: false });
      expect(await write(database, 'a')).toMatchObject({ ok: false });
    },
    'taking in what another tab wrote': async () => {
      await write(other, 'a');
      expect(value(await database.refresh())).toBe(true);
    },
    'opening again because another tab folded': async () => {
      await write(other, 'a');
      await write(other, 'b');
      expect(value(await other.compactIfWorthwhile())).toBe(true);
      expect(value(await database.refresh())).toBe(true);
    },
    'a reset': async () =>
      value(await database.replace('reset', { bytes: freshImage(await testSqlite(), seededRandom(3)) })),
    VACUUM: async () => value(await database.vacuum()),
  };

  test.each(Object.keys(ways))('after %s', async (way) => {
    await ways[way]!();
    await expect(orphan(database)).rejects.toThrow('FOREIGN KEY');
    expect(await write(database, 'later')).toMatchObject({ ok: true });
  });
});

test('what version 0.1.0 stored is read by every later version', async () => {
  const assembled = assemble(await loadChecksum(), storedInFormat1());
  if (assembled.type !== 'image') throw new Error(JSON.stringify(assembled));
  expect(assembled.head.generation).toBe(2);
  const { database, file } = (await testSqlite()).openRecorded(assembled.pages);
  expect(database.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']]);
  expect(database.exec('SELECT run_id, next_action, version FROM agent_runs')[0]?.values).toEqual([
    ['run-T104', 'lookup_runbook', 1],
  ]);
  expect(database.exec('SELECT event_type FROM agent_events ORDER BY sequence')[0]?.values).toEqual([
    ['run_started'],
    ['checkpoint_saved'],
  ]);
  expect(file.isDirty).toBe(false);
  database.close();
});
