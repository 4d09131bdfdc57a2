import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import type { BrowserInstanceOption } from 'vitest/node';
import packageFile from './package.json' with { type: 'json' };

/**
 * Everything the built page may load or contact: itself. Its workers are loaded by URL, so they have the policy of their
 * own answers, which is none on a plain host: http.worker.ts may send to where the user says, and the tests watch them all.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Only the built page carries the policy: the development server injects inline scripts. */
function policy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
        injectTo: 'head-prepend',
      },
    ],
  };
}

const versions = {
  __APP_VERSION__: JSON.stringify(packageFile.version),
  __SQLJS_VERSION__: JSON.stringify(packageFile.dependencies['sql.js']),
};

/** Chromium, and Firefox where FIREFOX_PATH says that there is one (tests/run-all.ts looks for it). */
function browserInstances(): BrowserInstanceOption[] {
  const { CHROMIUM_PATH: chromium, FIREFOX_PATH: firefox } = process.env;
  const chromiumOptions = {
    ...(chromium ? { executablePath: chromium } : {}),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  };
  // The channel speaks to the Firefox that users have, not to a build of Playwright's own.
  const firefoxOptions = { channel: 'moz-firefox', executablePath: firefox ?? '' };
  return [
    {
      name: 'browser-chromium',
      browser: 'chromium',
      provider: playwright({ launchOptions: chromiumOptions }),
    },
    ...(firefox
      ? [
          {
            name: 'browser-firefox',
            browser: 'firefox' as const,
            provider: playwright({ launchOptions: firefoxOptions }),
          },
        ]
      : []),
  ];
}

export default defineConfig({
  base: './',
  define: versions,
  plugins: [svelte(), policy()],
  worker: { format: 'es' },
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0, chunkSizeWarningLimit: 900 },
  test: {
    projects: [
      {
        define: versions,
        test: {
          name: 'node',
          environment: 'node',
          include: ['tests/unit/**/*.test.ts', 'tests/contract/**/*.test.ts'],
          // No module here has state: loading them anew for each file would take most of the time.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        define: versions,
        test: {
          name: 'crash',
          environment: 'node',
          include: ['tests/crash/**/*.test.ts'],
          isolate: false,
          testTimeout: 300_000,
        },
      },
      {
        define: versions,
        plugins: [svelte()],
        worker: { format: 'es' },
        optimizeDeps: {
          include: [
            ...['sql.js', 'xxhash-wasm', 'papaparse', '@noble/hashes/sha2.js', '@noble/hashes/utils.js'],
            'fast-check',
          ],
        },
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          testTimeout: 60_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright(),
            instances: browserInstances(),
          },
        },
      },
    ],
  },
});
