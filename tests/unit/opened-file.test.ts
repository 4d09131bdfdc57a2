/** What another program left in its rows is shown and worked on without a fault of ours, whatever it is. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LabView } from '../../src/bridge/views.ts';
import { files, inspected } from '../support/inspected.ts';
import { openLab, type OpenedLab } from '../support/lab.ts';
import { must, testParts, type Parts } from '../support/lives.ts';

let parts: Parts;
const labs: OpenedLab[] = [];

beforeAll(async () => {
  parts = await testParts();
});
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

/** The lab after it has opened this file. */
async function opening(bytes: Uint8Array): Promise<{ lab: OpenedLab; view: LabView }> {
  const lab = await openLab(parts);
  labs.push(lab);
  const { image } = inspected(bytes);
  return { lab, view: must(await lab.server.handlers.importFile({ image })) };
}

const broken = (view: LabView): string[] =>
  view.invariants.filter((one) => one.violations > 0).map((one) => one.id);
const setRun = (column: string, sql: string): string =>
  `UPDATE agent_runs SET ${column} = ${sql} WHERE run_id = 'run-T104'`;
const setContext = (sql: string): string => setRun('context_json', sql);
const ticket =
  '"ticket":{"area":"cold storage","outage_minutes":18,"safety_impact":"yes","ticket_id":"T104"}';

describe('a file is opened and shown as it is', () => {
  test.each<[string, string, string[], string | null]>([
    ['as the lesson leaves it', '', [], null],
    ['with a gap in a sequence', `UPDATE agent_events SET sequence = 9 WHERE sequence = 3`, ['I5'], null],
    ['with a version below nothing', setRun('version', '-5'), ['I4'], null],
    ['with a version of fifteen digits', setRun('version', '999999999999990'), ['I4'], null],
    ['without its events', `DELETE FROM agent_events`, ['I4'], null],
    ['without its saved result', `DELETE FROM tool_effects`, [], null],
    ['with a context that is not JSON', setContext(`'{"a":'`), ['I7'], 'ContextUnusable'],
    ['with a context that is a list', setContext(`'[1, 2]'`), [], 'ContextUnusable'],
    ['with a context that is a number', setContext(`'1e999'`), [], 'ContextUnusable'],
    ['with an empty context', setContext(`''`), ['I7'], 'ContextUnusable'],
    ['with a context in JSON5', setContext(`'{a: 1}'`), ['I7'], 'ContextUnusable'],
    [
      'with a context of 200 levels',
      setContext(
        `'{"deep":' || replace(hex(zeroblob(199)), '00', '[') || replace(hex(zeroblob(199)), '00', ']') || ',${ticket}}'`,
      ),
      [],
      null,
    ],
    [
      'with a lone surrogate in its context',
      setContext(`'{"priority":"urgent","odd":"\\ud800",${ticket}}'`),
      [],
      null,
    ],
    [
      'with a member named __proto__',
      setContext(`'{"priority":"urgent","__proto__":{"polluted":1},${ticket}}'`),
      [],
      null,
    ],
    ['with a priority that nobody knows', setContext(`'{"priority":"soon",${ticket}}'`), ['I7'], null],
    ['with an unknown next action', setRun('next_action', `'dance'`), ['I7'], 'UnknownAction'],
    ['with no next action', setRun('next_action', 'NULL'), ['I1'], 'UnknownAction'],
    ['with an unknown status', setRun('status', `'<b>lost</b>'`), [], 'RunNotRunning'],
    ['with a ticket that nobody knows', setRun('ticket_id', `'T999'`), [], null],
    ['with a result that is no object', `UPDATE tool_effects SET result_json = '"text"'`, [], null],
    ['with a result of another tool', `UPDATE tool_effects SET tool_name = 'other'`, [], null],
    [
      'with sessions that have no number',
      `UPDATE agent_events SET session = 'session-99999999999999999999'`,
      [],
      null,
    ],
    ['with times that are none', `UPDATE agent_events SET created_at_utc = 'yesterday'`, [], null],
    [
      'with a checkpoint of an action that this workflow lacks',
      `UPDATE agent_events SET action = 'other' WHERE sequence = 2`,
      [],
      'UnknownAction',
    ],
  ])('%s', async (_, sql, invariants, obstacle) => {
    const { lab, view } = await opening(files.lesson(sql));
    const { handlers } = lab.server;
    expect(broken(view)).toEqual(invariants);
    expect(view.counts).toMatchObject({ runs: 2 });
    const shown = must(await handlers.view({ selectedRunId: 'run-T104' }));
    expect(shown.selected?.obstacle?.type ?? null).toBe(obstacle);
    expect(shown.selected?.report).toHaveLength(6);

    // Each gives a result: a fault of ours would throw, and stop the worker.
    const seen = async (runId: string) => {
      const { runs } = must(await handlers.view({ selectedRunId: runId }));
      return { runId, version: runs.find((run) => run.runId === runId)?.version ?? 0 };
    };
    for (let steps = 0; steps < 6; steps += 1) await handlers.step(await seen('run-T104'));
    await handlers.resume(await seen('run-T104'));
    await handlers.resume(await seen('run-T101'));
    must(await handlers.start({ ticketId: 'T104' }));
    expect(must(await handlers.exportTrace({ runId: null }))).toMatch(/^run_id,/);
    const after = must(await handlers.view({ selectedRunId: 'run-T104' }));
    expect(after.counts.runs).toBe(3);
    expect(broken(after).filter((id) => id === 'I6')).toEqual([]);
    expect(inspected(must(await handlers.exportDatabase({}))).report.runs).toBe(3);
  });

  test('without keys or with other rules in its tables, and is then guarded by ours', async () => {
    const { lab } = await opening(
      files.declaring(
        'run_id TEXT PRIMARY KEY',
        'run_id TEXT',
        'CREATE TRIGGER t AFTER UPDATE ON agent_runs BEGIN DELETE FROM agent_events; END',
      ),
    );
    const stepped = must(await lab.server.handlers.step({ runId: 'run-T104', version: 1 }));
    expect(stepped.selected?.run.version).toBe(2);
    expect(stepped.counts.events).toBe(8);
  });
});

test('a thousand runs and results of one ticket cost no more than a moment', async () => {
  const many = `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 990)`;
  const { lab, view } = await opening(
    files.lesson(
      `${many} INSERT INTO agent_runs SELECT 'run-T104-' || i, 'T104', 'running', 'finish', '{}', 0 FROM n;
       ${many} INSERT INTO tool_effects SELECT 'run-T104-' || i || ':' || a.value, 'draft_reply', '{}'
         FROM n, json_each('["lookup_runbook", "draft_reply", "draft_reply:again"]') AS a;`,
    ),
  );
  expect(view.invariants.find(({ id }) => id === 'I3')?.violations).toBe(989);
  expect(must(await lab.server.handlers.start({ ticketId: 'T104' })).selected?.run.runId).toBe(
    'run-T104-991',
  );
});
