/** Owns: every screen in high contrast: the browser takes the colours over, and nothing may be lost with them. */
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';

const screens = [
  '/',
  '/lab',
  '/explore',
  '/break',
  '/break/e3',
  '/break/e7',
  '/race',
  '/nothing-of-this-name',
];

test('axe finds nothing on any screen in high contrast', async ({ lab, page }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await lab.open();
  await lab.runToTheEnd();
  for (const screen of screens) {
    await page.goto(`${lab.address}#${screen}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expectNoViolation(page, screen);
  }
});
