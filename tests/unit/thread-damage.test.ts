/** What a store does with a thread that it can't read: it is put aside, whole and named, and the others go on. */
import { describe, expect, test } from 'vitest';
import { succeed } from '../../src/engine/failure.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { StateCorruptError, StateNewerError } from '../../src/threads/errors.ts';
import { lockInWorker } from '../../src/threads/file-folder.ts';
import { FileStateStore } from '../../src/threads/file-state-store.ts';
import { MemoryFolder } from '../../src/threads/memory-folder.ts';
import { SqliteStateStore } from '../../src/threads/sqlite-state-store.ts';
import type { StateStore } from '../../src/threads/state-store.ts';
import { databaseParts } from '../support/database.ts';
import { value } from '../support/result.ts';
import { saying } from '../support/thread-states.ts';

const clock = { now: () => '2026-01-05T09:00:00.000Z' };

interface Damaged {
  readonly store: StateStore;
  /** The document of `t` as text. */
  text(): Promise<string>;
  replace(text: string): Promise<void>;
  /** What was put aside, as text. */
  aside(): Promise<readonly string[]>;
}

async function inFiles(): Promise<Damaged> {
  const folder = new MemoryFolder();
  const textOf = async (name: string) => new TextDecoder().decode((await folder.read(name)) ?? undefined);
  return {
    store: new FileStateStore({ folder, lock: lockInWorker(), clock }),
    text: () => textOf('t.json'),
    replace: (text) => folder.write('t.json', new TextEncoder().encode(text)),
    aside: async () =>
      Promise.all((await folder.list()).filter((name) => name.includes('.damaged-')).map(textOf)),
  };
}

async function inSqlite(): Promise<Damaged> {
  const database: AgentDatabase = value(await openDatabase(await databaseParts()));
  const texts = (sql: string): Promise<string[]> =>
    database.read((reader) => reader.all(sql).map((row) => String(row['document_json'])));
  return {
    store: new SqliteStateStore({ database, refresh: () => database.refresh(), clock }),
    text: async () => (await texts(`SELECT document_json FROM threads WHERE thread_id = 't'`))[0] ?? '',
    replace: async (text) => {
      const sql = `UPDATE threads SET document_json = ? WHERE thread_id = 't'`;
      value(await database.commit('test', (transaction) => succeed(transaction.run(sql, [text]))));
    },
    aside: () => texts('SELECT document_json FROM quarantined_threads'),
  };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (done) => ({ done }),
    (error: unknown) => error,
  );

describe.each([
  ['files', inFiles],
  ['SQLite', inSqlite],
])('in %s', (_, make) => {
  async function damaged(change: (text: string) => string): Promise<Damaged & { readonly after: string }> {
    const made = await make();
    await made.store.saveState('t', saying('one'));
    await made.store.saveState('t', saying('two'));
    await made.store.saveState('other', saying('kept'));
    const after = change(await made.text());
    await made.replace(after);
    return { ...made, after };
  }

  test.each<[string, (text: string) => string, string]>([
    ['is cut off', (text) => text.slice(0, -20), 'it is no JSON'],
    ['is empty', () => '', 'it is no JSON: it is empty'],
    [
      'holds NaN, as aisuite writes it',
      (text) => text.replace('"max_turns": 5', '"max_turns": NaN'),
      'no JSON',
    ],
    [
      'lacks its state',
      (text) => text.replace('"state":', '"sate":'),
      'state: is missing; an object belongs there',
    ],
    [
      'has a text for a revision',
      (text) => text.replace('"revision": 2', '"revision": "2"'),
      'revision: is a string',
    ],
    [
      'holds another thread',
      (text) => text.replace('"thread_id": "t"', '"thread_id": "u"'),
      'holds another thread',
    ],
    [
      'holds a number that JavaScript has not got',
      (text) => text.replace('"metadata": {}', '"metadata": {"n": 12345678901234567890}'),
      'the number 12345678901234567890',
    ],
    [
      'has a status that is none',
      (text) => text.replace('"completed"', '"done"'),
      'state.status: is a string ("done")',
    ],
  ])('a thread that %s is put aside, and the others go on', async (_, change, reason) => {
    const { store, after, aside } = await damaged(change);
    const before = await store.listThreads();
    expect(before.threads.map(({ threadId }) => threadId)).toEqual(['other']);
    expect(before.unread).toMatchObject([{ type: 'corrupt', threadId: 't' }]);
    expect(before.unread[0]?.reason).toContain(reason);

    const error = await failureOf(store.loadState('t'));
    expect(error).toBeInstanceOf(StateCorruptError);
    expect((error as StateCorruptError).reason).toContain(reason);
    expect(await aside()).toEqual([after]);
    const listed = await store.listThreads();
    expect(listed.unread).toMatchObject([
      { type: 'quarantined', threadId: 't', name: (error as StateCorruptError).keptAs },
    ]);
    expect(await store.loadState('other')).toMatchObject({ revision: 1 });

    // The id is free again, and none of its revisions comes again.
    expect(await store.loadState('t')).toBe(null);
    const again = await store.createState('t', saying('new'));
    expect(again.revision).toBeGreaterThan(2);
    expect(await failureOf(store.saveState('t', saying('late'), { revision: 2 }))).toMatchObject({
      name: 'StateConflictError',
      found: again.revision,
    });
  });

  test('a save onto a damaged thread puts it aside and says so, and a deletion keeps its bytes', async () => {
    const first = await damaged(() => '{');
    expect(await failureOf(first.store.saveState('t', saying('new')))).toBeInstanceOf(StateCorruptError);
    expect(await first.aside()).toEqual(['{']);
    const revision = (await first.store.saveState('t', saying('new'))).revision;
    await first.replace('[');
    await first.store.deleteState('t');
    expect(await first.aside()).toEqual(['{', '[']);
    expect((await first.store.createState('t', saying('newer'))).revision).toBeGreaterThan(revision);
  });

  test('a thread of a newer format is neither read nor changed', async () => {
    const { store, after, text, aside } = await damaged((before) =>
      before.replace('"schema_version": 1', '"schema_version": 2'),
    );
    for (const work of [
      () => store.loadState('t'),
      () => store.saveState('t', saying('new')),
      () => store.createState('t', saying('new')),
      () => store.deleteState('t'),
    ]) {
      const error = await failureOf(work());
      expect(error).toBeInstanceOf(StateNewerError);
      expect(error).toMatchObject({ stored: 2, known: 1 });
    }
    expect(await text()).toBe(after);
    expect(await aside()).toEqual([]);
    expect((await store.listThreads()).unread).toMatchObject([{ type: 'newer', threadId: 't' }]);
  });
});

describe('the table of threads', () => {
  test('a row whose revision is not its document’s is put aside', async () => {
    const database = value(await openDatabase(await databaseParts()));
    const store = new SqliteStateStore({ database, refresh: () => database.refresh(), clock });
    await store.saveState('t', saying('one'));
    value(
      await database.commit('test', (transaction) =>
        succeed(transaction.run(`UPDATE threads SET revision = 7, document_json = document_json`)),
      ),
    );
    expect(await failureOf(store.loadState('t'))).toBeInstanceOf(StateCorruptError);
    expect((await store.createState('t', saying('new'))).revision).toBe(8);
  });

  test('a document that is no text keeps its bytes', async () => {
    const database = value(await openDatabase(await databaseParts()));
    const store = new SqliteStateStore({ database, refresh: () => database.refresh(), clock });
    await store.saveState('t', saying('one'));
    const bytes = Uint8Array.from([0, 255, 1]);
    value(
      await database.commit('test', (transaction) =>
        succeed(transaction.run('UPDATE threads SET document_json = ?', [bytes])),
      ),
    );
    expect(await failureOf(store.loadState('t'))).toBeInstanceOf(StateCorruptError);
    expect(
      await database.read((reader) => reader.get('SELECT document_json FROM quarantined_threads')),
    ).toEqual({ document_json: bytes });
  });
});
