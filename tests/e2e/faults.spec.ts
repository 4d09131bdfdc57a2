/**
 * Owns: what a person meets when the browser's storage fails while they work: what is said, what is safe, the ways on,
 * and that the lab goes on from there when the fault ends.
 * Leaves: stored databases that are damaged or newer to stored.spec.ts; tabs to tab-life.spec.ts.
 */
import type { CDPSession } from '@playwright/test';
import { bystander } from './bystander.ts';
import { DatabaseFile } from './database-file.ts';
import { expect, test, type Page } from './fixtures.ts';
import { faultyWorker } from './faulty-worker.ts';
import type { LabPage } from './lab-page.ts';
import { currentImage } from './stored-database.ts';

test.skip(
  ({ browserName }) => browserName !== 'chromium',
  'These faults are caused over Chromium’s protocol.',
);

const trouble = (page: Page) => page.locator('.failure');
const waiting = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'The browser’s storage is not answering' });
const chip = (page: Page) => page.locator('header').getByRole('button', { name: /^disk:/ });

/** The protocol's view of this page's origin. */
async function protocol(page: Page): Promise<{ session: CDPSession; origin: string }> {
  return { session: await page.context().newCDPSession(page), origin: new URL(page.url()).origin };
}

/** The last commit, as the card hands it out. */
async function memory(lab: LabPage): Promise<DatabaseFile> {
  return DatabaseFile.read((await lab.downloadBytes('Download what is in memory')).bytes);
}

async function versionIn(database: DatabaseFile, runId: string): Promise<unknown> {
  expect(database.problems()).toEqual([]);
  return database.rows('SELECT version FROM agent_runs WHERE run_id = ?', [runId])[0]?.['version'];
}

test('a full disk is told, loses nothing that was saved, and Retry goes on once there is room', async ({
  lab,
  page,
  address,
}) => {
  await bystander(page, address);
  const { session, origin } = await protocol(page);
  const quota = (quotaSize?: number) =>
    session.send(
      'Storage.overrideQuotaForOrigin',
      quotaSize === undefined ? { origin } : { origin, quotaSize },
    );
  // From the start: the browser remembers for a while how much room it has found.
  await quota(190_000);
  await lab.open();
  await lab.runToTheEnd();
  await lab.press('Reset lab');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(lab.region('Runs')).toContainText('No run yet');

  // Small commits, until the browser says success to one and then aborts it. The outside world's log may be full first.
  const notSaved = trouble(page).filter({ hasText: 'Not saved' });
  for (let commits = 0; commits < 400 && !(await notSaved.isVisible()); commits += 1) {
    const run = await lab.run();
    const done = run !== null && (run.status !== 'running' || (await trouble(page).isVisible()));
    await lab.press(done ? 'Start another run (T104)' : 'Step');
    await expect(chip(page)).not.toContainText('saving');
  }
  await expect(notSaved).toContainText('the browser gives this page no more room');
  await expect(chip(page)).toContainText(/disk: full,\sNOT SAVED/);
  const shown = await lab.run();
  const runId = (await lab.runs()).at(-1)?.split(' ')[0] ?? '';
  const kept = await memory(lab);
  expect(await versionIn(kept, runId)).toBe(shown?.version);

  // Another thing that succeeds does not make the change saved.
  await lab.region('Runs').getByRole('button', { name: runId }).click();
  await expect(trouble(page)).toContainText('no more room');
  await lab.press('Retry');
  await expect(chip(page)).not.toContainText('saving');
  await expect(trouble(page)).toContainText('no more room');

  await quota();
  await lab.press('Retry');
  await expect(trouble(page)).toBeHidden();
  await expect(chip(page)).toContainText('disk: saved');
  const runs = await lab.runs();
  const wentOn = runs.at(-1)?.split(' ')[0] ?? '';
  await lab.runToTheEnd();
  await lab.acrossReload(() => page.reload());
  const database = await lab.database();
  expect(await versionIn(database, wentOn)).toBe(4);
  expect(database.rows('SELECT count(*) AS n FROM agent_runs')).toEqual([{ n: runs.length }]);
  await lab.expectInvariantsHold();
});

test('a write that is aborted in the middle of a run is told, and Retry brings the run to its end', async ({
  lab,
  page,
}) => {
  const worker = await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  await worker.switchTo('aborted');
  await lab.press('Run to the end');
  await expect(trouble(page)).toContainText('Not saved: the browser aborted the write');
  await expect(chip(page)).toContainText('NOT SAVED');
  await lab.expectRun({ status: 'running', version: 1 });
  await lab.press('Retry');
  await expect(trouble(page)).toContainText('Not saved');
  expect(await versionIn(await memory(lab), 'run-T104')).toBe(1);

  await worker.switchTo();
  await lab.press('Retry');
  await lab.expectRun({ status: 'completed', version: 4 });
  await expect(trouble(page)).toBeHidden();
  await lab.expectInvariantsHold();
  await lab.acrossReload(() => page.reload());
  expect(await versionIn(await lab.database(), 'run-T104')).toBe(4);

  // A file that is opened is a change like any other, and two clicks on it are one.
  const empty = Buffer.from(await DatabaseFile.make(() => undefined));
  const openIt = () =>
    lab.button('Open it', lab.dialog).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
  await worker.switchTo('aborted');
  await lab.choose({ name: 'empty.db', mimeType: 'application/octet-stream', buffer: empty });
  await openIt();
  await expect(trouble(page)).toContainText('Not saved: the browser aborted the write');
  await expect(lab.button('Download what is in memory')).toBeVisible();
  await lab.expectRun({ status: 'completed', version: 4 });
  await worker.switchTo();
  await lab.press('Retry');
  await openIt();
  await expect(lab.region('Runs')).toContainText('No run yet');
  await expect(trouble(page)).toBeHidden();
  await expect(lab.dialog).toBeHidden();
});

test('a commit that is not answered is felt, then in doubt, and is found out without being written twice', async ({
  lab,
  page,
}) => {
  const worker = await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  await worker.switchTo('silent');
  await lab.press('Step');
  await expect(waiting(page)).toBeVisible();
  await expect(chip(page)).toContainText('no answer');
  await expect(trouble(page)).toContainText(/did not (say whether the write was saved|answer)/);
  await expect(chip(page)).toContainText('NOT SAVED');
  await expect(waiting(page)).toBeHidden();

  await worker.switchTo();
  await lab.press('Retry');
  await lab.expectRun({ version: 2 });
  await expect(trouble(page)).toBeHidden();
  await lab.runToTheEnd();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  expect(database.events('run-T104').map((event) => event.eventType)).toEqual([
    'run_started',
    'checkpoint_saved',
    'tool_executed',
    'checkpoint_saved',
    'tool_executed',
    'checkpoint_saved',
    'checkpoint_saved',
  ]);
});

test('storage that does not open has a screen of its own, and Retry opens it when it answers again', async ({
  lab,
  page,
}) => {
  const worker = await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  await worker.switchTo('stuck-open');
  await page.reload();
  await expect(waiting(page)).toBeVisible();
  await expect(trouble(page)).toContainText('did not answer for 10 seconds (while opening)');
  await expect(chip(page)).toContainText('not open');

  await worker.switchTo();
  await lab.press('Retry');
  await lab.ready();
  await lab.expectRun({ version: 1 });
});

test('where storage does not open, the lab works in memory when the person says so, and tells it', async ({
  lab,
  page,
}) => {
  await faultyWorker(page, ['stuck-open']);
  await page.goto(`${lab.address}#/lab`);
  await lab.press('Work in memory only');
  await lab.ready();
  await expect(chip(page)).toContainText('memory only');
  await lab.runToTheEnd();
});

test('an open that another tab blocks waits no longer than said, and works once that tab lets go', async ({
  lab,
  page,
  newTab,
  address,
}) => {
  await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  await page.goto('about:blank');
  const other = await bystander(await newTab(), address);
  const blocking = await other.evaluateHandle(
    async (name) => {
      const holds = await new Promise<IDBDatabase>((resolve) => {
        const opened = indexedDB.open(name);
        opened.onsuccess = () => resolve(opened.result);
      });
      const upgrade = indexedDB.open(name, 2);
      upgrade.onupgradeneeded = () => upgrade.transaction?.abort();
      await new Promise((resolve) => (upgrade.onblocked = resolve));
      return holds;
    },
    await currentImage(other),
  );
  await page.goto(`${address}#/lab`);
  await expect(trouble(page)).toContainText('did not answer for 10 seconds (while opening)');
  await blocking.evaluate((holds) => holds.close());
  await lab.press('Retry');
  await lab.ready();
  await lab.expectRun({ version: 1 });
});

test('stored data that is cleared while the lab is open is told, handed out, and stored again on request', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(2);
  const { session, origin } = await protocol(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await lab.press('Step');
  await expect(trouble(page)).toContainText('The stored database is gone');
  await expect(chip(page)).toContainText('NOT SAVED');
  await expect(lab.button('Dismiss')).toBeHidden();
  expect(await versionIn(await memory(lab), 'run-T104')).toBe(2);

  await lab.press('Store it again');
  await expect(trouble(page)).toBeHidden();
  await lab.expectRun({ version: 2 });
  await lab.runToTheEnd();
  await lab.acrossReload(() => page.reload());
  await lab.expectRun({ status: 'completed', version: 4 });
  await lab.expectInvariantsHold();
  expect(await versionIn(await lab.database(), 'run-T104')).toBe(4);
});

test('a tab never takes a new, empty database for its own without a word', async ({ lab, page, newLab }) => {
  await lab.open();
  await lab.stepTo(2);
  const { session, origin } = await protocol(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  const other = await newLab();
  await other.open();
  await expect(other.region('Runs')).toContainText('No run yet');
  await page.bringToFront();
  await lab.press('Step');
  await expect(trouble(page)).toContainText('The stored database is another one by now');
  await lab.expectRun({ version: 2 });
  expect(await versionIn(await memory(lab), 'run-T104')).toBe(2);
  expect((await other.database()).rows('SELECT * FROM agent_runs')).toEqual([]);

  await lab.press('Take what is stored');
  await lab.ready();
  await expect(lab.region('Runs')).toContainText('No run yet');
  await expect(trouble(page)).toBeHidden();
  await lab.press('Step');
  await expect.poll(() => other.runs()).toEqual(['run-T104 running v0']);
});

test('a handle that another tab asks to close is opened again, and a newer version of the storage is left alone', async ({
  lab,
  page,
  newTab,
  address,
}) => {
  await lab.open();
  await lab.stepTo(1);
  const other = await bystander(await newTab(), address);
  const image = await currentImage(other);
  const upgrade = (abort: boolean) =>
    other.evaluate(
      ([name, aborts]) =>
        new Promise<string>((resolve) => {
          const request = indexedDB.open(name, 2);
          request.onupgradeneeded = () => {
            if (aborts) request.transaction?.abort();
          };
          request.onsuccess = () => {
            request.result.close();
            resolve('upgraded');
          };
          request.onerror = () => resolve('aborted');
        }),
      [image, abort] as const,
    );
  expect(await upgrade(true)).toBe('aborted');
  await page.bringToFront();
  await lab.press('Step');
  await lab.expectRun({ version: 2 });

  expect(await upgrade(false)).toBe('upgraded');
  await page.bringToFront();
  await lab.press('Step');
  await expect(trouble(page)).toContainText('A newer version of this page wrote the stored database');
  await lab.expectRun({ version: 2 });
  expect(await versionIn(await memory(lab), 'run-T104')).toBe(2);
  await lab.press('Start fresh beside it');
  await expect(lab.region('Runs')).toContainText('No run yet');
  await expect(lab.region('Set aside')).toContainText('a newer version of this page wrote it');
  await lab.press('Step');
  await lab.expectRun({ version: 0 });
});

test('a worker that runs out of memory says so, and the next one goes on from what is stored', async ({
  lab,
  page,
}) => {
  const worker = await faultyWorker(page);
  await lab.open();
  await lab.stepTo(1);
  await worker.switchTo('no-memory');
  await lab.press('Step');
  await expect(lab.card).toContainText('No memory was left for the worker');
  await worker.switchTo();
  await lab.button('Reopen', lab.card).click();
  await lab.ready();
  await expect(lab.card).toContainText('An unfinished run was found');
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', version: 4 });
  await lab.expectInvariantsHold();
});

test('memory that SQLite can’t have at the start is told, and Retry starts it', async ({ lab, page }) => {
  const worker = await faultyWorker(page, ['no-wasm-memory']);
  await page.goto(`${lab.address}#/lab`);
  await expect(trouble(page)).toContainText('No memory was left for the worker');
  await worker.switchTo();
  await lab.press('Retry');
  await lab.ready();
});

test('small settings that are not answered hold nothing up: the lab opens and works', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(1);
  // In the page only: the worker's storage answers as ever.
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
  });
  await page.reload();
  await lab.ready();
  await lab.runToTheEnd();
  expect(await versionIn(await lab.database(), 'run-T104')).toBe(4);
});

test('the browser is asked once to keep what is stored, after the first run is saved, and its answer is shown', async ({
  lab,
  page,
}) => {
  await page.addInitScript(() => {
    Object.assign(window, { asked: 0 });
    StorageManager.prototype.persist = () => {
      Object.assign(window, { asked: Number(Reflect.get(window, 'asked')) + 1 });
      return Promise.resolve(true);
    };
  });
  const asked = () => page.evaluate(() => Number(Reflect.get(window, 'asked')));
  await lab.open();
  await chip(page).click();
  await expect(page.getByText('as long as there is room')).toBeVisible();
  await expect(page.getByText(/^[\d.]+ [KMG]B of about [\d.]+ [KMG]B$/)).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await asked()).toBe(0);
  await lab.stepTo(0);
  await expect.poll(asked).toBe(1);
  await chip(page).click();
  await expect(page.getByText('yes, until you delete it')).toBeVisible();
  await page.keyboard.press('Escape');
  await lab.runToTheEnd();
  await lab.press('Start another run (T104)');
  await lab.expectRun({ version: 0 });
  expect(await asked()).toBe(1);
  await lab.acrossReload(() => page.reload());
  await lab.button('Cancel', lab.card).click();
  await lab.press('Start another run (T104)');
  await expect.poll(() => lab.runs()).toHaveLength(3);
  expect(await asked()).toBe(0);
});
