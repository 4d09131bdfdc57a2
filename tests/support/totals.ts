/** Owns: what the reports of Vitest and Playwright say in numbers. A suite without a report has failed. */
import { existsSync, readFileSync } from 'node:fs';

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A suite that did not run, or ran and left nothing to count. */
export const oneFailed: Totals = { passed: 0, failed: 1, skipped: 0 };
export const oneSkipped: Totals = { passed: 0, failed: 0, skipped: 1 };

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Counts of a Vitest JSON report. A file that failed without a failed test (it did not load) is one failure. */
export function vitestTotals(file: string): Totals {
  const report = readReport<VitestReport>(file);
  if (report === null) return oneFailed;
  const brokenFiles = report.testResults.filter(
    (result) => result.status === 'failed' && !result.assertionResults.some((one) => one.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly tests: readonly { readonly projectName: string; readonly status: string }[];
  }[];
}

interface PlaywrightReport extends PlaywrightSuite {
  readonly errors: readonly unknown[];
}

/**
 * Counts of a Playwright JSON report, by project, in the order asked. A flaky test counts as failed. A project without
 * a test in the report has failed, and so has the suite `all` when something failed outside of every test.
 */
export function playwrightTotals(file: string, projects: readonly string[]): readonly [string, Totals][] {
  const report = readReport<PlaywrightReport>(file);
  const tests = report === null ? [] : testsIn(report);
  const counted = projects.map((project): [string, Totals] => {
    const mine = tests.filter(({ projectName }) => projectName === project);
    const count = (...statuses: readonly string[]) =>
      mine.filter(({ status }) => statuses.includes(status)).length;
    const known = { passed: count('expected'), skipped: count('skipped') };
    return [
      project,
      mine.length === 0 ? oneFailed : { ...known, failed: mine.length - known.passed - known.skipped },
    ];
  });
  const errors = report?.errors.length ?? 0;
  return errors === 0 ? counted : [...counted, ['all', { passed: 0, failed: errors, skipped: 0 }]];
}

export function sum(all: readonly Totals[]): Totals {
  const over = (key: keyof Totals) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: over('passed'), failed: over('failed'), skipped: over('skipped') };
}

/** `3 passed, 0 failed`; what was skipped only where something was. */
export function inWords({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function testsIn(
  suite: PlaywrightSuite,
): readonly { readonly projectName: string; readonly status: string }[] {
  return [
    ...(suite.specs ?? []).flatMap(({ tests }) => tests),
    ...(suite.suites ?? []).flatMap((inner) => testsIn(inner)),
  ];
}

/** Null: no report, or none that can be read. */
function readReport<T>(file: string): T | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return null;
  }
}
