/** Holds what one commit is said to have changed, in rows and in places inside JSON. */
import { beforeAll, expect, test } from 'vitest';
import { diffOf, jsonChanges } from '../../src/bridge/diff.ts';
import { oneCommitEarlier, pastOf } from '../../src/bridge/past.ts';
import { rawLines, rawOf } from '../../src/bridge/raw.ts';
import type { RunView } from '../../src/bridge/views.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

let run: RunView;
beforeAll(async () => {
  const lab = await openLab(await testParts());
  let view = must(await lab.server.handlers.start({ ticketId: 'T104' }));
  while (view.selected?.run.status === 'running')
    view = must(await lab.server.handlers.step(view.selected.run));
  if (!view.selected) throw new Error('no run');
  run = view.selected;
  await lab.close();
});

function at(sequence: number) {
  const past = pastOf(run, sequence);
  if (!past) throw new Error(`no event ${sequence}`);
  return { past, before: oneCommitEarlier(run, past) };
}

const lines = (sequence: number) => {
  const { past, before } = at(sequence);
  return diffOf(before, past).flatMap(({ table, operation, changes }) =>
    changes.map(
      ({ place, before: old, after }) => `${table} ${operation}: ${place} ${old ?? '(none)'} → ${after}`,
    ),
  );
};

test('a checkpoint changes the row, and inside its context only the places that differ', () => {
  expect(lines(4).filter((line) => line.startsWith('agent_runs'))).toEqual([
    'agent_runs changed: next_action lookup_runbook → draft_reply',
    'agent_runs changed: version 1 → 2',
    expect.stringMatching(/^agent_runs changed: context\.runbook \(none\) → \{"next_step":".+"\}$/),
  ]);
});

test('a saved result is a new row beside its event, and the run’s row stays', () => {
  const tables = diffOf(at(3).before, at(3).past).map(({ table, row, operation }) => [table, row, operation]);
  expect(tables).toEqual([
    ['agent_events', 'sequence 3', 'added'],
    ['tool_effects', 'run-T104:lookup_runbook', 'added'],
  ]);
});

test('the first commit adds the run with its whole context', () => {
  expect(lines(1)).toContain('agent_runs added: status (none) → running');
  expect(lines(1).some((line) => line.startsWith('agent_runs added: context.ticket (none) → {'))).toBe(true);
});

test('a call that is intended is a row of its own', async () => {
  const lab = await openLab(await testParts());
  let view = must(await lab.server.handlers.start({ ticketId: 'T101', workflow: 'dispatch' }));
  for (let steps = 0; steps < 2 && view.selected; steps += 1)
    view = must(await lab.server.handlers.step(view.selected.run));
  await lab.close();
  if (!view.selected) throw new Error('no run');
  const past = pastOf(view.selected, 3);
  if (!past) throw new Error('no event 3');
  const rows = diffOf(oneCommitEarlier(view.selected, past), past);
  expect(rows.map(({ table, row }) => [table, row])).toEqual([
    ['agent_events', 'sequence 3'],
    ['tool_intents', 'run-T101:request_runbook'],
  ]);
});

test('places are written as a person writes them, lists by number, odd names in quotes', () => {
  const before = { list: [1, { a: 1 }], gone: true, 'odd/name~': 1, kept: 'x' };
  const after = { list: [1, { a: 2 }, 3], 'odd/name~': 2, kept: 'x' };
  expect(jsonChanges('context', before, after)).toEqual([
    { place: 'context.gone', before: 'true', after: null },
    { place: 'context.list[1].a', before: '1', after: '2' },
    { place: 'context.list[2]', before: null, after: '3' },
    { place: 'context["odd/name~"]', before: '1', after: '2' },
  ]);
});

test('as JSON, the lines are the document, and those that the commit wrote are marked', () => {
  const { past, before } = at(4);
  const document = rawOf(past.run);
  const shown = rawLines(document, before && rawOf(before.run));
  expect(JSON.parse(shown.map(({ text }) => text).join('\n'))).toEqual(document);
  expect(shown.map(({ text }) => text).join('\n')).toBe(JSON.stringify(document, null, 2));
  const marked = shown.filter(({ mark }) => mark !== null).map(({ text, mark }) => `${mark} ${text.trim()}`);
  expect(marked).toContain('changed "version": 2');
  expect(marked).toContain('added "runbook": {');
  expect(marked.filter((line) => line.includes('"sequence"'))).toEqual(['added "sequence": 4,']);
  expect(rawLines(document, null).every(({ mark }) => mark === null)).toBe(true);
});
