/** Holds the SQL log: what each commit ran, bounded, without secrets, and costing nothing where nobody watches. */
import { beforeAll, expect, test } from 'vitest';
import { mostCommits, StatementLog } from '../../src/bridge/statement-log.ts';
import { eventOf } from '../../src/lab/panes/logged-event.ts';
import { secretMarker } from '../../src/engine/redaction.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts, type Parts } from '../support/lives.ts';

let parts: Parts;
beforeAll(async () => {
  parts = await testParts();
});

test('each commit is told with its statements from BEGIN to COMMIT, its values, and the event it wrote', async () => {
  const lab = await openLab(parts);
  const { start, step, statements } = lab.server.handlers;
  let view = must(await start({ ticketId: 'T104' }));
  for (let steps = 0; steps < 2; steps += 1) view = must(await step(must2(view.selected).run));
  const { commits } = must(await statements({}));
  const own = commits.filter(({ boundary }) => !boundary.startsWith('open.'));
  expect(own.map(({ boundary, outcome }) => [boundary, outcome])).toEqual([
    ['start', 'durable'],
    ['classify_priority.checkpoint', 'durable'],
    ['lookup_runbook.tool', 'durable'],
    ['lookup_runbook.checkpoint', 'durable'],
  ]);
  for (const { statements: ran } of own) {
    expect([ran[0]?.sql, ran.at(-1)?.sql]).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
  }
  const update = own[1]?.statements.find(({ sql }) => sql.startsWith('UPDATE agent_runs'));
  expect(update).toMatchObject({
    changedRows: 1,
    values: expect.arrayContaining(["'lookup_runbook'", '1', "'run-T104'"]),
  });
  const { events } = must2(view.selected);
  expect(own.map((commit) => eventOf(commit, events)?.sequence)).toEqual([1, 2, 3, 4]);
  await lab.close();
});

test('a commit that is refused is told as undone, and its event is nobody’s', async () => {
  const lab = await openLab(parts);
  const { start, deleteRuns, statements } = lab.server.handlers;
  must(await start({ ticketId: 'T104' }));
  expect(await deleteRuns({ runIds: ['run-T104'] })).toMatchObject({ ok: false });
  const last = must(await statements({})).commits.at(-1);
  expect(last).toMatchObject({ outcome: 'undone' });
  expect(last?.statements.at(-1)?.sql).toBe('ROLLBACK');
  await lab.close();
});

test('it keeps the last commits only, and says of each how many statements it left out', () => {
  const log = new StatementLog();
  for (let number = 1; number <= mostCommits + 5; number += 1) {
    log.began(`commit.${number}`);
    for (let at = 0; at < 150; at += 1) log.ran('UPDATE agent_runs SET version = ?', ['x'.repeat(9000)], 1);
    log.ended('durable', number);
  }
  const { commits } = log.view;
  expect(commits).toHaveLength(mostCommits);
  expect([commits[0]?.number, commits.at(-1)?.number]).toEqual([6, mostCommits + 5]);
  expect([commits[0]?.statements.length, commits[0]?.left]).toEqual([100, 50]);
  expect(JSON.stringify(commits[0]?.statements[0]).length).toBeLessThan(2200);
});

test('no secret is in it, neither in what is written nor in what is looked for, nor in a person’s SQL', () => {
  const log = new StatementLog();
  log.began('start');
  log.ran('SELECT 1 FROM agent_runs WHERE run_id = ?', [`${secretMarker}abc`], 0);
  log.ran(`UPDATE agent_runs SET context_json = '${secretMarker}abc'`, [], 1);
  expect(JSON.stringify(log.view)).not.toContain(secretMarker);
});

function must2<T>(value: T | null): T {
  if (value === null) throw new Error('there is none');
  return value;
}
