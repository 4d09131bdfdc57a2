/** Owns: the states of failure for everyone: axe finds nothing in them, and the narrowest screen holds them. */
import { expectNoViolation } from './axe.ts';
import { bystander } from './bystander.ts';
import { expect, test, type Page } from './fixtures.ts';
import { faultyWorker } from './faulty-worker.ts';
import { damage } from './stored-database.ts';

test.skip(
  ({ browserName }) => browserName !== 'chromium',
  'These faults are caused over Chromium’s protocol.',
);

const trouble = (page: Page) => page.locator('.failure');

async function expectFine(page: Page, state: string): Promise<void> {
  await expectNoViolation(page, state);
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 640 });
    // The chart takes the new width a moment later.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), `${state}, ${width} px`)
      .toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('storage that does not answer, and then is given up', async ({ lab, page }) => {
  // At the usual speed, so that there is time to look.
  await faultyWorker(page, ['stuck-open'], 1);
  await page.goto(`${lab.address}#/lab`);
  await expect(page.getByRole('status').filter({ hasText: 'storage is not answering' })).toBeVisible();
  await expectFine(page, 'waiting');
  await expect(trouble(page)).toContainText('did not answer for 10 seconds');
  await expectFine(page, 'stuck');
});

test('a change that is not saved, with another tab open, and a worker without memory', async ({
  lab,
  page,
  newLab,
}) => {
  const worker = await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  const other = await newLab();
  await other.open();
  await expect(page.locator('header').getByText(/^2\stabs/)).toBeVisible();
  await worker.switchTo('aborted');
  await page.bringToFront();
  await lab.press('Step');
  await expect(trouble(page)).toContainText('Not saved');
  await expectFine(page, 'not saved, two tabs');
  await expect(lab.button('Dismiss')).toBeHidden();
  await page
    .locator('header')
    .getByRole('button', { name: /^disk:/ })
    .click();
  await expect(page.getByText('all of this site')).toBeVisible();
  await expectNoViolation(page, 'the panel of the disk');
  await page.keyboard.press('Escape');

  await worker.switchTo('no-memory');
  await lab.press('Retry');
  await expect(lab.card).toContainText('No memory was left');
  await expectFine(page, 'out of memory');
});

test('a conflict with another tab', async ({ lab, newLab }) => {
  const worker = await faultyWorker(lab.page);
  await lab.open();
  await lab.stepTo(1);
  const other = await newLab();
  await other.open();
  await other.button('Look first', other.card).click();
  await worker.switchTo('mute');
  await lab.stepTo(2);
  await other.press('Step');
  await expect(trouble(other.page)).toContainText('version 1 was expected');
  await expectFine(other.page, 'conflict');
});

test('data that was cleared, a database that is damaged, newer, and set aside', async ({ lab, page }) => {
  await lab.open();
  await lab.stepTo(1);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await lab.press('Step');
  await expect(trouble(page)).toContainText('The stored database is gone');
  await expectFine(page, 'gone');
  await lab.press('Store it again');
  await expect(trouble(page)).toBeHidden();

  for (const [what, says] of [
    ['newer format', 'A newer version of this page'],
    ['no base', 'failed its checks'],
  ] as const) {
    await page.goto('about:blank');
    await damage(await bystander(page, lab.address), what);
    await page.goto(`${lab.address}#/lab`);
    await expect(trouble(page)).toContainText(says);
    await expectFine(page, what);
  }
  await lab.press('Start fresh beside it');
  await expect(lab.region('Set aside')).toBeVisible();
  await expectFine(page, 'set aside');
});
