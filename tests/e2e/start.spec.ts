/** Owns: the start page as a person uses it: run an agent, kill it, start again; and the way back to an unfinished run. */
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';

test('an agent is run and killed in the middle: the dictionary is gone, SQLite still has the run', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(1);
  await page.goto(`${lab.address}#/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByText('an unfinished run was found')).toContainText(
    'run-T104, next action lookup_runbook, version 1',
  );
  await expect(page.getByRole('link', { name: 'Look at it' })).toHaveAttribute('href', '#/lab');

  const memory = page.getByRole('region', { name: 'Kept only in memory' });
  const sqlite = page.getByRole('region', { name: 'Kept in SQLite' });
  const kill = page.getByRole('button', { name: 'Kill it now' });
  await expect(kill).toBeDisabled();
  await page.getByRole('button', { name: 'Run it' }).click();
  // The lookup's result is saved, the next checkpoint is not: the pause after each commit leaves time for it.
  await expect(sqlite.getByRole('row', { name: 'tool_effects' })).toContainText('1');
  await expect(memory).toContainText('lookup_runbook:');
  await kill.click();
  await expect(memory).toContainText('Gone: the dictionary was in the process.');
  await expect(sqlite).toContainText('Still there: run-T104, at lookup_runbook, version 1.');
  await expectNoViolation(page, 'start page, killed');

  await page.getByRole('button', { name: 'Start a new worker' }).click();
  await expect(sqlite).toContainText(
    'Found run-T104 at lookup_runbook, version 1 → completed, version 4; the runbook: 1 call.',
  );
  await expect(memory).toContainText('Gone: it started again at (1), the runbook called again: 2 calls.');
  await expect(page.getByText('One did the work twice')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
