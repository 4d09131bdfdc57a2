/** What every state store must do, whoever makes it. The makes run this suite, in Node and in the browser. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/engine/ports.ts';
import {
  StateConflictError,
  StateNotJsonError,
  ThreadAlreadyExistsError,
  ThreadIdError,
} from '../../src/threads/errors.ts';
import type { RunState } from '../../src/threads/records.ts';
import type { StateStore } from '../../src/threads/state-store.ts';
import { exportThreads, importThread, threadFile } from '../../src/threads/thread-files.ts';
import { saying, threadState } from '../support/thread-states.ts';

/** Opens one more store over the same storage, as another tab would. */
export type OpenStateStore = () => Promise<StateStore>;

/** Ids that have broken something somewhere. */
export const trickyIds: readonly string[] = [
  'plain',
  'a/b',
  'a\\b',
  ' with spaces ',
  '🚒 rescue',
  `it's "quoted"`,
  '.',
  '..',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'CON',
  'a%2Fb',
  '%',
  'é',
  'e\u0301',
  'Plain',
  'a:b',
  '.hidden',
  'x.json',
  'x.deleted',
  'x.json.damaged-1',
  "'; DROP TABLE threads; --",
  "' OR '1'='1",
  'line\nbreak',
  '*?<>|',
  'x'.repeat(300),
  'x'.repeat(1024),
  `${'x'.repeat(1023)}y`,
  '🚒'.repeat(1024),
];

/** `make` gives a place where nothing is stored yet. */
export function stateStoreContract(
  make: (clock: Clock) => Promise<OpenStateStore>,
  { schedules = 12 }: { readonly schedules?: number } = {},
): void {
  /** Each look at the clock is a second later, unless `turn` sets it. */
  function testClock(): Clock & { turn(utc: string): void } {
    let milliseconds = Date.parse('2026-01-05T09:00:00.000Z');
    return {
      now: () => new Date((milliseconds += 1000)).toISOString(),
      turn: (utc) => (milliseconds = Date.parse(utc)),
    };
  }
  const stores = async (count: number, clock: Clock = testClock()): Promise<StateStore[]> => {
    const open = await make(clock);
    return Promise.all(Array.from({ length: count }, open));
  };
  const one = async (clock?: Clock): Promise<StateStore> => (await stores(1, clock))[0]!;
  let sharedStore: Promise<StateStore> | null = null;
  /** For tests of what leaves a store as it was. */
  const shared = (): Promise<StateStore> => (sharedStore ??= one());
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (done) => ({ done }),
      (error: unknown) => error,
    );
  const content = (state: RunState | undefined): unknown => state?.messages[0]?.['content'];

  describe('saving', () => {
    test('nothing is stored at first, and deleting it changes nothing', async () => {
      const store = await one();
      expect(await store.loadState('t')).toBe(null);
      await store.deleteState('t');
      await store.deleteState('t');
      expect(await store.loadState('t')).toBe(null);
      expect(await store.listThreads()).toEqual({ threads: [], unread: [] });
      expect((await store.saveState('t', threadState())).revision).toBe(1);
    });

    test('the first save is revision 1, each one more; created_at stays and updated_at moves', async () => {
      const store = await one();
      const first = await store.saveState('t', saying('one'));
      const second = await store.saveState('t', saying('two'), { revision: 1 });
      const third = await store.saveState('t', saying('three'), { revision: 2 });
      expect([first, second, third].map(({ revision }) => revision)).toEqual([1, 2, 3]);
      expect(new Set([first, second, third].map(({ created_at }) => created_at)).size).toBe(1);
      expect([first, second, third].map(({ updated_at }) => Date.parse(updated_at))).toEqual(
        [0, 1, 2].map((step) => Date.parse(first.created_at) + step * 1000),
      );
      expect(first.created_at).toMatch(/^2026-01-05T09:\d\d:\d\d\+00:00$/);
      expect(await store.loadState('t')).toEqual(third);
    });

    test('what was saved is there for whoever opens the storage later', async () => {
      const [a, b] = await stores(2);
      const stored = await a!.saveState('t', saying('one'), { metadata: { colour: 'red' } });
      expect(await b!.loadState('t')).toEqual(stored);
    });

    test('another revision than the stored one is a conflict that carries what was not saved', async () => {
      const store = await one();
      await store.saveState('t', saying('one'));
      await store.saveState('t', saying('two'));
      const error = await failureOf(store.saveState('t', saying('late'), { revision: 1 }));
      expect(error).toBeInstanceOf(StateConflictError);
      expect(error).toMatchObject({
        name: 'StateConflictError',
        message: `State revision conflict for 't': expected 1, found 2.`,
        expected: 1,
        found: 2,
        unsaved: saying('late'),
      });
      expect(content((await store.loadState('t'))?.state)).toBe('two');
    });

    test('a revision of a thread that is not there is a conflict with none', async () => {
      const store = await one();
      expect(await failureOf(store.saveState(`it's`, threadState(), { revision: 1 }))).toMatchObject({
        message: `State revision conflict for "it's": expected 1, found none.`,
        found: null,
      });
      expect(await store.loadState(`it's`)).toBe(null);
    });

    test('a save without a revision replaces what is stored, as other programs expect', async () => {
      const store = await one();
      await store.saveState('t', saying('one'));
      expect((await store.saveState('t', saying('two'), { revision: null })).revision).toBe(2);
      expect(content((await store.loadState('t'))?.state)).toBe('two');
    });

    test('metadata stays when none is given, {} clears it, any other replaces it', async () => {
      const store = await one();
      const metadata = { owner: 'Ada', flags: { urgent: false, none: null, empty: '' } };
      await store.saveState('t', threadState(), { metadata });
      expect((await store.saveState('t', threadState())).metadata).toEqual(metadata);
      expect((await store.saveState('t', threadState(), { metadata: { b: 0 } })).metadata).toEqual({ b: 0 });
      expect((await store.saveState('t', threadState(), { metadata: {} })).metadata).toEqual({});
      expect((await store.loadState('t'))?.metadata).toEqual({});
    });

    test('what is given, returned or loaded is a copy: changing it changes nothing stored', async () => {
      const store = await one();
      const state = threadState({ messages: [{ role: 'user', content: 'kept', parts: ['a'] }] });
      const metadata = { tags: ['a'] };
      const spoil = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        for (const [key, item] of Object.entries(value)) {
          spoil(item);
          Reflect.set(value, key, 'spoilt');
        }
      };
      const returned = await store.saveState('t', state, { metadata });
      const before = structuredClone(returned);
      spoil(state);
      spoil(metadata);
      spoil(returned);
      spoil(await store.loadState('t'));
      expect(await store.loadState('t')).toEqual(before);
      expect(before.state.messages[0]?.['parts']).toEqual(['a']);
    });

    test('keys of another program in state and steps stay', async () => {
      const store = await one();
      const state = { ...threadState(), further: { kept: [1] } };
      await store.saveState('t', state);
      expect((await store.loadState('t'))?.state).toEqual(state);
    });
  });

  describe('holes of the model', () => {
    test('of two first runs on one new id one creates it, and the other is told', async () => {
      const [a, b] = await stores(2);
      const outcomes = await Promise.all([
        failureOf(a!.createState('t', saying('a'))),
        failureOf(b!.createState('t', saying('b'))),
      ]);
      const told = outcomes.filter((outcome) => outcome instanceof ThreadAlreadyExistsError);
      expect(told).toHaveLength(1);
      expect(told[0]).toMatchObject({ name: 'ThreadAlreadyExistsError', revision: 1 });
      expect(told[0]!.message).toMatch(/^Thread 't' already exists\. /);
      const kept = outcomes[0] === told[0] ? 'b' : 'a';
      for (const store of [a!, b!]) {
        expect(content((await store.loadState('t'))?.state)).toBe(kept);
      }
    });

    test('a thread that is deleted and created again goes on counting: an old continue is a conflict', async () => {
      const [a, b] = await stores(2);
      const old = await a!.saveState('t', saying('old'));
      await a!.saveState('t', saying('old'));
      await b!.deleteState('t');
      expect(await failureOf(a!.saveState('t', saying('late'), { revision: 2 }))).toMatchObject({
        found: null,
      });
      const again = await b!.createState('t', saying('new'));
      expect(again.revision).toBe(3);
      expect(await failureOf(a!.saveState('t', saying('late'), { revision: old.revision }))).toMatchObject({
        expected: 1,
        found: 3,
      });
      await a!.deleteState('t');
      await a!.deleteState('t');
      expect((await b!.saveState('t', saying('third'))).revision).toBe(4);
      expect((await b!.loadState('t'))?.created_at).not.toBe(old.created_at);
    });

    test.each<[string, unknown, string]>([
      ['NaN', { n: [0, Number.NaN] }, 'state.metadata.n[1]'],
      ['an infinity', { n: Infinity }, 'state.metadata.n'],
      ['undefined', { n: undefined }, 'state.metadata.n'],
      ['a function', { f: () => 1 }, 'state.metadata.f'],
      ['a BigInt', { n: 1n }, 'state.metadata.n'],
      ['a Date', { at: new Date(0) }, 'state.metadata.at'],
      ['a Map', { m: new Map() }, 'state.metadata.m'],
      ['a lone surrogate', { s: '\ud800' }, 'state.metadata.s'],
    ])('%s is refused with its path, and nothing is written', async (_, metadata, path) => {
      const store = await shared();
      const before = await store.saveState('t', saying('kept'));
      const error = await failureOf(store.saveState('t', threadState({ metadata: metadata as never })));
      expect(error).toBeInstanceOf(StateNotJsonError);
      expect(error).toMatchObject({ name: 'StateNotJsonError', path });
      expect(await store.loadState('t')).toEqual(before);
    });

    test('a cycle and a state that is none are refused with a path', async () => {
      const store = await one();
      const circle: Record<string, unknown> = {};
      circle['again'] = circle;
      const refused = (state: unknown, metadata?: unknown) =>
        failureOf(store.saveState('t', state as RunState, metadata ? { metadata: metadata as never } : {}));
      expect(await refused(threadState({ metadata: circle as never }))).toMatchObject({
        path: 'state.metadata.again',
      });
      expect(await refused({ ...threadState(), status: 'done' })).toMatchObject({ path: 'state.status' });
      expect(await refused({ ...threadState(), messages: ['hello'] })).toMatchObject({
        path: 'state.messages[0]',
      });
      expect(await refused(null)).toMatchObject({ path: 'state' });
      expect(await refused(threadState(), { when: new Date(0) })).toMatchObject({ path: 'metadata.when' });
      expect(await refused(threadState(), ['list'])).toMatchObject({ path: 'metadata' });
      expect(await store.loadState('t')).toBe(null);
    });

    test.each<[string, string]>([
      ['empty', ''],
      ['a lone surrogate', 'a\ud83d'],
      ['1,025 characters', '🚒'.repeat(1025)],
      ['a zero byte', 'a\0b'],
      ['a key', `sk-${'a'.repeat(20)}`],
      ['no text', 7 as unknown as string],
    ])('an id that is %s is refused by every method with the same error', async (_, id) => {
      const store = await shared();
      const before = await store.listThreads();
      for (const work of [
        () => store.saveState(id, threadState()),
        () => store.createState(id, threadState()),
        () => store.loadState(id),
        () => store.deleteState(id),
      ]) {
        const error = await failureOf(work());
        expect(error).toBeInstanceOf(ThreadIdError);
        expect(error).toMatchObject({ name: 'ThreadIdError' });
      }
      expect(await store.listThreads()).toEqual(before);
    });

    test('ids of all kinds and lengths are threads of their own', async () => {
      const store = await one();
      for (const [at, id] of trickyIds.entries()) await store.createState(id, saying(String(at)));
      for (const [at, id] of trickyIds.entries()) {
        const stored = await store.loadState(id);
        expect([stored?.thread_id, content(stored?.state), stored?.revision]).toEqual([id, String(at), 1]);
      }
      const listed = await store.listThreads();
      expect(listed.threads.map(({ threadId }) => threadId)).toEqual([...trickyIds].sort());
      expect(listed.unread).toEqual([]);
      const deleted = ['..', '__proto__', 'Plain', `${'x'.repeat(1023)}y`];
      for (const id of deleted) await store.deleteState(id);
      expect((await store.listThreads()).threads.map(({ threadId }) => threadId)).toEqual(
        trickyIds.filter((id) => !deleted.includes(id)).sort(),
      );
    });
  });

  describe('reports from the field', () => {
    test('a clock that steps back does not make an older save the latest (langgraphjs 2854)', async () => {
      const clock = testClock();
      const store = await one(clock);
      const first = await store.saveState('t', saying('older'));
      clock.turn('2001-01-01T00:00:00.000Z');
      const second = await store.saveState('t', saying('newer'));
      expect(content((await store.loadState('t'))?.state)).toBe('newer');
      expect(second.updated_at).toBe(first.updated_at);
      clock.turn('2026-02-01T00:00:00.000Z');
      expect((await store.saveState('t', saying('newest'))).updated_at).toBe('2026-02-01T00:00:01+00:00');
    });

    test('false, 0, empty and null survive; nothing is put in the place of a value (langgraphjs 1154)', async () => {
      const store = await one();
      const data = {
        no: false,
        zero: 0,
        empty: '',
        nothing: null,
        list: [],
        object: {},
        small: 1e-7,
        big: 1e21,
      };
      const step = { id: 'step_1', type: 'custom', trace_id: 'x', started_at: '', data } as const;
      const state = threadState({
        metadata: data,
        steps: [{ ...step, name: null, parent_id: null, ended_at: null }],
      });
      await store.saveState('t', state, { metadata: data });
      const stored = await store.loadState('t');
      expect(stored?.state).toEqual(state);
      expect(stored?.metadata).toEqual(data);
    });

    test('a zero byte in a message comes back whole, and what stands after it (ARTEX 112)', async () => {
      const store = await one();
      const odd = 'a\0b\u2028\ufeff\u007f\ud83d\ude92 é "\\';
      await store.saveState('t', threadState({ messages: [{ [odd]: odd }] }));
      expect((await store.loadState('t'))?.state.messages).toEqual([{ [odd]: odd }]);
    });

    test('ids that would be one when joined with others are two (BEM-AI 87)', async () => {
      const store = await one();
      const ids = ['a:b', 'a', 'b', 'a/b', 'a%3Ab', 'a_b', 'a-b', 'ab'];
      for (const id of ids) await store.createState(id, saying(id));
      for (const id of ids) expect(content((await store.loadState(id))?.state)).toBe(id);
    });

    test('__proto__ is an id and a key like any other (langgraphjs 2352)', async () => {
      const store = await one();
      const message: RunState['messages'][number] = JSON.parse('{"__proto__": {"admin": true}}');
      expect(await store.loadState('__proto__')).toBe(null);
      await store.createState('__proto__', threadState({ messages: [message] }));
      const loaded = (await store.loadState('__proto__'))?.state.messages[0];
      expect(JSON.stringify(loaded)).toBe('{"__proto__":{"admin":true}}');
      expect(Reflect.get({}, 'admin')).toBe(undefined);
    });

    test('an id or a metadata key never becomes SQL (CVE-2025-8709)', async () => {
      const store = await one();
      await store.saveState('t', saying('kept'));
      const hostile = `x' OR 1=1; DELETE FROM threads; --`;
      expect(await store.loadState(hostile)).toBe(null);
      await store.deleteState(hostile);
      await store.saveState(hostile, threadState(), { metadata: { [hostile]: hostile } });
      expect((await store.loadState(hostile))?.metadata).toEqual({ [hostile]: hostile });
      expect(content((await store.loadState('t'))?.state)).toBe('kept');
    });

    test('what looks like a key is in no store and not in what a save returns', async () => {
      const store = await one();
      const key = `sk-${'a1'.repeat(12)}`;
      const stored = await store.saveState('t', saying(`my key is ${key}`), { metadata: { key } });
      expect(await store.loadState('t')).toEqual(stored);
      expect(JSON.stringify(stored)).not.toContain(key);
    });
  });

  describe('two at once', () => {
    test('of saves that start from one revision exactly one is stored, whatever the schedule', async () => {
      const action = fc.record({
        store: fc.nat(2),
        type: fc.constantFrom('save', 'save', 'save', 'create', 'delete', 'force'),
        revision: fc.integer({ min: 1, max: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 9 }), async (actions) => {
          const made = await stores(3);
          /** Revision and content of each save that was acknowledged. */
          const saves: { revision: number; said: unknown; from: number | 'none' | null }[] = [];
          await Promise.all(
            actions.map(async ({ store: at, type, revision }, number) => {
              const store = made[at]!;
              const state = saying(String(number));
              try {
                if (type === 'delete') return await store.deleteState('t');
                const from = type === 'save' ? revision : type === 'create' ? 'none' : null;
                const stored =
                  type === 'create'
                    ? await store.createState('t', state)
                    : await store.saveState('t', state, type === 'save' ? { revision } : {});
                saves.push({ revision: stored.revision, said: content(stored.state), from });
              } catch (error) {
                if (error instanceof StateConflictError || error instanceof ThreadAlreadyExistsError) return;
                throw error;
              }
            }),
          );
          const revisions = saves.map(({ revision }) => revision).sort((a, b) => a - b);
          expect(revisions).toEqual(revisions.map((_, index) => index + 1));
          for (const { revision, from } of saves)
            if (typeof from === 'number') expect(revision).toBe(from + 1);
          const ends = await Promise.all(made.map((store) => store.loadState('t')));
          for (const end of ends) expect(end).toEqual(ends[0]);
          const last = saves.find(({ revision }) => revision === revisions.length);
          if (ends[0])
            expect([ends[0].revision, content(ends[0].state)]).toEqual([last?.revision, last?.said]);
          else if (saves.length > 0) expect(actions.some(({ type }) => type === 'delete')).toBe(true);
        }),
        { numRuns: schedules },
      );
    });

    test('saves of different threads do not disturb each other', async () => {
      const made = await stores(2);
      const ids = ['a', 'b', 'c', 'd'];
      await Promise.all(ids.map((id, at) => made[at % 2]!.createState(id, saying(id))));
      expect((await made[0]!.listThreads()).threads.map(({ threadId }) => threadId)).toEqual(ids);
    });
  });

  describe('files', () => {
    test('a thread goes out as a file and into another store, under its id or another one', async () => {
      const [a, b] = [await one(), await one()];
      const stored = await a.saveState('a/b', saying('hello'), { metadata: { n: 1 } });
      const [file] = await exportThreads(a);
      expect(file?.name).toBe('a%2Fb.json');
      expect(await importThread(b, { ...file!, name: 'renamed (1).json' })).toMatchObject({
        type: 'imported',
        stored: { thread_id: 'a/b', state: stored.state, metadata: { n: 1 }, revision: 1 },
      });
      expect(await importThread(b, file!, 'other')).toMatchObject({ stored: { thread_id: 'other' } });
      expect((await b.listThreads()).threads).toHaveLength(2);
    });

    test('an import overwrites nothing: it tells what is there', async () => {
      const store = await one();
      const stored = await store.saveState('t', saying('in the file'));
      const there = await store.saveState('t', saying('in the store'));
      expect(await importThread(store, threadFile(stored))).toEqual({ type: 'exists', file: stored, there });
      expect(await store.loadState('t')).toEqual(there);
    });
  });
}
