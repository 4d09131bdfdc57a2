/** Owns: the crash explorer as a person uses it: exploring, a cell, the keyboard, comparing, trying it in the lab. */
import { readFile } from 'node:fs/promises';
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';

test('one crash at every boundary breaks nothing, a mistake does, and a cell can be tried in the lab', async ({
  lab,
  page,
}) => {
  await page.goto(`${lab.address}#/explore`);
  const explore = page.getByRole('button', { name: 'Explore', exact: true });
  await expect(explore).toBeEnabled();
  await expectNoViolation(page, 'explorer, empty');
  await page.getByRole('radio', { name: 'nowhere' }).check();
  await explore.click();
  const told = page.getByRole('status');
  await expect(told).toContainText('46 runs');
  await expect(told).toContainText('something broken at 0. You said nowhere: right');
  await expectNoViolation(page, 'explorer, explored');

  // One cell takes Tab; the arrow keys go on from there.
  const cells = page.getByRole('group', { name: 'Crashes, a cell each' });
  await cells.getByRole('button', { name: 'start.begin' }).focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowRight']) {
    await page.keyboard.press(key);
  }
  const chosen = cells.locator('[aria-pressed="true"]');
  await expect(chosen).toBeFocused();
  await expect(chosen).toHaveAccessibleName(/^lookup_runbook\.checkpoint\./);
  const run = page.getByRole('region', { name: 'This run' });
  await expect(run).toContainText('a saved result was reused');
  await expect(run.getByRole('row')).toHaveCount(10);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv.split('\r\n')).toHaveLength(48);

  const boundary = (await run.locator('dd').first().textContent()) ?? '';
  await page.getByRole('button', { name: 'Try it in the lab' }).click();
  await lab.ready();
  await expect(page.getByText(`A crash is armed at ${boundary}.`)).toBeAttached();

  // The lab, too, is where an address says, and says what it could not; a reload does not arm the crash again.
  await page.goto(`${lab.address}#/lab?t=T105&crash=draft_reply.tool.called&view=json&cursor=7`);
  await expect(page.getByText('armed at draft_reply.tool.called, once')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Raw JSON' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('the run on screen has no event 7')).toBeVisible();
  await expect(page).toHaveURL(/#\/lab$/);
});

test('each mistake that is compared breaks something, though every run of it ends well', async ({
  lab,
  page,
}) => {
  await page.goto(`${lab.address}#/explore`);
  await page.getByRole('button', { name: 'Compare all engines' }).click();
  const rows = page.getByRole('region', { name: 'Engines compared' }).getByRole('row');
  await expect(rows).toHaveCount(8);
  const cells = await rows.evaluateAll((all) =>
    all.slice(1).map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent))),
  );
  for (const [index, [points, completed, broken]] of cells.entries()) {
    expect(completed).toBe(points);
    if (index === 0) expect(broken).toBe(0);
    else expect(broken).toBeGreaterThan(0);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoViolation(page, 'explorer, compared, narrow');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  // A link opens the state that it names, and says what it could not.
  await page.goto(`${lab.address}#/explore?w=dispatch&t=T999&at=open_work_order.call.answered`);
  await expect(page.getByRole('alert')).toContainText('no ticket is called “T999”');
  const run = page.getByRole('region', { name: 'This run' });
  await expect(run).toContainText('open_work_order 2');
  await expect(run).toContainText('Work order: WO-1001. A technician was paged (PG-1).');
});
