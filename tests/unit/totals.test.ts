/** The numbers that `npm test` ends with, from reports as Vitest and Playwright write them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inWords, oneSkipped, playwrightTotals, sum, vitestTotals } from '../support/totals.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crashpoint-totals-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function report(content: unknown): string {
  const file = join(folder, `${String(Math.random())}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const passing = { status: 'passed', assertionResults: [{ status: 'passed' }] };
const vitestReport = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [passing],
};

test('a Vitest report is counted', () => {
  expect(vitestTotals(report(vitestReport))).toEqual({ passed: 3, failed: 0, skipped: 0 });
  const failing = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'failed' }] };
  const mixed = {
    ...vitestReport,
    numFailedTests: 2,
    numPendingTests: 4,
    numTodoTests: 1,
    testResults: [failing],
  };
  expect(vitestTotals(report(mixed))).toEqual({ passed: 3, failed: 2, skipped: 5 });
});

test('a test file that did not load is a failure, though no test in it failed', () => {
  const broken = { status: 'failed', assertionResults: [] };
  const content = { ...vitestReport, testResults: [passing, broken] };
  expect(vitestTotals(report(content))).toEqual({ passed: 3, failed: 1, skipped: 0 });
});

test('a suite without a report, or with half of one, has failed', () => {
  const failed = { passed: 0, failed: 1, skipped: 0 };
  expect(vitestTotals(join(folder, 'none.json'))).toEqual(failed);
  expect(vitestTotals(report('{"numPassedTests": 3'))).toEqual(failed);
  expect(playwrightTotals(join(folder, 'none.json'), ['chromium', 'firefox'])).toEqual([
    ['chromium', failed],
    ['firefox', failed],
  ]);
  expect(playwrightTotals(report(''), ['chromium'])).toEqual([['chromium', failed]]);
});

const ran = (projectName: string, ...statuses: readonly string[]) => ({
  specs: statuses.map((status) => ({ tests: [{ projectName, status }] })),
});

test('a Playwright report is counted by project, however deep its suites lie', () => {
  const content = {
    errors: [],
    suites: [
      { ...ran('chromium', 'expected', 'expected'), suites: [ran('chromium', 'unexpected', 'expected')] },
      { suites: [{ suites: [ran('firefox', 'expected', 'skipped')] }] },
    ],
  };
  expect(playwrightTotals(report(content), ['chromium', 'firefox'])).toEqual([
    ['chromium', { passed: 3, failed: 1, skipped: 0 }],
    ['firefox', { passed: 1, failed: 0, skipped: 1 }],
  ]);
});

test('a flaky test, and any status that nobody knows, is a failure', () => {
  const content = { errors: [], suites: [ran('chromium', 'expected', 'flaky', 'new in some version')] };
  expect(playwrightTotals(report(content), ['chromium'])).toEqual([
    ['chromium', { passed: 1, failed: 2, skipped: 0 }],
  ]);
});

test('a project that was asked for and has no test in the report has failed', () => {
  const content = { errors: [], suites: [ran('chromium', 'expected')] };
  expect(playwrightTotals(report(content), ['chromium', 'firefox'])[1]).toEqual([
    'firefox',
    { passed: 0, failed: 1, skipped: 0 },
  ]);
});

test('an error outside of every test counts', () => {
  const content = { errors: [{ message: 'a file does not load' }], suites: [ran('chromium', 'expected')] };
  const totals = playwrightTotals(report(content), ['chromium']);
  expect(sum(totals.map(([, counts]) => counts))).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('the last line names what was skipped only where something was', () => {
  const passed = { passed: 7, failed: 0, skipped: 0 };
  expect(inWords(sum([passed, { passed: 1, failed: 2, skipped: 0 }]))).toBe('8 passed, 2 failed');
  expect(inWords(sum([passed, oneSkipped]))).toBe('7 passed, 0 failed, 1 skipped');
});
