import { expect, test } from 'vitest';
import type { Stored } from '../../src/bridge/demo.ts';
import { endOf, memoryVerdict, sqliteVerdict, type LaneState } from '../../src/lab/start/start-words.ts';

const stored: Stored = {
  status: 'running',
  nextAction: 'lookup_runbook',
  version: 1,
  runs: 1,
  events: 3,
  effects: 1,
  reply: null,
};
const remembered = { nextAction: 'classify_priority', state: {} };
const killed: LaneState = {
  phase: 'done',
  killed: true,
  remembered,
  stored: { ...stored, status: 'completed', nextAction: null, version: 4 },
  found: stored,
  calls: { memory: 2, sqlite: 1 },
};

test('after a kill one lane is gone and the other tells what it found, with the calls that were counted', () => {
  expect(memoryVerdict(killed).says).toBe(
    'Gone: it started again at (1), the runbook called again: 2 calls.',
  );
  expect(sqliteVerdict(killed).says).toBe(
    'Found run-T104 at lookup_runbook, version 1 → completed, version 4; the runbook: 1 call.',
  );
  expect(endOf(killed)).toContain('did the work twice');
});

test('where the runbook had not been called yet, nothing is said to be done twice', () => {
  const early: LaneState = { ...killed, calls: { memory: 1, sqlite: 1 } };
  expect(memoryVerdict(early).says).toBe('Gone: it started again at (1), the runbook: 1 call.');
  expect(endOf(early)).not.toContain('twice');
});

test('killed before the first commit, nothing is said to be found; and nothing before the new worker has looked', () => {
  const nothing: LaneState = { ...killed, found: null };
  expect(sqliteVerdict({ ...nothing, phase: 'dead', stored: null }).says).toContain(
    'Nothing was durable yet',
  );
  expect(sqliteVerdict({ ...nothing, phase: 'loading' }).says).toBe('');
  expect(sqliteVerdict(nothing).says).toContain('Nothing was durable yet');
});
