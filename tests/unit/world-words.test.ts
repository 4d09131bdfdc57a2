/** Holds lab/world-words.ts, lab/calls-of-run.ts, lab/outside.svelte.ts and lab/result-text.ts. */
import { describe, expect, test } from 'vitest';
import { checkAddress } from '../../src/bridge/outside-settings.ts';
import { callsOfRun } from '../../src/lab/calls-of-run.ts';
import { deskFrom, routesFrom } from '../../src/lab/outside.svelte.ts';
import { resultFrom } from '../../src/lab/result-text.ts';
import { addressSentence, deskInWords } from '../../src/lab/world-words.ts';
import type { CallWork } from '../../src/world/call-log.ts';
import { defaultDeskSettings } from '../../src/world/desk-settings.ts';
import { newLine } from '../support/received-call.ts';

describe('addresses', () => {
  test.each([
    ['example', 'can’t be read as an address'],
    ['ftp://example.org/', 'https:// or http://'],
    ['https://me:secret@example.org/', 'password'],
    ['http://example.org/', 'localhost'],
  ])('%s is refused with a sentence of its own', (text, part) => {
    const checked = checkAddress(text, { secure: true });
    const says = checked.ok ? '' : addressSentence(checked.failure.because);
    expect(says).toContain(part);
    expect(says).toMatch(/^[A-Z].*\.$/);
  });

  test('of what was kept, only addresses that may be sent to from here come back', () => {
    const stored = { a: 'https://example.org', b: 'http://example.org/', c: 'ftp://x/', d: 7 };
    expect(routesFrom(stored, true)).toEqual({ a: 'https://example.org/' });
    expect(routesFrom(stored, false)).toEqual({ a: 'https://example.org/', b: 'http://example.org/' });
    expect(routesFrom('broken', true)).toEqual({});
  });
});

describe('the desk', () => {
  test('whatever an older or broken page kept, its settings are valid', () => {
    const set = { ...defaultDeskSettings, honoursKeys: false, delayMs: 5000, trouble: 'loses_answer' };
    expect(deskFrom(set)).toEqual(set);
    for (const stored of [undefined, 'x', { delayMs: 3, trouble: 'fire', troubleTimes: 'never' }]) {
      expect(deskFrom(stored)).toEqual(defaultDeskSettings);
    }
  });

  test('its settings are told in a line', () => {
    expect(deskInWords(defaultDeskSettings)).toBe('honours keys, answers at once');
    expect(
      deskInWords({
        honoursKeys: false,
        delayMs: 5000,
        trouble: 'loses_answer',
        troubleTimes: 'once',
        answersStatus: false,
      }),
    ).toBe('IGNORES keys, answers after 5 s, loses the next answer, can’t be asked');
  });
});

test('work that was done twice under one key is counted apart from a key that was recognised', () => {
  const lines = (...works: CallWork[]) =>
    works.map((work, at) => ({
      number: at + 1,
      ...newLine({ key: 'run-T104:open_work_order', tool: 'open_work_order', work }),
    }));
  const [honest] = callsOfRun(lines('done', 'asked', 'recognised'), 'run-T104', []).tools;
  expect(honest).toMatchObject({ received: 2, done: 1, doubled: false });
  const ignorant = callsOfRun(lines('failed', 'done', 'done'), 'run-T104', []);
  expect(ignorant.tools[0]).toMatchObject({ received: 3, done: 2, doubled: true });
  expect(ignorant.own.map(({ time, doneTime }) => [time, doneTime])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
});

describe('a result that a person enters', () => {
  test('a JSON object is one, with all it holds', () => {
    expect(resultFrom(' {"page": "PG-9", "n": [1]} ')).toEqual({ ok: true, value: { page: 'PG-9', n: [1] } });
  });

  test.each([
    ['', 'Nothing is entered'],
    ['{"page": ', 'This is not JSON'],
    ['"PG-9"', 'no object'],
    ['[1]', 'no object'],
    ['null', 'no object'],
  ])('%s is none, and it is said why', (text, part) => {
    const read = resultFrom(text);
    expect(read.ok ? '' : read.failure).toContain(part);
  });
});
