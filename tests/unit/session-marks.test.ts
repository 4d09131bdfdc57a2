/** Holds the session's look in ui/event-words.ts, and the words of ui/formats.ts that the tables use. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/engine/records.ts';
import { sessionsOf } from '../../src/ui/event-words.ts';
import { shownOf, timeOfDay } from '../../src/ui/formats.ts';

const eventsOf = (...sessions: readonly string[]): readonly AgentEvent[] =>
  sessions.map((session, at) => ({
    runId: 'run-T104',
    sequence: at + 1,
    session,
    eventType: 'checkpoint_saved',
    action: 'finish',
    detail: '',
    createdAtUtc: '',
  }));

test('a session looks the same in every run that it worked on', () => {
  const [, second] = sessionsOf(eventsOf('session-1', 'session-2'));
  const [alone] = sessionsOf(eventsOf('session-2'));
  expect(alone).toEqual(second);
});

test('twenty-five sessions in a row all look different', () => {
  const names = Array.from({ length: 25 }, (_, at) => `session-${at + 1}`);
  const looks = sessionsOf(eventsOf(...names)).map(({ index, shape }) => `${index} ${shape}`);
  expect(new Set(looks).size).toBe(25);
});

test('a session without a number has a look of its own too', () => {
  expect(sessionsOf(eventsOf('laptop', 'session-0')).map(({ shape }) => shape)).toEqual(['circle', 'circle']);
});

test('a table that shows fewer rows than it holds says both figures', () => {
  expect(shownOf(0, 12)).toBe('0 of this run, 12 in all');
  expect(shownOf(1, 1)).toBe('1 row');
  expect(shownOf(0, 0)).toBe('0 rows');
});

test('the time of day is shown as it is stored, and what is no instant as it is', () => {
  expect(timeOfDay('2026-01-02T14:02:11.123Z')).toBe('14:02:11.123Z');
  expect(timeOfDay('yesterday')).toBe('yesterday');
});
