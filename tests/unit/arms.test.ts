/** Holds what is armed: one crash after another, each used up once. */
import { expect, test } from 'vitest';
import { armedInWords, armsAfter, liveArms } from '../../src/lab/arms.ts';

const once = (boundary: string) => ({ boundary, every: false });
const always = (boundary: string) => ({ boundary, every: true });

test('of two crashes the second is not live before the first has happened', () => {
  const arms = [once('b'), once('a')];
  expect(liveArms(arms)).toEqual([once('b')]);
  expect(liveArms(armsAfter(arms, 'b'))).toEqual([once('a')]);
  expect(liveArms(armsAfter(armsAfter(arms, 'b'), 'a'))).toEqual([]);
});

test('the same boundary twice is two crashes', () => {
  const arms = [once('a'), once('a')];
  expect(armsAfter(arms, 'a')).toEqual([once('a')]);
});

test('what is armed every time is live always, and never used up', () => {
  const arms = [always('a'), once('b')];
  expect(liveArms(arms)).toEqual(arms);
  expect(armsAfter(arms, 'a')).toEqual(arms);
});

test('a crash by hand, or elsewhere, uses nothing up', () => {
  expect(armsAfter([once('a')], null)).toEqual([once('a')]);
  expect(armsAfter([once('a')], 'b')).toEqual([once('a')]);
});

test('it is said in words', () => {
  expect(armedInWords([once('a'), once('b')])).toBe('A crash is armed at a, then at b.');
  expect(armedInWords([])).toBe('No crash is armed.');
});
