/** Holds the history of checkpoints: every version as it was, at the cost of what changed. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { saveCheckpoint } from '../../src/engine/checkpoint.ts';
import { applied, differenceOf } from '../../src/engine/difference.ts';
import { checkpointAt, checkpointsOf } from '../../src/engine/history.ts';
import type { JsonObject, JsonValue } from '../../src/engine/json.ts';
import { encodeJson } from '../../src/engine/json.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { retryRun } from '../../src/engine/status.ts';
import { must } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  decide,
  failed,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  tamper,
  workerIn,
  workflowWith,
  actTool,
  workRun,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

/** Saves these contexts as one version after the other. */
async function saved(worker: Worker, contexts: readonly JsonObject[]): Promise<void> {
  let { run } = await storedIn(world);
  for (const context of contexts) {
    run = must(
      await saveCheckpoint(worker.engine, run, 'work', { status: 'running', nextAction: 'work', context }),
    );
  }
}

const history = (worker: Worker) => worker.database.read((reader) => checkpointsOf(reader, workRun));

describe('what changed', () => {
  const { word } = fc.letrec<{ word: string }>(() => ({
    word: fc.oneof(fc.constantFrom('a', 'b', '/', '~', '~1', '', '0', '__proto__', 'length'), fc.string()),
  }));
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, 1, '', 'x'),
      fc.array(tie('value'), { maxLength: 12 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const object = fc.dictionary(word, value, { maxKeys: 5 });

  test('put to the earlier object gives the later one, whatever they are', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(applied(before, differenceOf(before, after))).toEqual({ ...after });
      }),
      { numRuns: 500 },
    );
  });

  test('of a list that has grown past nine items is what was added', () => {
    const before = { list: Array.from({ length: 9 }, (_, at) => at) };
    const after = { list: Array.from({ length: 12 }, (_, at) => at) };
    expect(differenceOf(before, after)).toEqual({
      changes: { '/list/9': 9, '/list/10': 10, '/list/11': 11 },
      removed: [],
    });
  });

  test.each([
    [{ '/list/99': 1 }, []],
    [{ '/list/x': 1 }, []],
    [{ '/no/where': 1 }, []],
    [{ '/text/0': 1 }, []],
    [{}, ['/no/where']],
    [{}, ['/list/4294967295']],
  ] as [JsonObject, string[]][])('that leads nowhere is told: %j, %j', (changes, removed) => {
    expect(applied({ list: [1], text: 'abc' }, { changes, removed })).toBeNull();
  });
});

describe('every version', () => {
  test('is as it was saved: status, next action, context and time', async () => {
    const asking = actTool({ approval: () => 'Shall it?', attempts: 1 });
    const worker = await startedIn(world, { workflows: [workflowWith([asking])] }, { ticket: { n: 1 } });
    must(await stepOf(worker));
    world.clock.turnBy(1000);
    must(await decide(world, worker, 'given'));
    world.answers.push(failed('no', false));
    must(await stepOf(worker));
    must(await retryRun(worker.engine, workRun, 3, 0));
    must(await runToEnd(worker.engine, workRun));
    const [context, later] = [{ ticket: { n: 1 } }, { ticket: { n: 1 }, work: { ok: true } }];
    const [savedAtUtc, laterUtc] = ['2026-01-05T09:00:00.000Z', '2026-01-05T09:00:01.000Z'];
    expect(await history(worker)).toEqual([
      { version: 0, status: 'running', nextAction: 'work', context, savedAtUtc },
      { version: 1, status: 'waiting', nextAction: 'work', context, savedAtUtc },
      { version: 2, status: 'running', nextAction: 'work', context, savedAtUtc: laterUtc },
      { version: 3, status: 'failed', nextAction: 'work', context, savedAtUtc: laterUtc },
      { version: 4, status: 'running', nextAction: 'work', context, savedAtUtc: laterUtc },
      { version: 5, status: 'running', nextAction: 'end', context: later, savedAtUtc: laterUtc },
      { version: 6, status: 'completed', nextAction: null, context: later, savedAtUtc: laterUtc },
    ]);
  });

  test('can be had alone, whatever changed in its context, and none that was never saved', async () => {
    const contexts: readonly JsonObject[] = [
      { a: 1, b: [1, 2, 3], c: { d: { e: 'deep' } } },
      { a: 1, b: [1, 2, 3, { x: 1 }], c: { d: { e: 'deep', f: null } } },
      { b: [1], c: { d: {} }, '~/': 'odd', filler: 'x'.repeat(80) },
      { b: { was: 'a list' }, c: [], '~/': 'odd', filler: 'x'.repeat(80) },
      {},
      { 'a name': 'x'.repeat(200) },
      JSON.parse('{"__proto__":{"a":1},"filler":"............................................"}'),
      JSON.parse('{"__proto__":{"a":2},"filler":"............................................"}'),
    ];
    const worker = await startedIn(world, {}, {});
    await saved(worker, contexts);
    const at = (version: number) => worker.database.read((reader) => checkpointAt(reader, workRun, version));
    for (const [index, context] of contexts.entries()) {
      // As text: toEqual does not look at a member named __proto__.
      expect(encodeJson((await at(index + 1))?.context, 'context')).toEqual(encodeJson(context, 'context'));
    }
    expect(await at(contexts.length + 1)).toBeNull();
    expect(await at(-1)).toBeNull();
  });
});

describe('growth', () => {
  const kinds: readonly (readonly [name: string, steps: number, context: (step: number) => JsonObject])[] = [
    [
      'a member a step',
      1000,
      (step) => Object.fromEntries(Array.from({ length: step }, (_, n) => [`m${String(n)}`, n])),
    ],
    [
      'an item a step, in a list',
      500,
      (step) => ({ messages: Array.from({ length: step }, (_, n) => `message ${String(n)}`) }),
    ],
    [
      'an item a step, in a list of a part',
      500,
      (step) => ({ thread: { id: 7, turns: Array.from({ length: step }, (_, n) => ({ n, said: 'so' })) } }),
    ],
    ['a counter', 500, (step) => ({ n: step, filler: 'x'.repeat(1000) })],
  ];

  test.each(kinds)('of a context that grows by %s is the same for each step', async (_, steps, contextAt) => {
    const worker = await startedIn(world);
    await saved(
      worker,
      Array.from({ length: steps }, (_, step) => contextAt(step + 1)),
    );
    const windows = await worker.database.read((reader) =>
      reader
        .all(
          `SELECT SUM(length(changes_json) + COALESCE(length(removed_json), 0)) AS bytes FROM agent_checkpoints
           WHERE version > 100 GROUP BY (version - 1) / 100 ORDER BY version`,
        )
        .map((row) => Number(row['bytes']) / 100),
    );
    expect(windows).toHaveLength(steps / 100 - 1);
    expect(Math.max(...windows)).toBeLessThan(Math.min(...windows) * 1.2);
    expect(Math.max(...windows)).toBeLessThan(100);
    const all = await history(worker);
    expect(all.at(-1)?.context).toEqual(contextAt(steps));
    expect(all[250]?.context).toEqual(contextAt(250));
  });
});

describe('a run from elsewhere', () => {
  test('made before there was a history has it from then on', async () => {
    const worker = await startedIn(world, {}, { a: 1 });
    await saved(worker, [{ a: 1, b: 2 }]);
    await tamper(worker, 'DELETE FROM agent_checkpoints');
    expect(await history(worker)).toEqual([]);
    must(await runToEnd(worker.engine, workRun));
    expect((await history(worker)).map(({ version, context }) => [version, context])).toEqual([
      [2, { a: 1, b: 2, work: { ok: true } }],
      [3, { a: 1, b: 2, work: { ok: true } }],
    ]);
  });

  test('that another program has gone on with has a gap, and no version is put together over it', async () => {
    const filler = 'x'.repeat(200);
    const worker = await startedIn(world, {}, { filler });
    await saved(worker, [{ filler, a: 1 }]);
    await tamper(worker, `UPDATE agent_runs SET version = 5, context_json = '{"b":2}'`);
    must(await runToEnd((await workerIn(world)).engine, workRun));
    must(await worker.database.refresh());
    expect((await history(worker)).map(({ version, context }) => [version, context])).toEqual([
      [0, { filler }],
      [1, { filler, a: 1 }],
      [6, { b: 2, work: { ok: true } }],
      [7, { b: 2, work: { ok: true } }],
    ]);
    await tamper(worker, 'DELETE FROM agent_checkpoints WHERE version = 0');
    expect((await history(worker))[0]).toMatchObject({ version: 1, context: null });
  });

  test('that lacks a version in the middle has none after it either, up to the next whole one', async () => {
    const filler = 'x'.repeat(200);
    const worker = await startedIn(world, {}, { filler });
    await saved(worker, [
      { filler, a: 1 },
      { filler, a: 1, b: 2 },
      { filler, b: 2 },
    ]);
    await tamper(worker, 'DELETE FROM agent_checkpoints WHERE version = 1');
    expect((await history(worker)).map(({ version, context }) => [version, context])).toEqual([
      [0, { filler }],
      [2, null],
      [3, null],
    ]);
    await saved(worker, [{ a: 1 }]);
    expect((await history(worker)).at(-1)).toMatchObject({ version: 4, context: { a: 1 } });
  });

  test.each(['no JSON', '[1]', '{"\\ud800":1,"filler":"xxxxxxxxxxxxxxxxxxxxxxxxx"}'])(
    'whose context is %s is told as it is, and harms nothing',
    async (contextJson) => {
      const worker = await startedIn(world);
      await tamper(worker, 'UPDATE agent_runs SET context_json = ?', [contextJson]);
      await tamper(worker, 'UPDATE agent_checkpoints SET changes_json = ?', [contextJson]);
      await stepOf(worker);
      expect(await history(worker)).toMatchObject([{ version: 0 }]);
      expect((await storedIn(world)).run.version).toBe(0);
    },
  );

  test.each([
    ['no JSON', '[]'],
    ['{"/a":1}', 'no JSON'],
    ['{"/a":1}', '{}'],
    ['{"/no/where":1}', '[]'],
    ['{"":1}', '["/x"]'],
  ])('with rows that are no history of ours (%s, %s) is shown without them', async (changes, removed) => {
    const worker = await startedIn(world, {}, { a: 0 });
    await saved(worker, [{ a: 0, b: 0 }]);
    await tamper(
      worker,
      'UPDATE agent_checkpoints SET changes_json = ?, removed_json = ? WHERE version = 1',
      [changes, removed],
    );
    const all = await history(worker);
    expect(all).toMatchObject([{ context: { a: 0 } }, { version: 1 }]);
    expect([null, { a: 0, '': 1 }]).toContainEqual(all[1]?.context ?? null);
  });
});
