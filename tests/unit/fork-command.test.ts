/** Holds forking from the page: a run of its own, and its parent as it was, to the last row. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunView } from '../../src/bridge/views.ts';
import { openLab, type OpenedLab } from '../support/lab.ts';
import { must, testParts, type Parts } from '../support/lives.ts';

let parts: Parts;
let lab: OpenedLab;
beforeAll(async () => {
  parts = await testParts();
});
beforeEach(async () => {
  lab = await openLab(parts);
});

/** The parent at version 2. */
async function half(): Promise<RunView> {
  let view = must(await lab.server.handlers.start({ ticketId: 'T104' }));
  for (let steps = 0; steps < 2 && view.selected; steps += 1)
    view = must(await lab.server.handlers.step(view.selected.run));
  if (!view.selected) throw new Error('no run');
  return view.selected;
}

async function look(runId: string): Promise<RunView> {
  const found = must(await lab.server.handlers.look({ runId }));
  if (found === null) throw new Error(`no ${runId}`);
  return found;
}

test('a fork is selected and knows its parent, which stays as it was while the fork runs to its end', async () => {
  const parent = await half();
  const before = await look(parent.run.runId);
  const fork = { runId: parent.run.runId, version: 1, contextJson: null };
  let view = must(await lab.server.handlers.fork(fork));
  expect(view.selected).toMatchObject({
    run: { runId: 'run-T104-2', version: 0, nextAction: 'lookup_runbook' },
    parent: { runId: 'run-T104', version: 1 },
    events: [{ eventType: 'run_forked', detail: 'run-T104 version 1' }],
  });
  expect(view.parents).toEqual({ 'run-T104-2': { runId: 'run-T104', version: 1 } });
  while (view.selected?.run.status === 'running')
    view = must(await lab.server.handlers.step(view.selected.run));
  expect(view.selected?.run.status).toBe('completed');
  expect(await look(parent.run.runId)).toEqual(before);
  // And it goes its own way from there.
  view = must(await lab.server.handlers.step(before.run));
  expect(view.selected?.run).toMatchObject({ runId: 'run-T104', version: 3 });
});

test('an edited context is the fork’s alone', async () => {
  const { run } = await half();
  const contextJson = run.contextJson.replace('"urgent"', '"normal"');
  const view = must(await lab.server.handlers.fork({ runId: run.runId, version: 2, contextJson }));
  expect(view.selected?.run.contextJson).toBe(contextJson);
  expect(view.selected?.events[0]?.detail).toBe('run-T104 version 2, edited');
  expect((await look(run.runId)).run.contextJson).toBe(run.contextJson);
});

test.each([
  ['no JSON', '{"ticket": ', 'JsonRefused'],
  ['no object', '[1]', 'JsonRefused'],
  ['nothing the next action can work with', '{}', 'ContextUnusable'],
])('a context that is %s is refused, and nothing is written', async (_, contextJson, type) => {
  const { run } = await half();
  const refused = await lab.server.handlers.fork({ runId: run.runId, version: 1, contextJson });
  expect(refused).toMatchObject({ ok: false, failure: { type } });
  expect((await lab.server.view()).counts.runs).toBe(1);
});

test('nothing is forked at a version that is not there, and nobody is seen who is not there', async () => {
  const { run } = await half();
  const refused = await lab.server.handlers.fork({ runId: run.runId, version: 9, contextJson: null });
  expect(refused).toMatchObject({ ok: false, failure: { type: 'NoSuchCheckpoint' } });
  expect(must(await lab.server.handlers.look({ runId: 'run-T999' }))).toBe(null);
});
