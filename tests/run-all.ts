/**
 * Owns: `npm test`: finds the browsers (or installs them where it can), builds the page, runs every suite whatever
 * the others do, and prints the true totals as the last line. Fails if anything failed, or if a suite did not run.
 *
 * Where a browser is absent its suites count as skipped; with REQUIRE_BROWSERS=1, as in .ci/run, they count as failed.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { browsers, findBrowser, install, type Browser } from './support/find-browsers.ts';
import {
  inWords,
  oneFailed,
  oneSkipped,
  playwrightTotals,
  sum,
  vitestTotals,
  type Totals,
} from './support/totals.ts';

interface Suite {
  readonly name: string;
  readonly totals: Totals;
  /** Why it did not run. */
  readonly reason?: string;
}

// Absolute: Playwright takes a relative path to be in the folder of its settings.
const results = resolve('test-results');

const endToEndProjects: Readonly<Record<Browser['name'], readonly string[]>> = {
  chromium: ['chromium', 'chromium-sqlite'],
  firefox: ['firefox'],
};

/** The exit code. */
export async function runAll(): Promise<number> {
  // The loader of this file means itself when it says "development": what is built and tested is the page as it is served.
  delete process.env['NODE_ENV'];
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  install(browsers.filter((browser) => findBrowser(browser) === null));
  for (const browser of browsers) process.env[browser.variable] = findBrowser(browser) ?? '';
  const here = browsers.filter((browser) => findBrowser(browser) !== null);
  const missing = browsers.filter((browser) => !here.includes(browser));

  // Two at a time: each of them leaves a core idle for most of its time.
  const [crash, others] = await Promise.all([
    vitest('crash'),
    inTurn(['node', ...here.map(({ name }) => `browser-${name}`)]),
  ]);
  const suites: readonly Suite[] = [
    ...others,
    crash,
    ...missing.map((browser) => absent(`browser-${browser.name}`, browser)),
    ...(await endToEnd(here.flatMap(({ name }) => endToEndProjects[name]))),
    ...missing.flatMap((browser) =>
      endToEndProjects[browser.name].map((project) => absent(`e2e-${project}`, browser)),
    ),
  ];
  console.log('');
  for (const { name, totals, reason } of suites) console.log(`${name}: ${reason ?? inWords(totals)}`);
  const total = sum(suites.map(({ totals }) => totals));
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  // Always of this form: CI reads it.
  console.log(inWords({ ...total, skipped: 0 }));
  return total.failed > 0 ? 1 : 0;
}

function absent(name: string, { remedy }: Browser): Suite {
  return process.env['REQUIRE_BROWSERS'] === '1'
    ? { name, totals: oneFailed, reason: `failed, ${remedy}` }
    : { name, totals: oneSkipped, reason: `skipped, ${remedy}` };
}

async function inTurn(names: readonly string[]): Promise<readonly Suite[]> {
  const suites: Suite[] = [];
  for (const name of names) suites.push(await vitest(name));
  return suites;
}

async function vitest(name: string): Promise<Suite> {
  const file = `${results}/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const status = await run('npx', ['vitest', 'run', '--project', name, ...reporters]);
  const totals = vitestTotals(file);
  return { name, totals: sum([totals, unseenFailure([totals], status)]) };
}

async function endToEnd(projects: readonly string[]): Promise<readonly Suite[]> {
  if (projects.length === 0) return [];
  if ((await run('npx', ['vite', 'build', '--logLevel', 'warn'])) !== 0)
    return [{ name: 'build', totals: oneFailed }];
  const file = `${results}/e2e.json`;
  process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] = file;
  const chosen = projects.map((project) => `--project=${project}`);
  const config = 'tests/e2e/playwright.config.ts';
  const status = await run('npx', ['playwright', 'test', '--config', config, ...chosen]);
  const suites = playwrightTotals(file, projects).map(([project, totals]) => ({
    name: `e2e-${project}`,
    totals,
  }));
  const all = suites.map(({ totals }) => totals);
  const unseen = unseenFailure(all, status);
  return unseen.failed > 0 ? [...suites, { name: 'e2e', totals: unseen }] : suites;
}

/** One failure where a run failed without a failed test (it could not end, say), or had no test to run. */
function unseenFailure(all: readonly Totals[], status: number): Totals {
  const failed = all.some((totals) => totals.failed > 0);
  const nothing = all.some((totals) => totals.passed + totals.failed === 0);
  return nothing || (status !== 0 && !failed) ? oneFailed : { passed: 0, failed: 0, skipped: 0 };
}

/** The exit code; 1 where it was killed, or could not be started. */
function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.on('error', () => {
      resolve(1);
    });
    child.on('close', (code) => {
      resolve(code ?? 1);
    });
  });
}
