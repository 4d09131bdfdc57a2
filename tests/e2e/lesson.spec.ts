/** Owns: the main job: a run of T104 crashes, wherever the user says, and the next session completes it. */
import Papa from 'papaparse';
import { expect, test } from './fixtures.ts';
import {
  beforeRestart,
  crashAsInTheLesson,
  expectTheLessonOnScreen,
  lessonBoundary,
  lessonEvents,
} from './the-lesson.ts';

test('the tickets show the rule, its limits, and six priorities that match', async ({ lab }) => {
  await lab.open();
  const tickets = lab.region('Tickets');
  await expect(tickets).toContainText('tickets checked: 6 | priority rules matched: 6');
  await expect(tickets).toContainText('45 minutes or more');
  await expect(tickets.getByRole('listitem')).toHaveCount(6);
  const priorities = await tickets.getByRole('listitem').locator('.chip').allInnerTexts();
  expect(priorities).toEqual(['normal', 'normal', 'urgent', 'urgent', 'urgent', 'urgent']);
});

test('T104 crashes at the lesson’s boundary, the tab reloads, and the run resumes by itself and completes', async ({
  lab,
}) => {
  await lab.open();
  await lab.press('Crash at…');
  await expect(lab.dialog.getByText('Suggested:')).toContainText('Suggested:');
  await expect(lab.dialog.locator('p', { hasText: 'Suggested:' })).toContainText(lessonBoundary);
  await expect(lab.dialog.locator('input[name=boundary]:checked')).toHaveValue(lessonBoundary);
  const groups = await lab.dialog.getByRole('group').locator('legend').allInnerTexts();
  expect(groups.map((name) => name.split(/[ ,]/)[0])).toEqual([
    'start',
    'resume',
    'classify_priority.checkpoint',
    'lookup_runbook.tool',
    'lookup_runbook.reuse',
    'lookup_runbook.checkpoint',
    'draft_reply.tool',
    'draft_reply.reuse',
    'draft_reply.checkpoint',
    'finish.checkpoint',
  ]);
  await lab.button(`Arm ${lessonBoundary}`, lab.dialog).click();
  await expect(lab.page.getByText(`armed at ${lessonBoundary}, once`)).toBeVisible();

  await lab.acrossReload(() => lab.press('Run to the end'));
  await expect(lab.card).toContainText(`killed at ${lessonBoundary}`);
  await expect(lab.card).toContainText(beforeRestart);
  await expect(lab.card).toContainText('resumes it by itself in');
  await expect(lab.page.getByText(/armed at .*, once/)).toBeHidden();
  expect(await lab.events()).toEqual(lessonEvents.slice(0, 3));

  await expectTheLessonOnScreen(lab);
  await expect(lab.card).toContainText('status=completed next_action=none version=4');

  const trace = await lab.downloadBytes('Download trace (CSV)');
  const text = trace.bytes.toString('utf8');
  const [header, ...lines] = Papa.parse<string[]>(text.trimEnd()).data;
  expect(header).toEqual('run_id,sequence,session,event_type,action,detail,created_at_utc'.split(','));
  expect(lines.map((line) => line.slice(0, 6))).toEqual(
    lessonEvents.map((event) => ['run-T104', String(event.sequence), ...Object.values(event).slice(1)]),
  );
  for (const line of lines) expect(line[6]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(text.split('\r\n')).toHaveLength(11);

  const database = await lab.database();
  expect(database.events('run-T104')).toEqual(lessonEvents);
  expect(database.rows('SELECT idempotency_key, tool_name FROM tool_effects ORDER BY rowid')).toEqual([
    { idempotency_key: 'run-T104:lookup_runbook', tool_name: 'lookup_runbook' },
    { idempotency_key: 'run-T104:draft_reply', tool_name: 'draft_reply' },
  ]);
  expect(database.rows('SELECT status, next_action, version FROM agent_runs')).toEqual([
    { status: 'completed', next_action: null, version: 4 },
  ]);
  expect(database.problems()).toEqual([]);
});

test.describe('at the usual pace', () => {
  test.use({ motion: 'no-preference' });

  test('Crash now in the middle of a run kills it, and the next session completes it', async ({ lab }) => {
    await lab.open();
    await lab.press('Run to the end');
    await lab.expectRun({ version: 1 });
    await lab.acrossReload(() => lab.press('Crash now'));
    await expect(lab.card).toContainText('“Crash now”');
    await expect(lab.card).toContainText(
      /stored when this session opened\s*status=running next_action=\w+ version=[123]/,
    );
    await lab.button('Resume', lab.card).click();
    await lab.expectRun({ status: 'completed', version: 4 });
    await lab.expectInvariantsHold();
    expect((await lab.database()).problems()).toEqual([]);
  });
});

test('a crash before the run was saved leaves nothing to resume, and says that this is correct', async ({
  lab,
}) => {
  await lab.open();
  await lab.arm('start.committed');
  await lab.acrossReload(() => lab.press('Step'));
  await expect(lab.card).toContainText(
    'The crash came before the run was saved. Nothing to resume. That is correct.',
  );
  expect((await lab.database()).rows('SELECT * FROM agent_runs')).toEqual([]);
  await lab.runToTheEnd();
  await lab.expectRun({ version: 4 });
  expect((await lab.events())[0]).toMatchObject({
    sequence: 1,
    session: 'session-1',
    eventType: 'run_started',
  });
  await lab.expectInvariantsHold();
});

test('a crash after the run’s last commit leaves nothing to do, and says that this is correct', async ({
  lab,
}) => {
  await lab.open();
  await lab.arm('finish.checkpoint.durable');
  await lab.acrossReload(() => lab.press('Run to the end'));
  await expect(lab.card).toContainText('status=completed next_action=none version=4 tool_effect_rows=2');
  await expect(lab.card).toContainText('does nothing. That is correct.');
  await lab.expectRun({ status: 'completed', version: 4 });
  expect(await lab.events()).toHaveLength(7);
  await lab.expectInvariantsHold();
});

// The other boundaries, and every pair of them, are crashed at in tests/crash/lesson.test.ts.
test('a crash between a call and its saved result is resumed, calls again, and records it once', async ({
  lab,
}) => {
  await lab.open();
  await lab.arm('draft_reply.tool.called');
  await lab.acrossReload(() => lab.press('Run to the end'));
  await expect(lab.card).toContainText('status=running next_action=draft_reply version=2 tool_effect_rows=1');
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', nextAction: 'NULL', version: 4 });
  expect(await lab.calls()).toEqual([
    'run-T104:lookup_runbook',
    'run-T104:draft_reply',
    'run-T104:draft_reply',
  ]);
  await expect(lab.region('Outside world').getByText('called twice')).toHaveCount(1);
  await lab.expectInvariantsHold();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  expect(database.rows('SELECT count(*) AS n FROM tool_effects')).toEqual([{ n: 2 }]);
});

test('a crash at resume.committed leaves the run for a third session, which completes it', async ({
  lab,
}) => {
  await lab.open();
  await crashAsInTheLesson(lab);
  await lab.arm('resume.committed');
  await lab.acrossReload(() => lab.button('Resume', lab.card).click());
  await expect(lab.card).toContainText(beforeRestart);
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', version: 4 });
  // The second session's commit was in memory only: its label was never given, and nothing of it is there.
  expect(await lab.events()).toEqual(lessonEvents);
  expect(await lab.calls()).toEqual(['run-T104:lookup_runbook', 'run-T104:draft_reply']);
  await lab.expectInvariantsHold();
});

test('reloading by hand, and with Reload tab, resumes just as well', async ({ lab, page }) => {
  await lab.open();
  await lab.stepTo(1);
  await lab.acrossReload(() => page.reload());
  await expect(lab.card).toContainText(
    'status=running next_action=lookup_runbook version=1 tool_effect_rows=0',
  );
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', version: 4 });

  await lab.press('Start another run (T104)');
  await lab.expectRun({ version: 0 });
  await lab.stepTo(2);
  await lab.acrossReload(() => lab.press('Reload tab'));
  await expect(lab.card).toContainText('status=running next_action=draft_reply version=2 tool_effect_rows=1');
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', version: 4 });
  expect(await lab.runs()).toEqual(['run-T104 completed v4', 'run-T104-2 completed v4']);
  await lab.expectInvariantsHold();
});

test('a run whose tab was closed waits, in a new tab, for Resume', async ({ lab, page, newLab }) => {
  await lab.open();
  await lab.stepTo(1);
  const next = await newLab();
  await page.close();
  await next.open();
  await expect(next.card).toContainText(
    'status=running next_action=lookup_runbook version=1 tool_effect_rows=0',
  );
  await expect(next.card).toContainText('did not see the run begin, so it waits for you');
  await expect(next.card).not.toContainText('by itself in');
  await next.button('Resume', next.card).click();
  await next.expectRun({ status: 'completed', version: 4 });
  await next.expectInvariantsHold();
});

test.describe('with a clock of the test’s own', () => {
  test.use({ ownBrowser: true });

  test('a crash that is armed every time, with automatic resume, stops and asks', async ({ lab, page }) => {
    await page.clock.install();
    await lab.open();
    await lab.arm('lookup_runbook.checkpoint.begin', 'every time');
    await lab.acrossReload(() => lab.press('Run to the end'));
    await expect(lab.card).toContainText('Resuming by itself would loop, so the run waits for you.');
    // A minute later it still waits: nothing counts down.
    await page.clock.runFor(60_000);
    await expect(lab.button('Resume', lab.card)).toBeEnabled();
    await lab.acrossReload(() => lab.button('Resume', lab.card).click());
    await expect(lab.card).toContainText('Resuming by itself would loop, so the run waits for you.');
    const database = await lab.database();
    expect(database.rows('SELECT count(DISTINCT session) AS n FROM agent_events')).toEqual([{ n: 2 }]);
    expect(database.rows('SELECT version FROM agent_runs')).toEqual([{ version: 1 }]);
    await lab.press('Disarm');
    await lab.button('Resume', lab.card).click();
    await lab.expectRun({ status: 'completed', version: 4 });
    expect(await lab.calls()).toEqual(['run-T104:lookup_runbook', 'run-T104:draft_reply']);
    await lab.expectInvariantsHold();
  });
});

test.describe('with time to die between resume and the next checkpoint', () => {
  test.use({ motion: 'no-preference' });

  test('two automatic resumes that died without a new checkpoint are enough: then it asks', async ({
    lab,
    page,
  }) => {
    await lab.open();
    await lab.speed('slow');
    await lab.stepTo(1);
    for (const resumes of [1, 2]) {
      await lab.acrossReload(() => page.reload());
      await expect(lab.card).toContainText('resumes it by itself in');
      await expect.poll(async () => lab.events(), { timeout: 15_000 }).toHaveLength(2 + resumes);
    }
    await lab.acrossReload(() => page.reload());
    await expect(lab.card).toContainText('Two automatic resumes brought no new checkpoint');
    await expect(lab.card).not.toContainText('by itself in');
    const kinds = (await lab.events()).map((event) => event.eventType);
    expect(kinds).toEqual(['run_started', 'checkpoint_saved', 'run_resumed', 'run_resumed']);
    await lab.speed('instant');
    await lab.button('Resume', lab.card).click();
    await lab.expectRun({ status: 'completed', version: 4 });
    await lab.expectInvariantsHold();
  });
});
