/**
 * Owns: what every test gets: the built page on a static host, a browser with a profile of its own on disk (a plain
 * context keeps IndexedDB in memory), and a watch that fails the test on any error and on any request elsewhere.
 * Leaves: finding one's way on the page to lab-page.ts.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium,
  expect,
  test as base,
  type BrowserContext,
  type Page,
  type Request,
} from '@playwright/test';
import { serveDist, type StaticServer } from '../support/static-server.ts';
import { LabPage } from './lab-page.ts';

/** What the test's browser did: kept over all its tabs and workers. */
export interface Watch {
  readonly requests: readonly Request[];
  /** Errors on the page, in its workers and on the console, and violations of the page’s policy. A test that expects one takes it out. */
  readonly errors: string[];
}

interface Options {
  /** `reduce` runs at once: most tests are not about the pace. */
  motion: 'reduce' | 'no-preference';
  /** Further arguments of the browser. */
  browserArguments: readonly string[];
  /** The host name in the address of the page; it must lead to the loopback address. */
  hostName: string;
  /** The browser's own setting for all sites: `blocked` refuses IndexedDB in page and workers. */
  siteData: 'allowed' | 'blocked';
}

interface Fixtures {
  profile: string;
  watch: Watch;
  /** The address of the page, up to and without the hash. */
  address: string;
  lab: LabPage;
  /** A further tab of the same browser. */
  newLab: () => Promise<LabPage>;
}

interface WorkerFixtures {
  /** The built page under `/` and, beside it, under `/a/b/`. */
  host: StaticServer;
}

/**
 * Parts of the browser that are not under test. The address bar's two popups take a process and two seconds of it in
 * each browser; the others are Playwright's own choice, which a second list of this kind replaces.
 */
const browserParts = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
];

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  motion: ['reduce', { option: true }],
  browserArguments: [[], { option: true }],
  hostName: ['127.0.0.1', { option: true }],
  siteData: ['allowed', { option: true }],

  host: [
    // Playwright wants the braces even where nothing is taken.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const server = await serveDist('/', '/a/b/');
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],

  address: async ({ host, hostName }, use) => {
    await use(`http://${hostName}:${host.port}/`);
  },

  profile: async ({ siteData }, use) => {
    const profile = await mkdtemp(join(tmpdir(), 'crashpoint-e2e-'));
    if (siteData === 'blocked') {
      await mkdir(join(profile, 'Default'));
      const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
      await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(blocked));
    }
    await use(profile);
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  },

  context: async ({ profile, motion, browserArguments }, use) => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        `--disable-features=${browserParts.join(',')}`,
        ...browserArguments,
      ],
      reducedMotion: motion,
      viewport: { width: 1280, height: 900 },
    });
    await use(context);
    await context.close();
  },

  watch: [
    async ({ context, address }, use) => {
      const { origin } = new URL(address);
      const watch = await watchOver(context);
      await use(watch);
      expect(watch.errors, 'errors on the page, in its workers or on the console').toEqual([]);
      const elsewhere = watch.requests
        .map((request) => request.url())
        .filter((url) => isElsewhere(url, origin));
      expect(elsewhere, 'requests to another origin').toEqual([]);
    },
    { auto: true },
  ],

  page: async ({ context }, use) => {
    await use(context.pages()[0] ?? (await context.newPage()));
  },

  lab: async ({ page, address }, use) => {
    await use(new LabPage(page, address));
  },

  newLab: async ({ context, address }, use) => {
    await use(async () => new LabPage(await context.newPage(), address));
  },
});

export { expect };
export type { Page };

function isElsewhere(url: string, origin: string): boolean {
  const { protocol, origin: asked } = new URL(url);
  return protocol !== 'blob:' && protocol !== 'data:' && asked !== origin;
}

async function watchOver(context: BrowserContext): Promise<Watch> {
  const requests: Request[] = [];
  const errors: string[] = [];
  context.on('request', (request) => requests.push(request));
  context.on('weberror', (thrown) => {
    const { name, message, stack } = thrown.error();
    errors.push([name, message, stack].join('\n'));
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      errors.push(`console.${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`The page’s policy was violated: ${event.violatedDirective}, ${event.blockedURI}`);
    });
  });
  return { requests, errors };
}
