/** Holds replaying: the same inputs again give the same trace, byte for byte, from every checkpoint; a change is found. */
import { beforeAll, describe, expect, test } from 'vitest';
import { pastOf } from '../../src/bridge/past.ts';
import { firstDifference, otherDifferences, recordingFrom } from '../../src/bridge/recording.ts';
import type { RunView } from '../../src/bridge/views.ts';
import { replay, type Recording } from '../../src/explorer/replay.ts';
import type { ExplorerParts } from '../../src/explorer/session.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

let parts: ExplorerParts;
beforeAll(async () => {
  // No tool of its own: the answers are the record's.
  parts = { ...(await testParts()), random: cryptoRandom, handlers: {}, remote: {} };
});

/** A run of the lesson under the stepping clock. `over`: before these steps another session takes it up. */
async function recorded(over: readonly number[], steps = 9): Promise<RunView> {
  let lab = await openLab(parts);
  let view = must(await lab.server.handlers.start({ ticketId: 'T104' }));
  for (let step = 1; view.selected?.run.status === 'running' && step <= steps; step += 1) {
    if (over.includes(step)) {
      await lab.close();
      lab = await openLab(parts, lab.storage);
    }
    view = must(await lab.server.handlers.step(view.selected.run));
  }
  await lab.close();
  if (!view.selected) throw new Error('no run');
  return view.selected;
}

function recordingAt(live: RunView, version: number): Recording {
  const sequence =
    version === 0 ? 1 : live.events.find(({ detail }) => detail === `version ${version}`)?.sequence;
  const past = pastOf(live, sequence ?? 0);
  const made = past && recordingFrom(live, past);
  if (made?.type !== 'recording') throw new Error(made?.why ?? 'no such version');
  return made.recording;
}

const bytes = (events: readonly object[]): string => JSON.stringify(events);

describe.each([
  ['in one session', []],
  ['that two sessions worked on', [2]],
  ['that was taken up before every action', [1, 2, 3, 4]],
])('a run %s', (_, over) => {
  test('is replayed byte for byte from each of its checkpoints', async () => {
    const live = await recorded(over);
    for (const version of [0, 1, 2, 3]) {
      const recording = recordingAt(live, version);
      const replayed = await replay(parts, recording);
      expect(replayed.stuck).toBe(null);
      expect(bytes(replayed.events)).toBe(bytes(recording.events));
      expect(firstDifference(live.events, replayed.events)).toBe(null);
      expect(otherDifferences(live, replayed)).toEqual([]);
    }
  });
});

test('a run that stands in the middle is replayed to where it stands, and no further', async () => {
  const live = await recorded([2], 2);
  expect(live.run).toMatchObject({ status: 'running', version: 2 });
  const replayed = await replay(parts, recordingAt(live, 0));
  expect(firstDifference(live.events, replayed.events)).toBe(null);
  expect(replayed.run.version).toBe(2);
});

test('a saved result that a session died on is reused in the replay, too', async () => {
  const live = await recorded([]);
  const recording = recordingAt(live, 1);
  // As after a crash at lookup_runbook.tool.durable.
  const [one, two, three, ...rest] = recording.events;
  if (!one || !two || !three) throw new Error('too few events');
  const second = { session: 'session-2', runId: one.runId, createdAtUtc: three.createdAtUtc };
  const events = [
    one,
    two,
    three,
    { ...second, sequence: 4, eventType: 'run_resumed', action: 'resume', detail: 'loaded durable state' },
    { ...second, sequence: 5, eventType: 'tool_reused', action: three.action, detail: three.detail },
    ...rest.map((event) => ({ ...event, session: 'session-2', sequence: event.sequence + 2 })),
  ];
  const replayed = await replay(parts, { ...recording, events });
  expect(replayed.events).toEqual(events);
});

test('what was changed behind the engine’s back is the first difference', async () => {
  const live = await recorded([]);
  const recording = recordingAt(live, 0);
  const forged = live.events.map((event) =>
    event.sequence === 4 ? { ...event, action: 'draft_reply' } : event,
  );
  const replayed = await replay(parts, { ...recording, events: forged });
  expect(firstDifference(forged, replayed.events)).toBe(3);
  const effects = recording.effects.map((effect) => ({ ...effect, resultJson: '{"next_step":"other"}' }));
  const otherwise = await replay(parts, { ...recording, effects });
  expect(otherDifferences(live, otherwise)).toContain('agent_runs.context_json');
});

test('without a saved answer it goes no further, and says so', async () => {
  const recording = recordingAt(await recorded([]), 1);
  const replayed = await replay(parts, { ...recording, effects: [] });
  expect(replayed.stuck).toBe('ToolFailed');
  expect(replayed.events).toHaveLength(recording.before);
});

test('a run of Dispatch, and the end of a run, are not replayed, and it is said why', async () => {
  const live = await recorded([]);
  const last = pastOf(live, live.events.at(-1)?.sequence ?? 0);
  expect(last && recordingFrom(live, last)).toMatchObject({
    type: 'not',
    why: expect.stringContaining('Nothing was written'),
  });
  const start = pastOf(live, 1);
  expect(start && recordingFrom({ ...live, workflow: 'dispatch' }, start)).toMatchObject({ type: 'not' });
});
