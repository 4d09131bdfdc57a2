/** Owns: the first guided run: its steps tick from the database, and a reader's place in it is kept. */
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';
import { crashAsInTheLesson, expectTheLessonOnScreen, lessonBoundary } from './the-lesson.ts';

const guide = (lab: LabPage) => lab.region('First guided run');

async function ticks(lab: LabPage): Promise<readonly boolean[]> {
  const names = await guide(lab)
    .getByRole('list', { name: 'Parts of the guided run' })
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  return names.map((name) => name.endsWith(', done'));
}

const ticked = (count: number): readonly boolean[] => Array.from({ length: 6 }, (_, at) => at < count);

test('the six steps tick one by one for a reader who follows the guide', async ({ lab, page }) => {
  await lab.open();
  const predict = async (option: string): Promise<void> => {
    await guide(lab).getByRole('radio', { name: option }).check();
    await lab.button('Lock in', guide(lab)).click();
    await expect(guide(lab)).toContainText('You predicted:');
  };
  const done = async (count: number, judged = true): Promise<void> => {
    await expect.poll(() => ticks(lab)).toEqual(ticked(count));
    if (judged) await expect(guide(lab)).toContainText('As you predicted');
    await expect(guide(lab)).toContainText('Why:');
    await lab.button('Next', guide(lab)).click();
  };
  expect(await ticks(lab)).toEqual(ticked(0));
  await predict('Where to go on, how it got there, and what is already done');
  await lab.press('Start T104');
  await done(1);
  await predict('The row at version 1 and its event, together or not at all');
  await lab.press('Step');
  await done(2);
  await predict('Only what was in the worker’s memory');
  await lab.press('Crash at…');
  await lab.button(`Arm ${lessonBoundary}`, lab.dialog).click();
  // What is lost shows only once it has crashed.
  await done(3, false);
  await predict('version 1, next lookup_runbook');
  await lab.acrossReload(() => lab.press('Step'));
  await expect(lab.card).toContainText('Lock in your prediction, then resume.');
  await done(4);
  await predict('Reuse the saved result, then save the checkpoint');
  await lab.button('Resume', lab.card).click();
  await expectTheLessonOnScreen(lab);
  await done(5);
  await predict('In agent_events: the order and the session');
  await lab.button('Go to the timeline', guide(lab)).click();
  await expect(page.getByRole('slider', { name: 'Event at the cursor' })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await done(6);
  await expect(guide(lab)).toContainText('You predicted 6 of 6 right.');
});

test('the steps tick from the database, whichever way the reader got there', async ({ lab, page }) => {
  await lab.open();
  await page.keyboard.press('k');
  await expect.poll(() => ticks(lab)).toEqual(ticked(1));
  await page.keyboard.press('k');
  await expect.poll(() => ticks(lab)).toEqual(ticked(2));
  await lab.arm(lessonBoundary);
  await expect.poll(() => ticks(lab)).toEqual(ticked(3));
  await lab.press('Disarm');
  // No armed crash, no Step: the tab dies by hand, and that counts.
  await lab.acrossReload(() => page.reload());
  await expect.poll(() => ticks(lab)).toEqual(ticked(4));
  await lab.button('Resume', lab.card).click();
  await expect.poll(() => ticks(lab)).toEqual(ticked(5));
  // A tick, once reached, stays, whatever is on screen.
  await lab.press('Reset lab');
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(lab.region('Runs')).toContainText('No run yet');
  expect(await ticks(lab)).toEqual(ticked(5));
  await lab.press('Undo');
  await lab.expectRun({ status: 'completed' });
  expect(await ticks(lab)).toEqual(ticked(5));
});

test('the guide can be left and taken up again, both survive a reload, and what was done without it is ticked', async ({
  lab,
  page,
}) => {
  await lab.open();
  await guide(lab).getByRole('radio').first().check();
  await lab.button('Lock in', guide(lab)).click();
  await lab.press('Start T104');
  await lab.button('Next', guide(lab)).click();
  await expect(guide(lab)).toContainText('2. A step and its checkpoint');

  await lab.button('Leave', guide(lab)).click();
  await expect(guide(lab)).toBeHidden();
  await lab.acrossReload(() => page.reload());
  await expect(lab.button('Take up the guided run')).toBeVisible();
  await expect(guide(lab)).toBeHidden();

  await lab.press('Take up the guided run');
  await expect(guide(lab)).toContainText('2. A step and its checkpoint');
  await lab.acrossReload(() => page.reload());
  await expect(guide(lab)).toContainText('2. A step and its checkpoint');
  await lab.button('Back', guide(lab)).click();
  await expect(guide(lab)).toContainText('You predicted: The conversation so far');

  await lab.button('Leave', guide(lab)).click();
  await lab.button('Cancel', lab.card).click();
  await crashAsInTheLesson(lab);
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed' });
  await lab.press('Take up the guided run');
  await expect.poll(() => ticks(lab)).toEqual(ticked(5));
});
