/**
 * Owns: starting a browser with a profile on disk (a plain context keeps IndexedDB in memory), Chromium or Firefox.
 * Leaves: who shares one with whom to fixtures.ts.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, firefox, type BrowserContext } from '@playwright/test';

export type BrowserName = 'chromium' | 'firefox';

export interface Wanted {
  readonly browserName: BrowserName;
  /** Further arguments of the browser. */
  readonly browserArguments: readonly string[];
  /** The browser's own setting for all sites: `blocked` refuses IndexedDB in page and workers. Chromium's only. */
  readonly siteData: 'allowed' | 'blocked';
  readonly motion: 'reduce' | 'no-preference';
}

export interface RunningBrowser {
  readonly context: BrowserContext;
  /** The profile's folder; it is in the command line of the browser's first process. */
  readonly profile: string;
  /** Ends the browser, if it still runs, and deletes the profile. */
  end(): Promise<void>;
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

const chromiumArguments = [
  '--no-sandbox',
  '--disable-background-networking',
  `--disable-features=${browserParts.join(',')}`,
  // One compiler for WebAssembly is enough: the second one only makes it faster, and takes half a second of each page.
  '--js-flags=--liftoff-only',
];

/** Playwright tells Firefox to end when a tab's process dies; this script takes that back. */
const survivingFirefox = fileURLToPath(new URL('../support/surviving-firefox.sh', import.meta.url));

export async function startBrowser(wanted: Wanted): Promise<RunningBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'crashpoint-e2e-'));
  const context = await launch(profile, wanted);
  return {
    context,
    profile,
    end: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Starts a browser on this profile, which may have been used before. */
export async function launch(profile: string, wanted: Wanted): Promise<BrowserContext> {
  const viewport = { width: 1280, height: 900 };
  if (wanted.browserName === 'firefox') {
    return firefox.launchPersistentContext(profile, {
      channel: 'moz-firefox',
      executablePath: process.platform === 'win32' ? firefoxPath() : survivingFirefox,
      env: { ...definedEnvironment(), FIREFOX_PATH: firefoxPath() },
      // Over this channel Playwright cannot emulate it.
      firefoxUserPrefs: { 'ui.prefersReducedMotion': wanted.motion === 'reduce' ? 1 : 0 },
      args: [...wanted.browserArguments],
      viewport,
    });
  }
  if (wanted.siteData === 'blocked') {
    await mkdir(join(profile, 'Default'), { recursive: true });
    const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(blocked));
  }
  return chromium.launchPersistentContext(profile, {
    executablePath: process.env['CHROMIUM_PATH'] || '/usr/bin/chromium',
    args: [...chromiumArguments, ...wanted.browserArguments],
    viewport,
  });
}

function firefoxPath(): string {
  return process.env['FIREFOX_PATH'] || '/usr/bin/firefox-esr';
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
