/** Owns: the page for everyone: axe in every state, the keyboard alone, narrow screens, reduced motion. */
import { expectNoViolation } from './axe.ts';
import { expect, test, type Page } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';
import { crashAsInTheLesson, expectTheLessonOnScreen, lessonBoundary } from './the-lesson.ts';

test('axe finds nothing on the start page, in the empty lab, and in each dialog there', async ({
  lab,
  page,
}) => {
  await page.goto(`${lab.address}#/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectNoViolation(page, 'start page');
  await page.getByRole('link', { name: 'Open the lab' }).click();
  await lab.ready();
  await expectNoViolation(page, 'empty lab');

  await lab.press('Crash at…');
  await expect(lab.dialog).toBeVisible();
  await expectNoViolation(page, 'Crash at…');
  await page.keyboard.press('Escape');
  await expect(lab.dialog).toBeHidden();

  await lab.press('Settings');
  await expect(lab.dialog).toBeVisible();
  await expectNoViolation(page, 'settings');
  await page.keyboard.press('Escape');
  await expect(lab.dialog).toBeHidden();

  await page.keyboard.press('?');
  await expect(lab.dialog).toContainText('Crash now');
  await expectNoViolation(page, 'help');
  await page.keyboard.press('Escape');
  await expect(lab.dialog).toBeHidden();
});

test('axe finds nothing while a run is armed, running, crashed, and completed', async ({ lab, page }) => {
  await lab.open();
  await lab.stepTo(1);
  await expect(page.getByRole('img', { name: 'Timeline of events' })).toBeVisible();
  await expectNoViolation(page, 'running');

  await lab.setting('A crash also reloads the tab', false);
  await lab.arm(lessonBoundary);
  await expectNoViolation(page, 'armed');
  await lab.press('Step');
  await expect(lab.card).toContainText('The worker is dead');
  await expectNoViolation(page, 'worker dead');

  await lab.button('Look first', lab.card).click();
  await expect(lab.card).toContainText('An unfinished run was found');
  await lab.ready();
  await expectNoViolation(page, 'asks to resume');

  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed' });
  await unfoldEverything(page);
  await expectNoViolation(page, 'completed, everything unfolded');

  await lab.press('Reset lab');
  await expectNoViolation(page, 'Reset lab');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(lab.button('Undo')).toBeVisible();
  await expectNoViolation(page, 'reset, with Undo');

  await lab.choose({ name: 'notes.db', mimeType: 'text/plain', buffer: Buffer.from('no database') });
  await expect(lab.dialog).toContainText('cannot be opened');
  await expectNoViolation(page, 'refused file');
});

test.describe('with a clock of the test’s own', () => {
  test.use({ ownBrowser: true });

  test('axe finds nothing on the card that counts down after a reload', async ({ lab, page }) => {
    await page.clock.install();
    await lab.open();
    await lab.stepTo(1);
    await lab.acrossReload(() => page.reload());
    // The page's clock stands still from here, and with it the countdown.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 500));
    await expect(lab.card).toContainText('resumes it by itself in');
    let looked = false;
    const looking = expectNoViolation(page, 'countdown').finally(() => {
      looked = true;
    });
    // But for what axe itself waits for, a millisecond at a time.
    while (!looked) await page.clock.runFor(1);
    await looking;
    await expect(lab.card).toContainText('resumes it by itself in');
    await page.clock.resume();
    await lab.button('Cancel', lab.card).click();
    await expect(lab.card).toContainText('The countdown was cancelled');
    await expectNoViolation(page, 'countdown cancelled');
  });
});

async function unfoldEverything(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) if (one instanceof HTMLDetailsElement) one.open = true;
  });
}

/** Presses Tab until this control has the focus, as a person would. */
async function tabTo(lab: LabPage, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const focused = lab.page.locator(':focus');
  const wanted = lab.button(name);
  await expect(wanted).toBeEnabled();
  for (let pressed = 0; pressed < 200; pressed += 1) {
    await lab.page.keyboard.press(key);
    if ((await wanted.and(focused).count()) === 1) return;
  }
  throw new Error(`Tab does not reach ${name}.`);
}

test('the whole lesson is done by keyboard alone: Tab, Enter, Space and arrows', async ({ lab, page }) => {
  await page.goto(`${lab.address}#/`);
  const link = page.getByRole('link', { name: 'Open the lab' });
  while ((await link.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await lab.ready();

  await tabTo(lab, 'Step');
  await page.keyboard.press('Space');
  await lab.expectRun({ version: 0 });
  await expect(lab.button('Step')).toBeFocused();
  await page.keyboard.press('Enter');
  await lab.expectRun({ version: 1 });

  await tabTo(lab, 'Crash at…');
  await page.keyboard.press('Enter');
  await expect(lab.dialog.locator('input[name=boundary]:checked')).toHaveValue(lessonBoundary);
  // Arrows move among the boundaries; back again to the suggested one.
  while ((await page.locator('input[name=boundary]:focus').count()) === 0) await page.keyboard.press('Tab');
  await expect(lab.dialog.locator(`input[value="${lessonBoundary}"]`)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(lab.dialog.locator('input[name=boundary]:checked')).toHaveValue(
    'lookup_runbook.tool.committed',
  );
  await page.keyboard.press('ArrowDown');
  await expect(lab.dialog.locator('input[name=boundary]:checked')).toHaveValue(lessonBoundary);
  await tabTo(lab, `Arm ${lessonBoundary}`);
  await page.keyboard.press('Enter');
  await expect(page.getByText(`armed at ${lessonBoundary}, once`)).toBeVisible();
  await expect(lab.button('Crash at…')).toBeFocused();

  await tabTo(lab, 'Run to the end', 'Shift+Tab');
  await lab.acrossReload(() => page.keyboard.press('Enter'));
  await expect(lab.card.getByRole('heading')).toBeFocused();
  await tabTo(lab, 'Resume');
  await page.keyboard.press('Space');
  await expectTheLessonOnScreen(lab);
  await expect(lab.button('Step')).toBeFocused();

  const slider = page.getByRole('slider', { name: 'Event at the cursor' });
  while ((await slider.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('Tab');
  for (let at = 9; at > 5; at -= 1) await page.keyboard.press('ArrowLeft');
  await expect(slider).toHaveAttribute(
    'aria-valuetext',
    'event 5 of 9, tool_reused, lookup_runbook, session 2',
  );
  await expect(lab.region('agent_events').locator('tr[aria-current=true]')).toContainText('tool_reused');
  await page.keyboard.press('ArrowRight');
  await expect(lab.region('agent_events').locator('tr[aria-current=true]')).toContainText('version 2');
});

test('single letters are commands, and can be turned off', async ({ lab, page }) => {
  await lab.open();
  await page.keyboard.press('k');
  await lab.expectRun({ version: 0 });
  await page.keyboard.press('x');
  await expect(lab.dialog).toContainText('Crash where?');
  await page.keyboard.press('Escape');
  await expect(lab.dialog).toBeHidden();
  await lab.setting('Single letters are commands', false);
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  await lab.press('Step');
  await lab.expectRun({ version: 1 });
  await expect(lab.dialog).toBeHidden();
  expect(await lab.events()).toHaveLength(2);
});

test('screens of 360 and 320 px never scroll sideways', async ({ lab, page }) => {
  const expectNoSidewaysScroll = async (state: string): Promise<void> => {
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 640 });
      // The chart takes the new width a moment later.
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), `${state}, ${width} px`)
        .toBeLessThanOrEqual(width);
    }
  };
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`${lab.address}#/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectNoSidewaysScroll('start page');
  await lab.open();
  await expectNoSidewaysScroll('empty lab');
  await lab.stepTo(1);
  await expectNoSidewaysScroll('running');
  await lab.press('Crash at…');
  await expectNoSidewaysScroll('Crash at…');
  const sheet = await lab.dialog.evaluate((dialog) => [dialog.scrollWidth, dialog.clientWidth]);
  expect(sheet[0]).toBeLessThanOrEqual(sheet[1] ?? 0);
  await page.keyboard.press('Escape');
  await crashAsInTheLesson(lab);
  await expectNoSidewaysScroll('crashed');
  await lab.button('Resume', lab.card).click();
  await expectTheLessonOnScreen(lab);
  await unfoldEverything(page);
  await expectNoSidewaysScroll('completed, everything unfolded');
});

/** Lets so many milliseconds go by on the page's clock, one at a time, until the run is at its end. */
async function millisecondsToTheEnd(lab: LabPage): Promise<number> {
  let passed = 0;
  await expect
    .poll(
      async () => {
        await lab.page.clock.runFor(1);
        passed += 1;
        return (await lab.run())?.status;
      },
      { intervals: [10] },
    )
    .toBe('completed');
  return passed;
}

test.describe('under reduced motion', () => {
  test.use({ ownBrowser: true });

  test('Run to the end is instant', async ({ lab, page }) => {
    await page.clock.install();
    await lab.open();
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
    await lab.press('Run to the end');
    expect(await millisecondsToTheEnd(lab)).toBeLessThan(400);
  });
});

test.describe('with motion', () => {
  test.use({ motion: 'no-preference', ownBrowser: true });

  test('Run to the end goes at a pace that one can follow, can be paused, and the speed is a setting', async ({
    lab,
    page,
  }) => {
    await page.clock.install();
    await lab.open();
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
    await lab.press('Run to the end');
    await lab.expectRun({ version: 0 });
    await page.clock.runFor(1000);
    await lab.expectRun({ version: 0 });
    await page.clock.runFor(1000);
    await lab.expectRun({ version: 1 });
    await lab.press('Pause');
    await expect(lab.button('Run to the end')).toBeEnabled();
    await page.clock.runFor(10_000);
    await lab.expectRun({ version: 1 });
    await lab.speed('instant');
    await lab.press('Run to the end');
    expect(await millisecondsToTheEnd(lab)).toBeLessThan(400);
  });
});
