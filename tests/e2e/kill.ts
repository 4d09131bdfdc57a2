/**
 * Owns: killing the process that shows a page, as the system does when memory is short. Nothing on the page is asked.
 *
 * Chromium kills it when told so (`Page.crash`) and tells of it. Firefox does neither over this channel: its processes
 * are found in /proc by what it names them, so that only Linux can, and all pages of sites die that it shows.
 */
import { setTimeout as elapsed } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { siteProcesses } from '../support/processes.ts';
import type { RunningBrowser } from './browsers.ts';

export const noKill =
  'Firefox does not say which process shows a tab: it is found in /proc, and there is none here.';

export function canKill(browserName: string): boolean {
  return browserName === 'chromium' || existsSync('/proc/self/stat');
}

export async function killTab(page: Page, { context, profile }: RunningBrowser): Promise<void> {
  if (context.browser()?.browserType().name() === 'firefox') {
    const doomed = siteProcesses(profile);
    if (doomed.length === 0) throw new Error('no process shows a site');
    for (const one of doomed) process.kill(one, 'SIGKILL');
    while (siteProcesses(profile).some((one) => doomed.includes(one))) await elapsed(10);
    return;
  }
  const crashed = page.waitForEvent('crash');
  const devTools = await context.newCDPSession(page);
  // The process that should answer is the one that dies.
  void devTools.send('Page.crash').catch(() => undefined);
  await crashed;
}
