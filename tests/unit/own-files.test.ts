/** What this page has made opens again, also where what came in was at a limit and has grown here since. */
import { expect, test } from 'vitest';
import { limits } from '../../src/storage/files/limits.ts';
import { files, found, inspected, reasonFor } from '../support/inspected.ts';

const many = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
const runs = (name: string, count: number): string =>
  `${many(count)} INSERT INTO agent_runs SELECT '${name}-' || i, 'T101', 'completed', NULL, '{}', 0 FROM n;`;

test('a lab that was opened with as many runs as may come in opens again after the next one', () => {
  const opened = inspected(files.lesson(runs('run-T101', 998)));
  expect(opened.report.runs).toBe(1000);
  expect(inspected(files.of(runs('run-T102', 20), opened.image)).report.runs).toBe(1020);
  expect(reasonFor(files.lesson(runs('run-T101', 999)))).toMatch(/^it holds 1001 runs/);
});

test('a lab that was opened with as many tables as may come in opens again with those that are added here', () => {
  const tables = Array.from({ length: limits.others.tables - 3 }, (_, at) => `CREATE TABLE t${at} (a);`);
  const { image } = inspected(files.lesson(tables.join('')));
  expect(inspected(image).report.runs).toBe(2);
});

/** A hundredth of the usual bytes: what is meant is seen as well, and sooner. */
const small = {
  others: { ...limits.others, bytes: limits.others.bytes / 100 },
  ours: { ...limits.ours, bytes: limits.ours.bytes / 100 },
};

test('an image at the limit of bytes opens again, and a file of another program at that size does not', () => {
  const bytes = small.others.bytes + 50_000;
  const filling = `CREATE TABLE notes (body BLOB); INSERT INTO notes VALUES (zeroblob(${bytes}))`;
  expect(reasonFor(files.lesson(filling), small)).toBe('it is larger than 1 MB');
  const { image } = inspected(files.of(filling, inspected(files.lesson()).image), small);
  expect(found(image, 'SELECT length(body) FROM notes')).toEqual([[bytes]]);
  expect(inspected(image, small).image.length).toBe(image.length);
});

test('a file that is small enough and would be too large here is refused', () => {
  // Two bytes of UTF-16 are three of UTF-8.
  const bytes = files.lesson(
    `CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES (replace(hex(zeroblob(400000)), '00', '中'))`,
    `PRAGMA encoding = 'UTF-16le';`,
  );
  expect(bytes.length).toBeLessThan(small.others.bytes);
  expect(reasonFor(bytes, small)).toBe('here it would take more than 1 MB');
});
