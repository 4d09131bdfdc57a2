/** Holds looking back: what the lab shows at an event is what was stored when that event's commit was durable. */
import { beforeAll, expect, test } from 'vitest';
import { commitsOf } from '../../src/bridge/commits.ts';
import { notRecorded, oneCommitEarlier, pastOf, pastView } from '../../src/bridge/past.ts';
import type { LabView, RunView } from '../../src/bridge/views.ts';
import type { LabServer } from '../../src/bridge/lab-server.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';
import type { Parts } from '../support/lives.ts';

let parts: Parts;
beforeAll(async () => {
  parts = await testParts();
});

/** Every view of a run from its start to its end, in its order. `over`: after this many steps another session goes on. */
async function views(ticketId: string, workflow: string | null, over = 99): Promise<readonly LabView[]> {
  let lab = await openLab(parts);
  const params = workflow === null ? { ticketId } : { ticketId, workflow };
  const seen = [must(await lab.server.handlers.start(params))];
  for (let steps = 1; steps < 30; steps += 1) {
    const last = seen.at(-1)?.selected;
    if (last?.run.status === 'waiting') seen.push(await decided(lab.server, last));
    else if (last?.run.status !== 'running') break;
    else {
      if (steps === over) {
        await lab.close();
        lab = await openLab(parts, lab.storage);
      }
      seen.push(must(await lab.server.handlers.step(last.run)));
    }
  }
  await lab.close();
  return seen;
}

async function decided(server: LabServer, { intents }: RunView): Promise<LabView> {
  const approval = intents.find(({ state }) => state === 'waiting')?.approval;
  if (!approval) throw new Error('nobody asks');
  const { approvalId, argumentsHash } = approval;
  return must(await server.handlers.decide({ approvalId, argumentsHash, decision: 'denied' }));
}

/** What is the database's of a run: not what it means to this session. */
function stored({ run, events, effects, actions, history }: RunView) {
  return { run, events, effects, actions, history };
}

test.each([
  ['the lesson’s', 'T104', null, 99],
  ['one that two sessions worked on', 'T104', null, 2],
  ['one that calls the world outside and waits for a person', 'T105', 'dispatch', 4],
])('%s run is shown as it was stored after each of its commands', async (_, ticketId, workflow, over) => {
  const seen = await views(ticketId, workflow, over);
  const live = seen.at(-1)?.selected;
  if (!live) throw new Error('no run');
  expect(seen.length).toBeGreaterThan(4);
  for (const view of seen) {
    const then = view.selected;
    if (!then) throw new Error('no run');
    const past = pastOf(live, then.events.at(-1)?.sequence ?? 0);
    expect(past && stored(past.run)).toEqual(stored(then));
  }
});

test('every event belongs to one commit, and a look back begins with the start', async () => {
  const live = (await views('T105', 'dispatch')).at(-1)?.selected;
  if (!live) throw new Error('no run');
  const commits = commitsOf(live.events);
  expect(commits.flatMap(({ events }) => events)).toEqual(live.events);
  const last = pastOf(live, live.events.at(-1)?.sequence ?? 0);
  let [past, steps] = [last, 0];
  while (past) {
    [past, steps] = [oneCommitEarlier(live, past), steps + 1];
  }
  expect(steps).toBe(commits.length);
  expect(commits[0]).toMatchObject({ mark: 'start', boundary: 'start', last: 1 });
});

test('the lesson’s commits have the names of their boundaries, and a restart stands before the second session', async () => {
  const live = (await views('T104', null, 2)).at(-1)?.selected;
  expect(
    commitsOf(live?.events ?? []).map(({ mark, boundary, restarts }) => [mark, boundary, restarts]),
  ).toEqual([
    ['start', 'start', false],
    ['v1', 'classify_priority.checkpoint', false],
    ['taken up', 'resume', true],
    ['saved', 'lookup_runbook.tool', false],
    ['v2', 'lookup_runbook.checkpoint', false],
    ['saved', 'draft_reply.tool', false],
    ['v3', 'draft_reply.checkpoint', false],
    ['v4', 'finish.checkpoint', false],
  ]);
});

test('the rows that the commit at the cursor wrote are marked as its own', async () => {
  const view = (await views('T104', null)).at(-1);
  const live = view?.selected;
  if (!view || !live) throw new Error('no run');
  const at = (sequence: number) => {
    const past = pastOf(live, sequence);
    if (!past) throw new Error(`no event ${sequence}`);
    return pastView(view, past, oneCommitEarlier(live, past)).lastCommit;
  };
  const tables = (sequence: number) =>
    at(sequence)?.changes.map(({ table, operation }) => `${operation} ${table}`);
  expect(tables(1)).toEqual(['insert agent_events', 'insert agent_runs']);
  expect(tables(2)).toEqual(['insert agent_events', 'update agent_runs']);
  expect(tables(3)).toEqual(['insert agent_events', 'insert tool_effects']);
});

test('a version that was not recorded is said not to be, and its events are still shown', async () => {
  const live = (await views('T104', null)).at(-1)?.selected;
  if (!live) throw new Error('no run');
  const past = pastOf({ ...live, history: live.history.slice(-1) }, 2);
  expect(past?.checkpoint).toBe(null);
  expect(past?.run.run).toMatchObject({ version: 1, status: notRecorded, contextJson: notRecorded });
  expect(past?.run.events).toHaveLength(2);
  expect(pastOf(live, 99)).toBe(null);
});

test.each([
  ['T104', undefined],
  ['T104', 'dispatch'],
  ['T101', 'dispatch'],
])('the commits of %s under %s are those that SQLite was asked for', async (ticketId, workflow) => {
  const lab = await openLab(parts);
  const { start, step, statements } = lab.server.handlers;
  let view = must(await start(workflow === undefined ? { ticketId } : { ticketId, workflow }));
  for (let steps = 0; steps < 20 && view.selected?.run.status !== 'completed'; steps += 1) {
    if (!view.selected) throw new Error('no run');
    view =
      view.selected.run.status === 'waiting'
        ? await decided(lab.server, view.selected)
        : must(await step(view.selected.run));
  }
  expect(view.selected?.run.status).toBe('completed');
  const asked = must(await statements({}))
    .commits.map((commit) =>
      commit.statements.filter(({ sql }) => sql.startsWith('INSERT INTO agent_events')),
    )
    .map(({ length }) => length)
    .filter((length) => length > 0);
  expect(commitsOf(view.selected?.events ?? []).map(({ events }) => events.length)).toEqual(asked);
  await lab.close();
});
