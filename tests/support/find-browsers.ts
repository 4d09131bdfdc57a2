/**
 * Owns: where the browsers are: named by the environment, installed in the usual places, or, as root on Debian,
 * installed now. WebKit is found by tests/webkit.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

export interface Browser {
  readonly name: 'chromium' | 'firefox';
  /** The variable that names its file, also for the tests. */
  readonly variable: 'CHROMIUM_PATH' | 'FIREFOX_PATH';
  /** Debian's name for it. */
  readonly debian: string;
  /** What to do when there is none. */
  readonly remedy: string;
  readonly places: () => readonly string[];
}

const programs = process.env['PROGRAMFILES'] ?? 'C:\\Program Files';

export const browsers: readonly Browser[] = [
  {
    name: 'chromium',
    variable: 'CHROMIUM_PATH',
    debian: 'chromium',
    remedy:
      'no Chromium found: install Chromium or Chrome, run `npx playwright install chromium`, or set CHROMIUM_PATH',
    places: () => [
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/usr/bin/google-chrome-stable',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      `${programs}\\Google\\Chrome\\Application\\chrome.exe`,
      chromium.executablePath(),
    ],
  },
  {
    name: 'firefox',
    variable: 'FIREFOX_PATH',
    debian: 'firefox-esr',
    remedy: 'no Firefox found: install firefox-esr or set FIREFOX_PATH',
    // Not Playwright's own build, which is another browser; nor Ubuntu's `firefox`, which may be a stub that installs.
    places: () => [
      '/usr/bin/firefox-esr',
      '/usr/lib/firefox/firefox',
      '/Applications/Firefox.app/Contents/MacOS/firefox',
      `${programs}\\Mozilla Firefox\\firefox.exe`,
    ],
  },
];

/** The path of this browser, or null. A path that the environment names must lead to a file. */
export function findBrowser({ variable, places }: Browser): string | null {
  const named = process.env[variable];
  if (named === undefined || named === '')
    return places().find((place) => place !== '' && existsSync(place)) ?? null;
  if (existsSync(named)) return named;
  throw new Error(`${variable} is ${named}, and there is no such file.`);
}

/** Installs Debian's packages of these, where this process may. */
export function install(missing: readonly Browser[]): void {
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const names = missing.map(({ debian }) => debian);
  console.log(`Installing Debian’s ${names.join(' and ')}.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...args: readonly string[]) => spawnSync('apt-get', args, { stdio: 'inherit', env });
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', ...names);
}
