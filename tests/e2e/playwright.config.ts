/**
 * Owns: which end-to-end tests run in which browser, on the built page. tests/run.mjs finds the browsers; CHROMIUM_PATH
 * and FIREFOX_PATH name others than Debian's.
 */
import { defineConfig } from '@playwright/test';

/** What a browser may do differently: storing, taking files in, dying, several tabs, and sending to other origins. */
const ofBrowsers = [
  'disk.spec.ts',
  'files.spec.ts',
  'http-tools.spec.ts',
  'kills.spec.ts',
  'lesson.spec.ts',
  'two-tabs.spec.ts',
  'torture.spec.ts',
];

/** What is said and where it crashes: no browser does that in its own way. */
const onceIsEnough = [
  /lesson\.spec\.ts.*(the tickets show|Crash now|before the run was saved|last commit|a call and its saved result|at resume\.committed|every time|two automatic)/,
  // In the others the tab reloads, and is closed, too.
  /lesson\.spec\.ts.*(reloading by hand|whose tab was closed)/,
  // That a file comes in at all is a browser's; what comes of it is not.
  /\bfiles\.spec\.ts(?!.*opening a file can be undone)/,
];

/** How pages tell each other, and how a worker ends, is no matter of the store under IndexedDB. */
const notOfTheStore = [/is seen in the other/, /a worker that is killed without a reload/];

export default defineConfig<object, { projectArguments: readonly string[] }>({
  testDir: '.',
  outputDir: '../../test-results/e2e',
  fullyParallel: true,
  // One more than CI has cores: a test waits for the product's own pauses half of its time.
  workers: 3,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  retries: 0,
  projects: [
    { name: 'chromium', use: { browserName: 'chromium' } },
    { name: 'firefox', use: { browserName: 'firefox' }, testMatch: ofBrowsers, grepInvert: onceIsEnough },
    {
      // Chromium's next store under IndexedDB, which it has behind a switch.
      name: 'chromium-sqlite',
      use: { browserName: 'chromium', projectArguments: ['--enable-features=IdbSqliteBackingStore'] },
      testMatch: ['disk.spec.ts', 'kills.spec.ts', 'two-tabs.spec.ts'],
      grepInvert: notOfTheStore,
    },
  ],
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? '../../test-results/e2e.json' }],
  ],
});
