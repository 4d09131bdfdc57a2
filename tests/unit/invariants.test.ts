import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CrashPlan } from '../../src/engine/crash.ts';
import { succeed } from '../../src/engine/failure.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import { secretMarker } from '../../src/engine/redaction.ts';
import { runToEnd } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import type { AgentDatabase } from '../../src/storage/agent-database.ts';
import { priorities } from '../../src/triage/ticket.ts';
import { triage } from '../../src/triage/workflow.ts';
import type { Parts } from '../support/lives.ts';
import { engineOver, must, open, runId, survivors, testParts, ticketContext } from '../support/lives.ts';

let parts: Parts;
let database: AgentDatabase;
beforeAll(async () => {
  parts = await testParts();
});
beforeEach(async () => {
  const left = survivors();
  database = await open(parts, left.store, new CrashPlan(), left.clock);
  const engine = engineOver(database, left, new CrashPlan());
  must(await startRun(engine, 'T104', ticketContext));
  must(await runToEnd(engine, runId));
});

const violated = () =>
  database.read((reader) =>
    invariantsOf([triage], priorities)
      .filter(({ sql, values }) => reader.all(sql, values).length > 0)
      .map(({ id }) => id),
  );

/** Does harm that the engine would never do. */
async function harm(sql: string): Promise<void> {
  must(
    await database.commit('harm', (transaction) => {
      transaction.run('PRAGMA defer_foreign_keys = ON');
      for (const statement of sql.split(';')) transaction.run(statement);
      return succeed(null);
    }),
  );
}

describe('invariants', () => {
  test('a completed run violates none', async () => {
    expect(await violated()).toEqual([]);
  });

  test.each([
    ['I1', 'a completed run with a next action', `UPDATE agent_runs SET next_action = 'finish'`],
    ['I1', 'a running run without one', `UPDATE agent_runs SET status = 'running'`],
    [
      'I2',
      'a checkpoint past a tool without a saved result',
      `DELETE FROM effect_arguments; DELETE FROM tool_effects WHERE tool_name = 'draft_reply'`,
    ],
    [
      'I3',
      'a second result under a key with a random end',
      `INSERT INTO tool_effects VALUES ('run-T104:lookup_runbook:7f3a', 'lookup_runbook', '{}')`,
    ],
    ['I4', 'a version that no event tells', `UPDATE agent_runs SET version = 5`],
    [
      'I5',
      'two events for one version',
      `UPDATE agent_events SET detail = 'version 1' WHERE detail = 'version 2'`,
    ],
    [
      'I5',
      'a version that was left out',
      `UPDATE agent_events SET detail = 'version 7' WHERE detail = 'version 4'`,
    ],
    ['I5', 'a gap in the sequence', `UPDATE agent_events SET sequence = 20 WHERE sequence = 7`],
    ['I5', 'a sequence that starts late', `UPDATE agent_events SET sequence = sequence + 100`],
    [
      'I7',
      'an unknown next action',
      `UPDATE agent_runs SET status = 'running', next_action = 'send_invoice'`,
    ],
    ['I7', 'an unknown priority', `UPDATE agent_runs SET context_json = '{"priority":"whenever"}'`],
    ['I7', 'a context that is not JSON', `UPDATE agent_runs SET context_json = '{'`],
    ['I8', 'a secret in a context', `UPDATE agent_runs SET context_json = '{"key":"${secretMarker}42"}'`],
    ['I8', 'a secret in a status', `UPDATE agent_runs SET status = '${secretMarker}42'`],
    [
      'I8',
      'a secret in a session',
      `UPDATE agent_events SET session = '${secretMarker}42' WHERE sequence = 1`,
    ],
    ['I8', 'a secret in a result', `UPDATE tool_effects SET result_json = '"${secretMarker}42"'`],
    ['I8', 'a secret in a further table', `UPDATE run_details SET workflow = '${secretMarker}42'`],
  ])('%s sees %s', async (id, _, sql) => {
    await harm(sql);
    expect(await violated()).toContain(id);
  });

  test('I6 sees an event that belongs to no run', async () => {
    const { store, clock } = survivors();
    const other = await open(parts, store, new CrashPlan(), clock);
    const scratch = parts.sqlite.openScratch(await other.image());
    scratch.exec(`INSERT INTO agent_events VALUES ('run-gone', 1, 's', 'run_started', 'start', 'x', 't')`);
    const bytes = scratch.export();
    scratch.close();
    must(await database.replace('import', { bytes }));
    expect(await violated()).toEqual(['I6']);
  });

  test('a key of one run is not taken for one of a run whose id begins alike', async () => {
    await harm(`INSERT INTO tool_effects VALUES ('run-T104-2:lookup_runbook', 'lookup_runbook', '{}')`);
    expect(await violated()).toEqual([]);
  });
});
