/** Names that every JavaScript object knows (`constructor`, `__proto__`), in rows: they are names like any other. */
import { expect, test } from 'vitest';
import { commitsOf } from '../../src/bridge/commits.ts';
import { lineageOf } from '../../src/lab/lineage.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

test.each(names)('a run called %s is shown, and is a fork of nothing', async (runId) => {
  const lab = await openLab(await testParts());
  must(await lab.server.handlers.unlockWrites({ unlocked: true }));
  const { generation } = must(await lab.server.handlers.view({ selectedRunId: null })).storage;
  const sql = `INSERT INTO agent_runs (run_id, ticket_id, status, next_action, context_json, version)
    VALUES ('${runId}', 'T104', 'running', 'read_ticket', '{}', 0)`;
  must(await lab.server.handlers.write({ sql, generation }));
  // As it comes to the page: what cannot be cloned would end the worker.
  const view = structuredClone(must(await lab.server.handlers.view({ selectedRunId: runId })));
  expect([view.selected?.run.runId, view.selected?.parent]).toEqual([runId, null]);
  expect(lineageOf(view)).toMatchObject([{ run: { runId }, from: null }]);
  await lab.close();
});

test.each(names)('an event of the type %s has a mark of its own name', (eventType) => {
  const event = {
    runId: 'r',
    sequence: 1,
    session: 's',
    eventType,
    action: 'a',
    detail: '',
    createdAtUtc: '',
  };
  expect(commitsOf([event]).map(({ mark }) => mark)).toEqual([eventType.replaceAll('_', ' ')]);
});
