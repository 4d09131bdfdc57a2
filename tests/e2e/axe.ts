/** Owns: looking at a page with axe, in light and in dark. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import { expect } from './expect.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Looks at what is shown now, in light and in dark. */
export async function expectNoViolation(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
    const found = await page.evaluate(async () => {
      const { axe: here } = window as unknown as { axe: typeof axe };
      const { violations, passes } = await here.run(document, { resultTypes: ['violations'] });
      const said = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
      );
      return { said, looked: passes.length };
    });
    expect(found.said, `${state}, ${colorScheme}`).toEqual([]);
    expect(found.looked, 'rules that axe has looked at and found kept').toBeGreaterThan(10);
  }
}
