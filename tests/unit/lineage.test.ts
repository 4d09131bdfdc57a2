/** Holds the tree of forks, and comparing a fork with its parent. */
import { beforeAll, expect, test } from 'vitest';
import type { RunView } from '../../src/bridge/views.ts';
import { compareRuns } from '../../src/lab/compare.ts';
import { lineageOf, type Branch } from '../../src/lab/lineage.ts';
import { openLab, type OpenedLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

const run = (runId: string, rowid: number) => ({
  runId,
  rowid,
  ticketId: 'T1',
  status: 'running',
  nextAction: null,
  contextJson: '{}',
  version: 0,
});

/** "a(b(c) d)", with what each was forked from where that is gone. */
const drawn = (branches: readonly Branch[]): string =>
  branches
    .map(({ run: { runId }, from, forks }) => {
      const gone = from?.isGone ? `<${from.runId}` : '';
      return `${runId}${gone}${forks.length > 0 ? `(${drawn(forks)})` : ''}`;
    })
    .join(' ');

test('every run stands once, under the one it was forked from, in the order of their beginning', () => {
  const runs = ['a', 'b', 'c', 'd', 'e'].map(run);
  const parents = {
    b: { runId: 'a', version: 1 },
    c: { runId: 'b', version: 2 },
    e: { runId: 'a', version: 0 },
  };
  expect(drawn(lineageOf({ runs, parents }))).toBe('a(b(c) e) d');
});

test('a run whose parent was deleted stays, and says so', () => {
  const parents = { b: { runId: 'a', version: 1 }, c: { runId: 'b', version: 2 } };
  expect(drawn(lineageOf({ runs: [run('b', 2), run('c', 3)], parents }))).toBe('b<a(c)');
});

test('runs that a file makes forks of each other, or of themselves, are all there', () => {
  const parents = {
    a: { runId: 'b', version: 1 },
    b: { runId: 'a', version: 1 },
    c: { runId: 'c', version: 1 },
  };
  expect(drawn(lineageOf({ runs: ['a', 'b', 'c'].map(run), parents }))).toBe('a(b) c');
});

test('a chain of forks is never deeper than there is room for, and none is lost', () => {
  const runs = Array.from({ length: 2000 }, (_, at) => run(`r${at}`, at));
  const parents = Object.fromEntries(
    runs.slice(1).map(({ rowid, runId }) => [runId, { runId: `r${rowid - 1}`, version: 1 }]),
  );
  const depth = (branches: readonly Branch[]): number =>
    1 + Math.max(0, ...branches.map(({ forks }) => (forks.length ? depth(forks) : 0)));
  const count = (branches: readonly Branch[]): number =>
    branches.reduce((sum, { forks }) => sum + 1 + count(forks), 0);
  const tree = lineageOf({ runs, parents });
  expect([count(tree), depth(tree)]).toEqual([2000, 8]);
});

let lab: OpenedLab;
beforeAll(async () => {
  lab = await openLab(await testParts());
});

async function toTheEnd(first: RunView | null): Promise<RunView> {
  let selected = first;
  while (selected?.run.status === 'running')
    selected = must(await lab.server.handlers.step(selected.run)).selected;
  if (selected === null) throw new Error('no run');
  return selected;
}

test('a fork that nothing changed does the same as its parent; an edited one differs in its context', async () => {
  const parent = await toTheEnd(must(await lab.server.handlers.start({ ticketId: 'T104' })).selected);
  const forkAt = async (version: number, edit: (text: string) => string | null) => {
    const checkpoint = parent.run.contextJson;
    const params = { runId: parent.run.runId, version, contextJson: edit(checkpoint) };
    return toTheEnd(must(await lab.server.handlers.fork(params)).selected);
  };
  const same = compareRuns(parent, await forkAt(1, () => null), 1);
  expect(same).toMatchObject({ differsAt: null, context: [] });
  expect(same.parent).toHaveLength(5);
  expect(same.fork.map(({ eventType }) => eventType)).toEqual(same.parent.map(({ eventType }) => eventType));
  const edited = compareRuns(parent, await forkAt(3, (text) => text.replace('"urgent"', '"normal"')), 3);
  expect(edited.context.map(({ place }) => place)).toContain('context.priority');
});

test('where one has gone further, that is the first difference', async () => {
  const parent = await toTheEnd(must(await lab.server.handlers.start({ ticketId: 'T101' })).selected);
  const params = { runId: parent.run.runId, version: 0, contextJson: null };
  const fork = must(await lab.server.handlers.fork(params)).selected;
  expect(fork && compareRuns(parent, fork, 0).differsAt).toBe(0);
});
