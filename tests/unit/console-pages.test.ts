/** Holds: whatever is asked, the console draws a bounded number of cells. */
import { expect, test } from 'vitest';
import { mostResults, rowsAPage } from '../../src/lab/console/pages.ts';

test('a usual result has 500 rows a page', () => {
  expect(rowsAPage(0, 0)).toBe(500);
  expect(rowsAPage(12, 1)).toBe(500);
  expect(rowsAPage(60, 1)).toBe(500);
});

test('many columns, or many results, have fewer, and never none', () => {
  expect(rowsAPage(2_000, 1)).toBe(15);
  expect(rowsAPage(10, 30)).toBe(100);
  expect(rowsAPage(2_000, 100_000)).toBe(1);
});

test('all that is on screen is bounded', () => {
  for (const columns of [1, 7, 100, 2_000])
    for (const results of [1, 2, 49, 50, 5_000])
      expect(columns * rowsAPage(columns, results) * Math.min(results, mostResults)).toBeLessThanOrEqual(
        100_000,
      );
});
