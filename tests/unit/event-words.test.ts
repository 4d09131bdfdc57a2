import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/engine/records.ts';
import { restartsInWords, restartsOf } from '../../src/ui/event-words.ts';

/** One event a session named, in order. */
function eventsOf(...sessions: readonly number[]): readonly AgentEvent[] {
  return sessions.map((session, at) => ({
    runId: 'run-T104',
    sequence: at + 1,
    session: `session-${session}`,
    eventType: 'checkpoint_saved',
    action: 'finish',
    detail: '',
    createdAtUtc: '2026-01-05T10:00:00.000Z',
  }));
}

describe('where another session goes on', () => {
  test('a run of one session has no line', () => {
    expect(restartsOf(eventsOf(1, 1, 1))).toEqual([]);
    expect(restartsOf([])).toEqual([]);
  });

  test('a session that is new to the run is a restart', () => {
    expect(restartsOf(eventsOf(1, 1, 2, 2, 3))).toEqual([
      { before: 3, kind: 'restart' },
      { before: 5, kind: 'restart' },
    ]);
  });

  test('a session that comes back is another tab: a worker that died never comes back', () => {
    expect(restartsOf(eventsOf(1, 2, 1, 1, 2))).toEqual([
      { before: 2, kind: 'restart' },
      { before: 3, kind: 'other tab' },
      { before: 5, kind: 'other tab' },
    ]);
  });

  test('in words, each kind is named once', () => {
    expect(restartsInWords(restartsOf(eventsOf(1, 2, 1, 2, 3)))).toBe(
      'restart before event 2, 5; other tab before event 3, 4',
    );
    expect(restartsInWords([])).toBe('');
  });
});
