/** Owns: a mistake as a person sees it: guessed, broken, fixed, held at every point, explained. */
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';

test('a mistake is guessed, broken, fixed, and held at all crash points', async ({ lab, page }) => {
  await page.goto(`${lab.address}#/break/e99`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no mistake “e99”');
  await expect(page.getByRole('main').getByRole('link')).toHaveCount(8);
  await expectNoViolation(page, 'mistakes, unknown');
  await page.getByRole('link', { name: 'A new key on every retry' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page).toHaveTitle('Break it: E3 · Crashpoint');
  await expect(page.getByText('The mistake: the key ends in something random.')).toBeVisible();

  await page.getByRole('radio', { name: /^I3/ }).check();
  await page.getByRole('button', { name: 'Lock in' }).click();
  await page.getByRole('button', { name: 'Break it' }).click();
  await expect(page.getByText('You said I3: right')).toBeVisible();
  const broken = page.getByRole('region', { name: 'With the mistake' });
  await expect(broken).toContainText('session-1 crashed at lookup_runbook.checkpoint.begin');
  await expect(broken.getByRole('group', { name: 'The desk’s log' })).toContainText('same job twice');
  await expect(broken.getByRole('group', { name: 'tool_effects' }).getByRole('row')).toHaveCount(4);
  await expect(broken.getByRole('group', { name: 'Rows that break I3' })).toContainText('lookup_runbook2');
  await page.getByRole('button', { name: 'Show the query of I3' }).click();
  await expect(broken).toContainText('HAVING COUNT(*) > 1');

  await page.getByRole('button', { name: 'Fix it' }).click();
  const fixed = page.getByRole('region', { name: 'Without the mistake' });
  await expect(fixed).toContainText('It holds at all 46 crash points');
  await expect(fixed).toContainText('I1 to I8 hold');
  await expect(fixed).not.toContainText('same job twice');
  await page.getByRole('radio', { name: 'The key was the same in both sessions' }).check();
  await expect(page.getByText('Run and action make the key')).toBeVisible();
  await expectNoViolation(page, 'a mistake, fixed');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
