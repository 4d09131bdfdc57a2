/** Every failure has its words and a way on, wherever it is met; and what must not be offered is not. */
import { expect, test } from 'vitest';
import type { Failure } from '../../src/engine/failure.ts';
import { waysFrom, type Place } from '../../src/lab/ways.ts';
import { sentenceFor } from '../../src/ui/sentences.ts';

const newer = { type: 'FormatNewer', image: 'x', stored: 2, known: 1 } as const;
const failures: readonly Failure[] = [
  { type: 'StateConflict', runId: 'run-T104', expected: 1, stored: 2 },
  { type: 'NotSaved', reason: 'r' },
  { type: 'StorageFull', reason: 'r' },
  { type: 'OutcomeUnknown', reason: 'r' },
  { type: 'StorageGone', replaced: false },
  { type: 'StorageGone', replaced: true },
  { type: 'StorageFailed', reason: 'r' },
  { type: 'StorageStuck', what: 'commit', seconds: 15 },
  { type: 'ImageDamaged', reason: 'r', quarantined: 'x' },
  { ...newer, what: 'tables' },
  { ...newer, what: 'image' },
  { ...newer, what: 'database' },
  { type: 'ImageConflict', tries: 5 },
  { type: 'SqliteUnfit', reason: 'r' },
  { type: 'SqliteUnavailable', reason: 'r' },
  { type: 'WasmRefused', reason: 'r' },
  { type: 'OutOfMemory', reason: 'r' },
  { type: 'WorkerNotLoaded', worker: 'agent' },
  { type: 'WorkerNotLoaded', worker: 'desk' },
];

const open: Place = { open: true, store: 'indexeddb', former: null };
const closed: Place = { ...open, open: false };

test.each(failures)('$type has words that stand alone, and a button, open and closed', (failure) => {
  const { says, wayOn, retry } = sentenceFor(failure);
  expect(says).toMatch(/^[A-Z].*\.$/);
  expect(wayOn).toMatch(/^[A-Z].*\.$/);
  for (const place of [open, closed]) {
    expect(retry !== null || waysFrom(failure, place).length > 0).toBe(true);
  }
});

test('whatever is not saved while a database is open, its last commit can be taken along', () => {
  const notSaved = failures.filter(({ type }) =>
    /^(NotSaved|Storage.*|OutcomeUnknown|ImageDamaged|FormatNewer)$/.test(type),
  );
  expect(notSaved.length).toBeGreaterThan(8);
  for (const failure of notSaved) expect(waysFrom(failure, open)).toContain('download-memory');
});

test('memory is not stored over a database that another tab has made', () => {
  expect(waysFrom({ type: 'StorageGone', replaced: false }, open)).toContain('store-again');
  expect(waysFrom({ type: 'StorageGone', replaced: true }, open)).not.toContain('store-again');
});

test('room is given back only from a copy that is there', () => {
  const full = { type: 'StorageFull', reason: 'r' } as const;
  expect(waysFrom(full, open)).not.toContain('delete-former');
  expect(waysFrom(full, { ...open, former: 4096 })).toContain('delete-former');
  const damaged = { type: 'CopyDamaged', reason: 'r' } as const;
  expect(waysFrom(damaged, { ...open, former: 4096 })).toEqual(['delete-former']);
  expect(sentenceFor(damaged).wayOn).toContain('stays as it is');
});

test('nobody has to wait for a time that is stored, nor for a call that another session has claimed', () => {
  const [key, utc] = ['run-T104:open_work_order', '2026-01-05T10:00:00.000Z'];
  const notDue = { type: 'AttemptNotDue', key, dueAtUtc: utc } as const;
  const claimed = { type: 'ClaimedElsewhere', key, session: 'session-1', leaseUntilUtc: utc } as const;
  expect(waysFrom(notDue, open)).toEqual(['try-now']);
  for (const alive of [true, false]) {
    const failure = { ...claimed, alive };
    expect(waysFrom(failure, open)).toEqual(['take-over']);
    expect(sentenceFor(failure)).toMatchObject({ retry: 'Look again', calm: true });
    expect(sentenceFor(failure).says).toContain('ession');
  }
});

test('in memory already, memory is no way on', () => {
  const stuck = { type: 'StorageStuck', what: 'open', seconds: 10 } as const;
  expect(waysFrom(stuck, closed)).toEqual(['memory-only']);
  expect(waysFrom(stuck, { ...closed, store: 'memory' })).toEqual([]);
});
