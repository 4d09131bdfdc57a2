import { defineConfig } from '@playwright/test';

/** End to end on the built page, in the Chromium that tests/run.mjs found. Each test has a browser profile of its own. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/e2e',
  fullyParallel: true,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? '../../test-results/e2e.json' }],
  ],
});
