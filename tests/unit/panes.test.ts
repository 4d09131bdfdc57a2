/** Holds the panes of the lab: which one an address or a key opens, and the way around their tabs. */
import { expect, test } from 'vitest';
import { paneInHash, tabAfter } from '../../src/lab/panes.ts';

test('an address opens the pane that it names, and none where it names none that there is', () => {
  expect(paneInHash('#/lab?view=diff')).toBe('diff');
  expect(paneInHash('#/lab?t=T104&view=json')).toBe('json');
  expect(paneInHash('#/lab')).toBe(null);
  expect(paneInHash('#/lab?view=')).toBe(null);
  expect(paneInHash('#/lab?view=toString')).toBe(null);
});

test('arrows go round the tabs, Home and End to their ends, and other keys nowhere', () => {
  expect([0, 3, 6].map((at) => tabAfter('ArrowRight', at, 7))).toEqual([1, 4, 0]);
  expect([0, 3, 6].map((at) => tabAfter('ArrowLeft', at, 7))).toEqual([6, 2, 5]);
  expect([tabAfter('Home', 4, 7), tabAfter('End', 4, 7)]).toEqual([0, 6]);
  expect(tabAfter('ArrowDown', 4, 7)).toBe(null);
});
