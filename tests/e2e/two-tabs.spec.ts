/** Owns: two tabs on one database: each sees what the other wrote, and together they never damage it. */
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';
import { finalReply } from './the-lesson.ts';

test('what one tab does is seen in the other without a reload: a run, turns on one run, a reset', async ({
  lab,
  newLab,
}) => {
  await lab.open();
  const other = await newLab();
  await other.open();
  await expect(other.region('Runs')).toContainText('No run yet');
  await lab.page.bringToFront();
  await lab.stepTo(0);
  await expect.poll(() => other.runs()).toEqual(['run-T104 running v0']);
  await lab.stepTo(1);
  await expect.poll(() => other.runs()).toEqual(['run-T104 running v1']);

  await other.page.bringToFront();
  await other.press('Step');
  await other.expectRun({ version: 2 });
  await lab.expectRun({ version: 2 });
  await lab.page.bringToFront();
  await lab.press('Step');
  await lab.expectRun({ version: 3 });
  await other.expectRun({ version: 3 });
  await other.page.bringToFront();
  await other.press('Step');
  await other.expectRun({ status: 'completed', version: 4 });
  await lab.expectRun({ status: 'completed', version: 4 });
  await other.expectInvariantsHold();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  const sessions = database.rows('SELECT DISTINCT session FROM agent_events ORDER BY sequence');
  expect(sessions.map((row) => row['session'])).toEqual(['session-1', 'session-2']);

  await lab.page.bringToFront();
  await lab.press('Reset lab');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(other.region('Runs')).toContainText('No run yet');
  await other.page.bringToFront();
  await other.press('Step');
  await other.expectRun({ version: 0 });
  await expect.poll(() => lab.runs()).toEqual(['run-T104 running v0']);
  await lab.expectInvariantsHold();
  expect((await other.database()).problems()).toEqual([]);
});

/**
 * Presses a button if it is enabled, at this instant: a click as a person makes it waits for the tab to be painted,
 * which the browser puts off for the tab in the back, and then the tabs only take turns.
 */
async function pressAtOnce(lab: LabPage, name: string): Promise<boolean> {
  return lab.button(name).evaluate((button) => {
    if (!(button instanceof HTMLButtonElement) || button.ariaDisabled === 'true') return false;
    button.click();
    return true;
  });
}

/** Presses Step again and again until the run is at its end, whatever the other tab is doing. */
async function stepAway(lab: LabPage): Promise<void> {
  await expect
    .poll(
      async () => {
        await pressAtOnce(lab, 'Step');
        return (await lab.run())?.status;
      },
      { timeout: 40_000, intervals: [1] },
    )
    .toBe('completed');
}

test('two tabs that step the same run at once never damage it', async ({ lab, newLab }) => {
  await lab.open();
  await lab.press('Step');
  await lab.expectRun({ version: 0 });
  const other = await newLab();
  await other.open();
  await other.button('Look first', other.card).click();
  await Promise.all([stepAway(lab), stepAway(other)]);

  for (const one of [lab, other]) {
    await one.expectRun({ status: 'completed', nextAction: 'NULL', version: 4 });
    await one.expectInvariantsHold();
    expect((await one.report()).at(-1)).toBe(`final reply: ${finalReply}`);
  }
  const [mine, theirs] = [await lab.database(), await other.database()];
  expect(mine.problems()).toEqual([]);
  expect(theirs.events('run-T104')).toEqual(mine.events('run-T104'));
  const checkpoints = mine.events('run-T104').filter((event) => event.eventType === 'checkpoint_saved');
  expect(checkpoints.map((event) => event.detail)).toEqual([
    'version 1',
    'version 2',
    'version 3',
    'version 4',
  ]);
  expect(mine.rows('SELECT count(*) AS n FROM tool_effects')).toEqual([{ n: 2 }]);
});

test('two tabs that start runs at once give each run a name and a session of its own', async ({
  lab,
  newLab,
}) => {
  await lab.open();
  await lab.runToTheEnd();
  const other = await newLab();
  await other.open();
  await expect.poll(() => other.runs()).toEqual(['run-T104 completed v4']);
  const another = 'Start another run (T104)';
  const eachStarts = 3;
  const startAgainAndAgain = async (one: LabPage): Promise<void> => {
    for (let started = 0; started < eachStarts; started += 1) {
      await expect.poll(() => pressAtOnce(one, another), { intervals: [1] }).toBe(true);
    }
  };
  await Promise.all([startAgainAndAgain(lab), startAgainAndAgain(other)]);

  const runs = [
    'run-T104 completed v4',
    ...[2, 3, 4, 5, 6, 7].map((number) => `run-T104-${number} running v0`),
  ];
  await expect.poll(() => lab.runs(), { timeout: 20_000 }).toEqual(runs);
  await expect.poll(() => other.runs()).toEqual(runs);
  await lab.expectInvariantsHold();
  await other.expectInvariantsHold();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  expect(
    database.rows(
      `SELECT session, count(DISTINCT run_id) AS runs FROM agent_events GROUP BY session ORDER BY session`,
    ),
  ).toEqual([
    { session: 'session-1', runs: 1 + eachStarts },
    { session: 'session-2', runs: eachStarts },
  ]);
});
