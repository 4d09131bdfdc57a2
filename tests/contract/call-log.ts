/** What every make of the outside world's log keeps. */
import { describe, expect, test } from 'vitest';
import type { CallLog } from '../../src/world/call-log.ts';
import { value } from '../support/result.ts';

const call = (lab: string, key: string) => ({
  lab,
  key,
  tool: 'lookup_runbook',
  argumentsJson: '{}',
  answerJson: '{"text":"<b>\\u0000"}',
  receivedAtUtc: '2026-01-05T09:00:00.000Z',
});

export function callLogSuite(name: string, newLog: () => CallLog): void {
  describe(`the call log ${name}`, () => {
    test('numbers calls from 1, over all labs, and gives each lab its own, whole', async () => {
      const log = newLog();
      for (const [lab, key] of [
        ['a', 'x'],
        ['b', 'x'],
        ['a', 'x'],
      ] as const)
        value(await log.append(call(lab, key)));
      expect(value(await log.list('a'))).toEqual([
        { ...call('a', 'x'), number: 1 },
        { ...call('a', 'x'), number: 3 },
      ]);
      expect(value(await log.list('none'))).toEqual([]);
    });

    test('keeps calls that come at once apart, in the order they came', async () => {
      const log = newLog();
      const keys = Array.from({ length: 20 }, (_, index) => String(index));
      await Promise.all(keys.map(async (key) => value(await log.append(call('a', key)))));
      const listed = value(await log.list('a'));
      expect(listed.map((line) => line.key)).toEqual(keys);
      expect(listed.map((line) => line.number)).toEqual(keys.map((_, index) => index + 1));
    });

    test('deletes the lines of other labs only when asked, and goes on numbering', async () => {
      const log = newLog();
      value(await log.append(call('a', 'x')));
      value(await log.append(call('b', 'y')));
      value(await log.keepOnly(['b']));
      expect(value(await log.list('a'))).toEqual([]);
      expect(value(await log.list('b'))).toHaveLength(1);
      value(await log.append(call('b', 'z')));
      expect(value(await log.list('b')).map((line) => line.number)).toEqual([2, 3]);
    });
  });
}
