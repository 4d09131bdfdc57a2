/** Owns: looking at a page with axe, in light and in dark. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import { expect } from './expect.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What differs between light and dark: the page has one form in both. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Looks at what is shown now: all of it in light, the colours in dark, too. */
export async function expectNoViolation(page: Page, state: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(
      async (only) => {
        const { axe: here } = window as unknown as { axe: typeof axe };
        const { violations, passes } = await here.run(document, {
          resultTypes: ['violations'],
          ...(only === null ? {} : { runOnly: { type: 'rule', values: only } }),
        });
        const said = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
        );
        return { said, looked: passes.map(({ id }) => id) };
      },
      colorScheme === 'light' ? null : ofColours,
    );
    expect(found.said, `${state}, ${colorScheme}`).toEqual([]);
    expect(found.looked, 'rules that axe has looked at and found kept').toContain('color-contrast');
  }
}
