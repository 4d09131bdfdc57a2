/** Owns: the SQL console and the Code tab in the built page: real workers, the page's policy, keys, axe. */
import type { Locator, Page } from '@playwright/test';
import { expectNoViolation } from './axe.ts';
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

async function paneOf(lab: LabPage, name: string): Promise<Locator> {
  await lab.page.getByRole('tab', { name }).click();
  const pane = lab.region(name);
  await expect(pane).toBeVisible();
  return pane;
}

/** Types over what stands in the editor, which comes with the first focus. */
async function write(page: Page, pane: Locator, sql: string): Promise<void> {
  const editor = pane.locator('.cm-content');
  await pane.getByRole('textbox', { name: 'SQL' }).click();
  await expect(editor).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(sql);
}

test('the console reads a copy, marks an error, and ends a query that does not end, while the lab goes on', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(1);
  const pane = await paneOf(lab, 'SQL console');
  await write(page, pane, 'SELECT version, next_action FROM agent_runs');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(pane.getByRole('cell')).toHaveText(['1', 'lookup_runbook']);
  await expect(pane).toContainText('copy of generation 2');

  // A letter that is typed there is no command of the lab’s; after Esc the Tab key leads out.
  await page.keyboard.type(' k');
  await page.keyboard.press('Tab');
  await expect(pane.locator('.cm-content')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(pane.getByRole('button', { name: 'Run SQL' })).toBeFocused();

  await write(page, pane, 'SELECT nope FROM agent_runs');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(pane.getByRole('alert')).toContainText('no such column: nope');
  await expect(pane.locator('mark')).toHaveText('nope');
  await expectNoViolation(page, 'console, with an error');

  await write(page, pane, endless);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(pane.getByText('Running, for 5 seconds at most')).toBeVisible();
  await lab.press('Step');
  await pane.getByRole('button', { name: 'Cancel the query' }).click();
  await expect(pane.getByText('Cancelled.')).toBeVisible();
  await lab.expectRun({ version: 2 });

  await pane.getByRole('button', { name: 'Recipes' }).click();
  await pane.getByRole('button', { name: /^I4 / }).click();
  await pane.getByRole('button', { name: 'Run SQL' }).click();
  await expect(pane.getByText('0 rows: for an invariant query that is good.')).toBeVisible();
  await expect(pane).toContainText('copy of generation 4');
});

test('what is written after unlocking marks the run, and breaks what must hold; before, nothing is written', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(1);
  const pane = await paneOf(lab, 'SQL console');
  await write(page, pane, 'UPDATE agent_runs SET version = 7');
  await pane.getByRole('button', { name: 'Run SQL' }).click();
  await expect(pane).toContainText('1 row changed in the copy only');
  expect((await lab.run())?.version).toBe(1);

  await pane.getByRole('switch', { name: /Unlock writes/ }).click();
  await lab.button('Unlock writes', lab.dialog).click();
  await pane.getByRole('button', { name: 'Run and write' }).click();
  await lab.expectRun({ version: 7 });
  await expect(lab.region('Runs').getByText('touched')).toBeVisible();
  await expect.poll(() => lab.invariants()).toContain('I4 BROKEN: 1');

  await write(page, pane, 'DROP TABLE agent_runs');
  await pane.getByRole('button', { name: 'Run and write' }).click();
  await expect(pane.getByRole('alert')).toContainText('Not written: DROP is not allowed');

  await lab.acrossReload(() => page.reload());
  await expect(lab.region('Runs').getByText('touched')).toBeVisible();
});

test('the Code tab shows the lines that the last command ran', async ({ lab, page }) => {
  await lab.open();
  await lab.stepTo(0);
  const pane = await paneOf(lab, 'Code');
  const source = pane.getByRole('region', { name: /^Source of / });
  await expect(source).toHaveAccessibleName('Source of engine/start.ts');
  await expect(source.locator('.ran').first()).toContainText(
    "ran: return engine.database.commit<Run>('start'",
  );

  await lab.press('Step');
  await lab.expectRun({ version: 1 });
  await expect(source).toHaveAccessibleName('Source of engine/checkpoint.ts');
  await expect(source.locator('.ran').last()).toContainText('appendEvent(engine, transaction, boundary');
  await pane.getByText('boundaries, in order').click();
  await pane.getByRole('button', { name: /^engine\/events\.ts:/ }).click();
  await expect(source.locator('.ran')).toContainText('ran: engine.crash.reach(`${boundary}.event_appended`)');
  await expectNoViolation(page, 'code');
});
