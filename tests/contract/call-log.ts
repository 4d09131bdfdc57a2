/** What every make of the outside world's log keeps. */
import { describe, expect, test } from 'vitest';
import type { CallLog } from '../../src/world/call-log.ts';
import { newLine } from '../support/received-call.ts';
import { value } from '../support/result.ts';

const line = (lab: string, key: string) => newLine({ lab, key, answerJson: '{"text":"<b>\\u0000"}' });

/** `newLog` gives an empty log, and further ways to the same one where there are any. */
export function callLogSuite(name: string, newLog: () => readonly [CallLog, ...CallLog[]]): void {
  describe(`the call log ${name}`, () => {
    test('numbers calls from 1, over all labs, and gives each lab its own, whole', async () => {
      const [log] = newLog();
      const numbers: number[] = [];
      for (const [lab, key] of [
        ['a', 'x'],
        ['b', 'x'],
        ['a', 'x'],
      ] as const)
        numbers.push(value(await log.append(line(lab, key))));
      expect(numbers).toEqual([1, 2, 3]);
      expect(value(await log.list('a'))).toEqual([
        { ...line('a', 'x'), number: 1 },
        { ...line('a', 'x'), number: 3 },
      ]);
      expect(value(await log.list('none'))).toEqual([]);
    });

    test('keeps calls that come at once apart, in the order they came', async () => {
      const [log] = newLog();
      const keys = Array.from({ length: 20 }, (_, index) => String(index));
      await Promise.all(keys.map(async (key) => value(await log.append(line('a', key)))));
      const listed = value(await log.list('a'));
      expect(listed.map(({ key }) => key)).toEqual(keys);
      expect(listed.map(({ number }) => number)).toEqual(keys.map((_, index) => index + 1));
    });

    test('makes a line of what it holds of this lab, and hands back what was made with it', async () => {
      const [log] = newLog();
      value(await log.append(line('a', 'x')));
      value(await log.append(line('b', 'y')));
      const made = await log.appendAfter('a', (earlier) => ({
        line: line('a', earlier.map(({ number, key }) => `${String(number)}${key}`).join()),
        value: earlier.length,
      }));
      expect(value(made)).toEqual({ number: 3, value: 1 });
      expect(value(await log.list('a')).map(({ key }) => key)).toEqual(['x', '1x']);
    });

    test('of those who look and append at once, in however many tabs, each sees all lines before its own', async () => {
      const logs = newLog();
      const seen = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const log = logs[index % logs.length] ?? logs[0];
          const made = await log.appendAfter('a', (earlier) => ({
            line: line('a', 'x'),
            value: earlier.length,
          }));
          const { number, value: before } = value(made);
          return number - before;
        }),
      );
      expect(seen).toEqual(Array.from({ length: 12 }, () => 1));
    });

    test('completes a line, and only this one; a line that is gone stays away', async () => {
      const [log] = newLog();
      const sent = newLine({ reply: 'awaited', work: 'unknown', answerJson: 'null' });
      value(await log.append(sent));
      value(await log.append(sent));
      value(await log.end(2, { reply: 'given', work: 'done', answerJson: '{}' }));
      value(await log.end(3, { reply: 'given' }));
      expect(value(await log.list('lab'))).toEqual([
        { ...sent, number: 1 },
        { ...sent, number: 2, reply: 'given', work: 'done', answerJson: '{}' },
      ]);
    });

    test('deletes the lines of other labs only when asked, and goes on numbering', async () => {
      const [log] = newLog();
      value(await log.append(line('a', 'x')));
      value(await log.append(line('b', 'y')));
      value(await log.keepOnly(['b']));
      expect(value(await log.list('a'))).toEqual([]);
      expect(value(await log.list('b'))).toHaveLength(1);
      value(await log.append(line('b', 'z')));
      expect(value(await log.list('b')).map(({ number }) => number)).toEqual([2, 3]);
    });
  });
}
