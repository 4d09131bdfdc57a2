/**
 * Owns: several tabs as a person meets them: how many there are, who waits for whom, who wins, and tabs that sleep.
 * Leaves: that they never damage the database to two-tabs.spec.ts.
 */
import { personBrowser } from '../support/person-browser.ts';
import { bystander } from './bystander.ts';
import { expect, test, type Page } from './fixtures.ts';
import { faultyWorker } from './faulty-worker.ts';
import { LabPage } from './lab-page.ts';

const trouble = (page: Page) => page.locator('.failure');
const tabs = (page: Page) => page.locator('header').getByText(/^\d+\stabs?\s/);

/** Presses at this instant, as two people at once would; a click of Playwright's waits for the tab to be painted. */
function pressAtOnce(lab: LabPage, name: string): Promise<void> {
  return lab.button(name).evaluate((button: HTMLButtonElement) => button.click());
}

/** Holds the lock that tabs take for a command, until the result is called. */
async function holdTheLock(page: Page): Promise<() => Promise<void>> {
  const release = await page.evaluateHandle(
    () =>
      new Promise<{ now: () => void }>((resolve) => {
        void navigator.locks.request('crashpoint:/:command', () => {
          return new Promise<void>((released) => resolve({ now: released }));
        });
      }),
  );
  return () => release.evaluate((held) => held.now());
}

/** How many tabs wait for that lock. */
function waitingForTheLock(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { pending } = await navigator.locks.query();
    return (pending ?? []).filter((lock) => lock.name === 'crashpoint:/:command').length;
  });
}

test('every tab says how many have the lab open, and a tab that is closed is not counted', async ({
  lab,
  page,
  newLab,
}) => {
  await lab.open();
  await expect(tabs(page)).toHaveText(/^1\stab\s/);
  const other = await newLab();
  await other.open();
  await expect(tabs(page)).toHaveText(/^2\stabs\s/);
  await expect(tabs(other.page)).toHaveText(/^2\stabs\s/);
  const third = await newLab();
  await third.open();
  await expect(tabs(page)).toHaveText(/^3\stabs\s/);
  await third.page.close();
  await other.page.close();
  await expect(tabs(page)).toHaveText(/^1\stab\s/);
});

test.describe('with a clock of the test’s own', () => {
  test.use({ ownBrowser: true });

  test('a lock that another tab never gives back holds a command up for two seconds, and the next ones not at all', async ({
    lab,
    page,
    newTab,
  }) => {
    await page.clock.install();
    await lab.open();
    const other = await bystander(await newTab(), lab.address);
    await holdTheLock(other);
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 500));
    await pressAtOnce(lab, 'Step');
    await expect.poll(() => waitingForTheLock(other)).toBe(1);
    await page.clock.runFor(1_999);
    expect(await waitingForTheLock(other)).toBe(1);
    await expect(lab.region('Runs')).toContainText('No run yet');
    await page.clock.runFor(1);
    await lab.expectRun({ version: 0 });
    await lab.stepTo(4);
    expect((await lab.database()).problems()).toEqual([]);
  });

  test('two tabs that resume the same version: one goes on, the other is told what it expected and what is stored', async ({
    lab,
    newLab,
    newTab,
  }) => {
    await lab.open();
    await lab.stepTo(1);
    const other = await newLab();
    // One clock for all tabs of the browser.
    const { clock } = lab.page;
    await clock.install();
    await lab.acrossReload(() => lab.page.reload());
    await lab.button('Cancel', lab.card).click();
    await other.open();
    const holder = await bystander(await newTab(), lab.address);
    // From here on each step waits for the clock, and nobody's patience ends.
    await clock.pauseAt(await lab.page.evaluate(() => Date.now() + 500));
    let release = await holdTheLock(holder);
    await pressAtOnce(lab, 'Resume');
    await expect.poll(() => waitingForTheLock(holder)).toBe(1);
    await pressAtOnce(other, 'Resume');
    await expect.poll(() => waitingForTheLock(holder)).toBe(2);
    await release();
    const resumed = async (one: LabPage) =>
      (await one.events()).filter(({ eventType }) => eventType === 'run_resumed').length;
    await expect.poll(() => resumed(other)).toBe(2);

    // Both have version 1 before them, and ask for the next one.
    release = await holdTheLock(holder);
    await clock.runFor(1);
    await expect.poll(() => waitingForTheLock(holder)).toBe(2);
    await release();
    const told = async () => Promise.all([lab, other].map(({ page }) => trouble(page).count()));
    await expect.poll(async () => (await told()).toSorted()).toEqual([0, 1]);
    const [loser, winner] = (await told())[0] === 1 ? [lab, other] : [other, lab];
    await expect(trouble(loser.page)).toContainText(
      'State changed in another worker: run-T104 is at version 2, version 1 was expected.',
    );
    await expect(trouble(loser.page).getByRole('definition')).toHaveText(['version 1', 'version 2']);
    await loser.expectRun({ version: 2 });
    await winner.expectRun({ version: 2 });
    await clock.resume();
    await winner.expectRun({ status: 'completed', version: 4 });
    await expect(winner.card).toContainText('Resumed and completed');

    await loser.press('Take the stored state and try again');
    await expect(trouble(loser.page)).toBeHidden();
    await loser.expectRun({ status: 'completed', version: 4 });
    await loser.expectInvariantsHold();
    const database = await other.database();
    expect(database.problems()).toEqual([]);
    const saved = database.events('run-T104').filter(({ eventType }) => eventType === 'checkpoint_saved');
    expect(new Set(saved.slice(1).map(({ session }) => session)).size).toBe(1);
  });
});

test('without Web Locks, and with news that does not arrive, a step on what another tab has changed is refused', async ({
  lab,
  newLab,
}) => {
  const worker = await faultyWorker(lab.page);
  const other = await newLab();
  for (const { page } of [lab, other]) {
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });
    });
  }
  await lab.open();
  await lab.stepTo(1);
  await other.open();
  await worker.switchTo('mute');
  await lab.stepTo(2);
  await other.expectRun({ version: 1 });

  await other.button('Look first', other.card).click();
  await pressAtOnce(other, 'Step');
  await expect(trouble(other.page)).toContainText('run-T104 is at version 2, version 1 was expected');
  await other.expectRun({ version: 2 });
  await other.press('Take the stored state and try again');
  await other.expectRun({ version: 3 });
  await expect(trouble(other.page)).toBeHidden();
  expect((await other.database()).problems()).toEqual([]);
});

test.describe('tabs that sleep', () => {
  test.skip(({ browserName }) => browserName !== 'chromium', 'Frozen and cached over Chromium’s protocol.');

  test('nobody waits for a frozen tab or counts it, and it wakes to what is stored', async ({ address }) => {
    const browser = await personBrowser();
    try {
      const sleeper = new LabPage(await browser.context.newPage(), address);
      await sleeper.open();
      await sleeper.stepTo(1);
      const other = new LabPage(await browser.context.newPage(), address);
      await other.open();
      await expect(tabs(other.page)).toHaveText(/^2\stabs\s/);

      const session = await browser.context.newCDPSession(sleeper.page);
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await expect(tabs(other.page)).toHaveText(/^1\stab\s/);
      await other.button('Resume', other.card).click();
      await other.expectRun({ status: 'completed', version: 4 });
      expect(await sleeper.run()).toMatchObject({ version: 1 });

      await session.send('Page.setWebLifecycleState', { state: 'active' });
      await sleeper.expectRun({ status: 'completed', version: 4 });
      await expect(tabs(other.page)).toHaveText(/^2\stabs\s/);
      await sleeper.page.bringToFront();
      await sleeper.press('Start another run');
      await sleeper.expectRun({ version: 0 });
      await other.page.bringToFront();
      await expect.poll(() => other.runs()).toEqual(['run-T104 completed v4', 'run-T104-2 running v0']);
      await other.expectInvariantsHold();
    } finally {
      await browser.end();
    }
  });

  test('a tab in the back/forward cache is not waited for, and comes back to what is stored', async ({
    address,
  }) => {
    const browser = await personBrowser();
    try {
      const cached = new LabPage(await browser.context.newPage(), address);
      await cached.open();
      await cached.stepTo(1);
      await cached.page.evaluate(() => {
        addEventListener('pageshow', (event: PageTransitionEvent) =>
          Object.assign(window, { cameBack: event.persisted }),
        );
      });
      const other = new LabPage(await browser.context.newPage(), address);
      await other.open();
      await cached.page.bringToFront();
      await bystander(cached.page, address);
      await other.page.bringToFront();
      await expect(tabs(other.page)).toHaveText(/^1\stab\s/);
      await other.button('Resume', other.card).click();
      await other.expectRun({ status: 'completed', version: 4 });

      await cached.page.bringToFront();
      await cached.page.goBack({ waitUntil: 'commit' });
      await cached.expectRun({ status: 'completed', version: 4 });
      expect(await cached.page.evaluate(() => 'cameBack' in window && window.cameBack)).toBe(true);
      await expect(tabs(cached.page)).toHaveText(/^2\stabs\s/);
      await cached.press('Start another run');
      await cached.expectRun({ version: 0 });
      await cached.expectInvariantsHold();
    } finally {
      await browser.end();
    }
  });
});
