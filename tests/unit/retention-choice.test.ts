/** Holds lab/retention.ts: which finished runs go by themselves, and what is said of it. */
import { expect, test } from 'vitest';
import type { FinishedRun } from '../../src/bridge/views.ts';
import { deletedSentence, tooMany, tooOld } from '../../src/lab/retention.ts';
import { preferencesFrom } from '../../src/ui/settings.svelte.ts';

const now = '2026-01-31T10:00:00.000Z';
const ended = (runId: string, finishedAtUtc: string | null): FinishedRun => ({
  runId,
  status: 'completed',
  finishedAtUtc,
});
const finished = [
  ended('no-end', null),
  ended('old', '2026-01-20T10:00:00.000Z'),
  ended('edge', '2026-01-24T10:00:00.000Z'),
  ended('new', '2026-01-30T23:00:00.000Z'),
  ended('tomorrow', '2026-02-01T10:00:00.000Z'),
];

test('by the period go those that ended before it, but for the one on screen', () => {
  expect(tooOld(finished, 7, now, null)).toEqual(['old']);
  expect(tooOld(finished, 7, now, 'old')).toEqual([]);
  expect(tooOld(finished, 1, now, null)).toEqual(['old', 'edge']);
});

test('by the size go the oldest, as many as are probably too many, but for the one on screen', () => {
  const size = (megabytes: number) => ({ bytes: megabytes * 1024 * 1024, runs: 10 });
  expect(tooMany(finished, size(10), 10, null)).toEqual([]);
  expect(tooMany(finished, size(12.5), 10, null)).toEqual(['no-end', 'old']);
  expect(tooMany(finished, size(12.5), 10, 'no-end')).toEqual(['old', 'edge']);
  expect(tooMany(finished, size(1000), 10, null)).toHaveLength(finished.length);
});

test('it is told how many went, why, and what came back', () => {
  expect(deletedSentence(2, ' older than 7 days', 12_288)).toBe(
    '2 finished runs older than 7 days were deleted; 12 KB came back.',
  );
  expect(deletedSentence(1, '', 0)).toBe('1 finished run was deleted; the database is as large as before.');
});

test('what is kept for ever stays so, whatever an older or broken page stored', () => {
  for (const stored of [undefined, {}, { keepDays: 2, keepMegabytes: 'much' }]) {
    expect(preferencesFrom(stored)).toMatchObject({ keepDays: null, keepMegabytes: null });
  }
  expect(preferencesFrom({ keepDays: 7, keepMegabytes: 10 })).toMatchObject({
    keepDays: 7,
    keepMegabytes: 10,
  });
});
