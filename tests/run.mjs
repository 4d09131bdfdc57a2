/**
 * Owns: `npm test`: finds a browser (or installs one where it can), builds the page, runs every suite, and prints
 * the true totals as the last line. Fails if anything failed, if a suite did not run, or if none ran.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium } from 'playwright';

const results = resolve('test-results');

function run(command, args, env = {}) {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

/** The path of a Chromium: the environment's, the system's, Playwright's own, or Debian's, installed here. */
function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, and there is no such file.`);
  }
  const places = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    `${process.env.PROGRAMFILES ?? 'C:\\Program Files'}\\Google\\Chrome\\Application\\chrome.exe`,
    chromium.executablePath(),
  ];
  const found = () => places.find((place) => place !== '' && existsSync(place));
  const present = found();
  if (present !== undefined) return present;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('No browser found: installing Debian’s Chromium.');
    run('apt-get', ['update']);
    run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
      DEBIAN_FRONTEND: 'noninteractive',
    });
    const installed = found();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    'No browser found: install Chromium or Chrome, run `npx playwright install chromium`, or set CHROMIUM_PATH.',
  );
}

/** Counts of a Vitest JSON report; a suite that left none counts as one failure. */
function vitestTotals(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const brokenFiles = report.testResults.filter(
    (result) => result.status === 'failed' && !result.assertionResults.some((one) => one.status === 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Counts of a Playwright JSON report; a flaky test counts as failed. */
function playwrightTotals(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const { stats, errors } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  };
}

let executable;
try {
  executable = findChromium();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const env = { CHROMIUM_PATH: executable };
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const totals = [];
let status = 0;
for (const project of ['node', 'crash', 'browser']) {
  const file = `${results}/${project}.json`;
  const args = ['vitest', 'run', '--project', project, '--reporter=default', '--reporter=json'];
  status ||= run('npx', [...args, `--outputFile.json=${file}`], env);
  totals.push([project, vitestTotals(file)]);
}
const built = run('npx', ['vite', 'build', '--logLevel', 'warn']);
status ||= built;
if (built === 0) {
  const file = `${results}/e2e.json`;
  status ||= run('npx', ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts'], {
    ...env,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  totals.push(['e2e', playwrightTotals(file)]);
} else {
  totals.push(['build', { passed: 0, failed: 1, skipped: 0 }]);
}

console.log('');
for (const [name, { passed, failed, skipped }] of totals) {
  console.log(`${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
const sum = (key) => totals.reduce((total, [, counts]) => total + counts[key], 0);
const skipped = sum('skipped');
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
const empty = totals.some(([, { passed, failed }]) => passed + failed === 0);
process.exit(status !== 0 || sum('failed') > 0 || empty ? 1 : 0);
