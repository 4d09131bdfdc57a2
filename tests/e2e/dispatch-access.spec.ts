/** Owns: what Dispatch adds to the page, for everyone: axe in each new state, narrow and wide; the focus after each action. */
import { expectNoViolation } from './axe.ts';
import { cardOf, setDesk, startDispatch } from './dispatch-page.ts';
import { expect, test, type Page } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';

const sizes = { narrow: { width: 360, height: 640 }, wide: { width: 1280, height: 900 } } as const;

/** On a narrow screen, and nothing is cut off there. */
async function expectFine(page: Page, state: string): Promise<void> {
  const widest = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(widest, state).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  await expectNoViolation(page, state);
}

async function unfold(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) if (one instanceof HTMLDetailsElement) one.open = true;
  });
}

async function toTheApproval(lab: LabPage): Promise<void> {
  await startDispatch(lab);
  await lab.press('Run to the end');
  await expect(cardOf(lab, 'page_technician needs your yes')).toBeVisible();
}

for (const [size, viewport] of Object.entries(sizes)) {
  test(`axe finds nothing, ${size}, on an approval, a doubt, its form, and the outside world’s settings`, async ({
    lab,
    page,
  }) => {
    await page.setViewportSize(viewport);
    await lab.open();
    await lab.setting('A crash also reloads the tab', false);
    await toTheApproval(lab);
    await expectFine(page, 'approval');

    await setDesk(lab, { trouble: 'loses_answer', answersStatus: false });
    await unfold(page);
    await page
      .getByRole('group', { name: 'open_work_order' })
      .getByRole('radio', { name: 'an address' })
      .check();
    await lab.button('Send it there').click();
    await expect(page.getByText('can’t be read as an address')).toBeVisible();
    await expectFine(page, 'settings of the outside world, everything unfolded');

    await lab.button('Approve page_technician').click();
    await expect(cardOf(lab, 'page_technician is out')).toBeVisible();
    await expectFine(page, 'a call is out');
    await lab.press('Crash now');
    await lab.button('Resume', lab.card).click();
    const doubt = cardOf(lab, 'page_technician is in doubt');
    await lab.button('Enter the result', doubt).click();
    await lab.button('Save this result', doubt).click();
    await expect(doubt.getByRole('alert')).toBeVisible();
    await expectFine(page, 'in doubt, with its form');
  });
}

test('axe finds nothing, narrow, on a retry, a failed run, the boundaries of Dispatch, and deleting runs', async ({
  lab,
  page,
}) => {
  await page.setViewportSize(sizes.narrow);
  await lab.open();
  await startDispatch(lab);
  await setDesk(lab, { trouble: 'fails_before', times: 'always' });
  await lab.press('Run to the end');
  const again = lab.button('Try now');
  await again.click();
  await lab.press('Pause');
  await again.click();
  await expectFine(page, 'called again');
  await again.click();
  await expect(cardOf(lab, 'run-T104 has failed')).toBeVisible();
  await expectFine(page, 'failed');
  await lab.press('Crash at…');
  await expect(lab.dialog).toContainText('only when a person has to say yes');
  await expectFine(page, 'boundaries of Dispatch');
  await page.keyboard.press('Escape');
  await lab.press('Delete finished runs…');
  await expectFine(page, 'deleting finished runs');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(lab.region('Runs')).toContainText('No run yet');
  await expectFine(page, 'after deleting');
});

test('Dispatch is done by keyboard alone, and a card that goes gives the focus on', async ({ lab, page }) => {
  await lab.open();
  await lab.setting('A crash also reloads the tab', false);
  const press = async (name: string): Promise<void> => {
    const wanted = lab.button(name);
    await expect(wanted).toHaveCount(1);
    for (let pressed = 0; pressed < 200; pressed += 1) {
      await page.keyboard.press('Tab');
      if ((await wanted.and(page.locator(':focus')).count()) === 1) {
        await page.keyboard.press('Enter');
        return;
      }
    }
    throw new Error(`Tab does not reach ${name}.`);
  };
  await press('Start Dispatch');
  await expect(lab.button('Step')).toBeFocused();
  await press('Run to the end');
  await lab.expectRun({ status: 'waiting' });
  await setDesk(lab, { trouble: 'loses_answer', answersStatus: false });
  await press('Approve page_technician');
  await expect(lab.button('Step')).toBeFocused();
  await expect(cardOf(lab, 'page_technician is out')).toBeVisible();
  await page.keyboard.press('Shift+X');
  await page.keyboard.press('o');
  await expect(cardOf(lab, 'page_technician is in doubt')).toBeVisible();
  await press('Enter the result');
  await page.keyboard.type('{}');
  await press('Not now');
  await expect(lab.button('Enter the result')).toBeFocused();
  await press('Go on without a result');
  await expect(lab.button('Step')).toBeFocused();
  await lab.expectRun({ status: 'completed' });
});
