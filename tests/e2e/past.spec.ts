/**
 * Owns: looking back in the lab, as a person does it: one cursor, a fork, a replay, two crashes, and all of that for
 * everyone.
 * Leaves: what was stored at each event, and replaying to the byte, to tests/unit.
 */
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';

async function completed(lab: LabPage): Promise<void> {
  await lab.open();
  await lab.speed('instant');
  await lab.runToTheEnd();
}

test('one cursor goes through strip, table, timeline and panes, and a step goes on from what is stored now', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(2);
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText('VIEWING PAST event 3 of 4')).toBeVisible();
  await lab.expectRun({ version: 1, nextAction: 'lookup_runbook' });
  expect((await lab.events()).map(({ eventType }) => eventType).at(-1)).toBe('tool_executed');
  await expect(page.getByRole('slider', { name: 'Event at the cursor' })).toHaveValue('3');
  await page.getByRole('tab', { name: 'Diff' }).click();
  await expect(lab.region('Diff')).toContainText('run-T104:lookup_runbook');
  await page
    .getByRole('toolbar', { name: 'Commits of run-T104' })
    .getByRole('button', { name: /^start/ })
    .click();
  await lab.expectRun({ version: 0 });
  await expect(lab.region('Diff')).toContainText('context.ticket');

  await lab.press('Step');
  await lab.expectRun({ version: 3 });
  await expect(page.getByText(/LIVE session-1/)).toBeVisible();
});

test('a replay gives the same events; a fork is a run of its own, beside a parent that stays as it was', async ({
  lab,
  page,
}) => {
  await completed(lab);
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^v1 classify_priority/ })
    .click();
  await lab.press('Replay from here');
  await expect(lab.region('Replay')).toContainText('same 5 events');

  await lab.press('Fork here');
  const context = lab.dialog.getByRole('textbox');
  const asItWas = await context.inputValue();
  await context.fill('{"ticket": ');
  await lab.button('Make the fork', lab.dialog).click();
  await expect(lab.dialog.getByRole('alert')).toContainText('JSON');
  await context.fill(asItWas.replace('"priority": "urgent"', '"priority": "normal"'));
  await lab.button('Make the fork', lab.dialog).click();
  await expect(lab.dialog).toBeHidden();
  await expect(lab.button('Step')).toBeFocused();
  await lab.runToTheEnd();
  await expect(lab.region('Runs').getByRole('button', { name: /^run-T104-2/ })).toContainText(
    'fork of run-T104 at v1',
  );

  await lab.press('Compare with parent');
  await expect(lab.dialog).toContainText('the same events, in the same order');
  await expect(lab.dialog).toContainText('context.priority');
  await page.keyboard.press('Escape');
  const database = await lab.database();
  expect(database.events('run-T104')).toHaveLength(7);
  expect(database.problems()).toEqual([]);
});

test('two crashes come one after the other, and each is used up', async ({ lab, page }) => {
  await lab.open();
  await lab.speed('instant');
  await lab.setting('A crash also reloads the tab', false);
  await lab.press('Crash at…');
  await lab.dialog.locator('input[value="draft_reply.tool.called"]').check();
  await lab.dialog
    .getByRole('combobox', { name: 'The second crash' })
    .selectOption('draft_reply.tool.called');
  await lab.button('Arm draft_reply.tool.called', lab.dialog).click();
  await lab.press('Run to the end');
  for (const left of ['armed at draft_reply.tool.called, once', null]) {
    await expect(lab.card).toContainText('killed at draft_reply.tool.called');
    if (left === null) await expect(page.getByText('armed at')).toBeHidden();
    else await expect(page.getByText(left)).toBeVisible();
    await lab.button('Resume', lab.card).click();
    if (left !== null) await expect(lab.card).toContainText('The worker is dead');
  }
  await lab.expectRun({ status: 'completed' });
  expect(await lab.calls()).toHaveLength(4);
});

test('axe finds nothing in the past, in its panes and dialogs, and none of it scrolls sideways at 360 px', async ({
  lab,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 700 });
  await lab.open();
  await lab.stepTo(2);
  await lab.press('Back');
  for (const pane of ['Table', 'Diff', 'SQL log', 'Raw JSON']) {
    await page.getByRole('tab', { name: pane, exact: true }).click();
    await expect(lab.region(pane)).toContainText('run-T104');
    await expectNoViolation(page, pane);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), pane)
      .toBeLessThanOrEqual(360);
  }
  await lab.press('Fork here');
  await expect(lab.dialog).toBeVisible();
  await expectNoViolation(page, 'Fork here');
});
