/**
 * Owns: a stored database that is damaged, or of an older or newer page: it is kept as it is, said plainly, handed out,
 * and the lab goes on beside it.
 * Leaves: storage that fails while one works to faults.spec.ts.
 */
import initSqlJs from 'sql.js';
import { bystander } from './bystander.ts';
import { DatabaseFile } from './database-file.ts';
import { expect, test, type Page } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';
import { contentOf, currentImage, damage, replaceStored, type Damage } from './stored-database.ts';

const trouble = (page: Page) => page.locator('.failure');

/** A lab with a run at version 2, closed: the page is an empty one of the same origin. */
async function closedLab(lab: LabPage): Promise<Page> {
  await lab.open();
  await lab.stepTo(2);
  await lab.page.goto('about:blank');
  return bystander(lab.page, lab.address);
}

/** The others of their kind are told apart in tests/browser/storage.test.ts. */
const damages: readonly (readonly [Damage, RegExp])[] = [
  ['flipped bit in a commit', /commit 2 is damaged/],
  ['older format', /it has format 0, of an older page/],
];

for (const [what, reason] of damages) {
  test(`${what}: the database is kept, and a fresh one starts beside it`, async ({ lab, page }) => {
    const name = await damage(await closedLab(lab), what);
    await page.goto(`${lab.address}#/lab`);
    await expect(trouble(page)).toContainText('The stored database failed its checks');
    await expect(trouble(page)).toContainText(reason);
    await expect(trouble(page)).toContainText(name);

    await lab.press('Start fresh beside it');
    await lab.ready();
    await expect(lab.region('Runs')).toContainText('No run yet');
    await expect(lab.region('Set aside')).toContainText(reason);
    await lab.runToTheEnd();
    await lab.acrossReload(() => page.reload());
    await lab.expectRun({ status: 'completed', version: 4 });
    await expect(lab.region('Set aside')).toContainText(name);
  });
}

test('a damaged database can be taken along, opened as far as SQLite can read it, and deleted by hand only', async ({
  lab,
  page,
}) => {
  const name = await damage(await closedLab(lab), 'other page count');
  await page.goto(`${lab.address}#/lab`);
  const { bytes } = await lab.downloadBytes('Download it');
  expect((await DatabaseFile.read(bytes)).rows('SELECT run_id FROM agent_runs')).toEqual([
    { run_id: 'run-T104' },
  ]);
  await lab.press('Start fresh beside it');
  await lab.ready();
  const aside = lab.region('Set aside');
  await expect(aside).toContainText(name);
  const again = await lab.downloadBytes('Download it');
  expect(again.bytes.equals(bytes)).toBe(true);

  await lab.button('Open a copy', aside).click();
  await expect(lab.dialog).toContainText('holds 1 run');
  await lab.button('Open it', lab.dialog).click();
  await lab.expectRun({ status: 'running', version: 2 });
  await lab.runToTheEnd();
  await expect(aside).toContainText(name);

  await lab.button('Delete it', aside).click();
  await expect(aside).toBeHidden();
  await lab.acrossReload(() => page.reload());
  await lab.expectRun({ status: 'completed', version: 4 });
  await expect(aside).toBeHidden();
  const left = await page.evaluate(async () => (await indexedDB.databases()).map((one) => one.name));
  expect(left).not.toContain(name);
});

test('a database in a newer stored form is handed out, left untouched, and one can start beside it', async ({
  lab,
  page,
  newTab,
}) => {
  const name = await damage(await closedLab(lab), 'newer format');
  const other = await bystander(await newTab(), lab.address);
  const before = await contentOf(other, name);
  await page.goto(`${lab.address}#/lab`);
  await expect(trouble(page)).toContainText('its stored form has version 2, this page knows up to 1');
  const stored = await DatabaseFile.read((await lab.downloadBytes('Download what is stored')).bytes);
  expect(stored.rows('SELECT version FROM agent_runs')).toEqual([{ version: 2 }]);

  await lab.press('Start fresh beside it');
  await lab.ready();
  await lab.runToTheEnd();
  const aside = lab.region('Set aside');
  await expect(aside).toContainText('a newer version of this page wrote it');
  expect(await contentOf(other, name)).toBe(before);
});

test('a database with a newer page’s tables is shown and downloaded, and nothing writes to it', async ({
  lab,
  page,
  newTab,
}) => {
  await lab.open();
  await lab.stepTo(2);
  const { bytes } = await lab.downloadBytes('Download database');
  const sql = await initSqlJs();
  const database = new sql.Database(bytes);
  database.run('INSERT INTO schema_migrations VALUES (99); CREATE TABLE from_the_future (id INTEGER)');
  const newer = database.export();
  database.close();
  await page.goto('about:blank');
  await replaceStored(await bystander(page, lab.address), newer);

  await page.goto(`${lab.address}#/lab`);
  await lab.ready();
  const other = await bystander(await newTab(), lab.address);
  const name = await currentImage(other);
  const before = await contentOf(other, name);
  await expect(trouble(page)).toContainText('its tables have version 99');
  await expect(page.locator('header').getByRole('button', { name: /^disk:/ })).toContainText('read only');
  await lab.expectRun({ status: 'running', version: 2 });
  await expect(lab.button('Step')).toBeDisabled();
  await expect(lab.button('Resume')).toBeHidden();
  await lab.press('Reset lab');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(trouble(page)).toHaveCount(2);
  await lab.expectRun({ status: 'running', version: 2 });
  expect((await lab.downloadBytes('Download database')).bytes.equals(Buffer.from(newer))).toBe(true);
  expect(await contentOf(other, name)).toBe(before);

  await trouble(page).first().getByRole('button', { name: 'Start fresh beside it' }).click();
  await expect(lab.region('Runs')).toContainText('No run yet');
  await lab.runToTheEnd();
  await expect(lab.region('Set aside')).toContainText('a newer version of this page wrote it');
  expect(await contentOf(other, name)).toBe(before);
});
