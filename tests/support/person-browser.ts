/**
 * Owns: a Chromium whose tabs are hidden, frozen and cached as a person's are. Playwright makes every tab of a browser
 * that it starts count as looked at, and switches the back/forward cache off; so this one is started without it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from '@playwright/test';

export interface PersonBrowser {
  readonly context: BrowserContext;
  end(): Promise<void>;
}

export async function personBrowser(): Promise<PersonBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'crashpoint-person-'));
  const program = spawn(
    process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    [
      '--headless',
      '--no-sandbox',
      '--no-first-run',
      '--disable-background-networking',
      '--force-prefers-reduced-motion',
      '--window-size=1280,900',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(program, 'exit');
  const browser = await chromium.connectOverCDP(await address(program.stderr), { noDefaults: true });
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('the browser has no window');
  return {
    context,
    end: async () => {
      program.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Where the browser listens, as it says itself. */
async function address(says: AsyncIterable<Buffer>): Promise<string> {
  let said = '';
  for await (const part of says) {
    said += part.toString();
    const found = /DevTools listening on (ws:\S+)/.exec(said);
    if (found?.[1]) return found[1];
  }
  throw new Error(`the browser did not start: ${said}`);
}
