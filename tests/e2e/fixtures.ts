/**
 * Owns: what every test gets: the built page on a static host, under an origin of its own (so a storage and channels
 * of its own), tabs in the browser that the tests of a worker share, and a watch over what they do.
 * Leaves: starting browsers to browsers.ts, the watch to watch.ts, finding one's way on the page to lab-page.ts.
 *
 * `t1.localhost`, `t2.localhost`, … lead to the loopback address in every browser, and are secure contexts.
 */
import { test as base, type Page } from '@playwright/test';
import { serveDist, type StaticServer } from '../support/static-server.ts';
import { startBrowser, type BrowserName, type RunningBrowser, type Wanted } from './browsers.ts';
import { expect } from './expect.ts';
import { LabPage } from './lab-page.ts';
import { reportViolations, watchOver, type Watch } from './watch.ts';

interface Options {
  /** `reduce` runs at once: most tests are not about the pace. */
  motion: Wanted['motion'];
  browserArguments: Wanted['browserArguments'];
  siteData: Wanted['siteData'];
  /** The host name in the address of the page; it must lead to the loopback address. Null: one of the test's own. */
  hostName: string | null;
  /** For a test that changes or ends its browser. One with arguments or settings of its own has its own anyway. */
  ownBrowser: boolean;
}

interface Fixtures {
  browserOfTest: RunningBrowser;
  watch: Watch;
  /** The address of the page, up to and without the hash. */
  address: string;
  newTab: () => Promise<Page>;
  lab: LabPage;
  /** A further tab of the same browser. */
  newLab: () => Promise<LabPage>;
}

interface WorkerFixtures {
  /** Arguments of the browser in all tests of a project. */
  projectArguments: readonly string[];
  /** The built page under `/` and, beside it, under `/a/b/`. */
  host: StaticServer;
  /** A number that no other test of this host has had. */
  nextNumber: () => number;
  /** The browser that tests share; started when the first one wants it. */
  sharedBrowser: () => Promise<RunningBrowser>;
}

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  motion: ['reduce', { option: true }],
  browserArguments: [[], { option: true }],
  hostName: [null, { option: true }],
  siteData: ['allowed', { option: true }],
  ownBrowser: [false, { option: true }],
  projectArguments: [[], { option: true, scope: 'worker' }],

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

  nextNumber: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      let last = 0;
      await use(() => (last += 1));
    },
    { scope: 'worker' },
  ],

  sharedBrowser: [
    async ({ browserName, projectArguments }, use) => {
      const started: Promise<RunningBrowser>[] = [];
      const start = async (): Promise<RunningBrowser> => {
        const shared = await startWatched({
          browserName: supported(browserName),
          browserArguments: projectArguments,
          siteData: 'allowed',
          motion: 'reduce',
        });
        keepUnchanged(shared);
        return shared;
      };
      await use(() => (started[0] ??= start()));
      for (const browser of started) await (await browser).end();
    },
    { scope: 'worker' },
  ],

  address: async ({ host, hostName, nextNumber }, use) => {
    await use(`http://${hostName ?? `t${nextNumber()}.localhost`}:${host.port}/`);
  },

  browserOfTest: async (
    { sharedBrowser, ownBrowser, browserName, projectArguments, browserArguments, siteData, motion },
    use,
  ) => {
    const name = supported(browserName);
    // Firefox takes the wish for less motion at its start only.
    const special = browserArguments.length > 0 || siteData !== 'allowed';
    if (ownBrowser || special || (name === 'firefox' && motion !== 'reduce')) {
      const all = [...projectArguments, ...browserArguments];
      const own = await startWatched({ browserName: name, browserArguments: all, siteData, motion });
      await use(own);
      await own.end();
      return;
    }
    const shared = await sharedBrowser();
    const before = shared.context.pages();
    await use(shared);
    const opened = shared.context.pages().filter((page) => !before.includes(page));
    await Promise.all(opened.map((page) => page.close()));
  },

  context: async ({ browserOfTest }, use) => {
    await use(browserOfTest.context);
  },

  watch: [
    async ({ context, address }, use) => {
      const watch = watchOver(context, new URL(address).origin);
      await use(watch);
      watch.end();
      expect(watch.errors, 'errors on the page, in its workers or on the console').toEqual([]);
      expect(watch.elsewhere(), 'requests to another origin').toEqual([]);
    },
    { auto: true },
  ],

  newTab: async ({ context, motion, browserName }, use) => {
    await use(async () => {
      const page = await context.newPage();
      if (browserName === 'chromium') await page.emulateMedia({ reducedMotion: motion });
      return page;
    });
  },

  page: async ({ newTab }, use) => {
    await use(await newTab());
  },

  lab: async ({ page, address }, use) => {
    await use(new LabPage(page, address));
  },

  newLab: async ({ newTab, address }, use) => {
    await use(async () => new LabPage(await newTab(), address));
  },
});

export { expect };
export type { Page };

function supported(name: string): BrowserName {
  if (name === 'chromium' || name === 'firefox') return name;
  throw new Error(`no tests in ${name}`);
}

async function startWatched(wanted: Wanted): Promise<RunningBrowser> {
  const browser = await startBrowser(wanted);
  await reportViolations(browser.context);
  return browser;
}

/** What one test does to the whole browser the next test would find there, so it is refused. */
function keepUnchanged({ context }: RunningBrowser): void {
  const refuse = (): never => {
    throw new Error('This changes the browser for all tests: do it to the page, or ask for `ownBrowser`.');
  };
  const { clock } = context;
  Object.assign(clock, { install: refuse, pauseAt: refuse, setFixedTime: refuse, setSystemTime: refuse });
  Object.assign(context, { addInitScript: refuse, exposeFunction: refuse, exposeBinding: refuse });
  Object.assign(context, { route: refuse, setOffline: refuse });
}
