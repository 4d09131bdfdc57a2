/** Owns: the race as a person runs it: by hand, by schedule and keyboard, in all orders, with the claim first. */
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';

test('two workers race by hand and by schedule; all 70 orders are counted, and one of them is played', async ({
  lab,
  page,
}) => {
  await page.goto(`${lab.address}#/race`);
  const [a, b] = ['A', 'B'].map((racer) => page.getByRole('region', { name: `Worker ${racer}` }));
  if (!a || !b) throw new Error('two workers');
  await a.getByRole('button', { name: 'Load the run' }).click();
  await b.getByRole('button', { name: 'Load the run' }).click();
  await expect(b.getByRole('button', { name: 'Check the key' })).toBeVisible();
  // Worker B's check is put before worker A's, by the keyboard.
  const schedule = page.getByRole('region', { name: 'Schedule' }).getByRole('listitem');
  await schedule.getByRole('button', { name: 'B check' }).click();
  await page.keyboard.press('ArrowLeft');
  await expect(schedule.nth(2)).toHaveText('B.check');
  await page.getByRole('button', { name: 'Do the whole schedule' }).click();
  await expect(b).toContainText('expected version 1, found version 2');
  const happened = page.getByRole('region', { name: 'What happened' });
  await expect(happened).toContainText('The runbook was called: 2');
  await expect(happened).toContainText('I1 to I8 hold');
  await b.getByRole('button', { name: 'Reload and retry' }).click();
  await expect(happened.getByRole('listitem').last()).toContainText('version 2, next draft_reply');

  await page.getByRole('button', { name: 'Run all 70 orders' }).click();
  const counts = page.getByRole('group', { name: 'Counts of all orders' }).getByRole('row');
  await expect(counts.nth(1)).toHaveText(/version check on\s*70\s*68\s*0\s*36\s*0/);
  await expect(counts.nth(2)).toHaveText(/version check off\s*70\s*0\s*68\s*36\s*0/);
  await expect(counts.nth(3)).toHaveText(/claim before the call\s*70\s*\d+\s*0\s*0\s*\d+/);
  await page.getByRole('radio', { name: 'version check off' }).check();
  await page.getByText('one version saved twice, runbook called 2 times').click();
  await expectNoViolation(page, 'race');
  await page.getByRole('button', { name: 'Play AABBAABB' }).click();
  await expect(happened).toContainText('BROKEN');

  await page.getByRole('checkbox', { name: 'claim before the call' }).check();
  await page.getByRole('button', { name: 'Do the whole schedule' }).click();
  await expect(happened).toContainText('The runbook was called: 1');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
