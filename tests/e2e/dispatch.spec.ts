/**
 * Owns: Dispatch as a person sees it: approvals, calls that are out, in doubt or tried again, the desk's settings,
 * another tab's call, a changed workflow, sending for real, and what is kept of finished runs.
 * Leaves: the rules behind it to the engine's own tests; axe and narrow screens to dispatch-access.spec.ts.
 */
import { json, startToolServer } from '../support/tool-server.ts';
import { cardOf, changedDatabase, logLines, openDatabase, setDesk, startDispatch } from './dispatch-page.ts';
import { expect, test } from './fixtures.ts';

const needsYes = 'page_technician needs your yes';
const inDoubt = 'page_technician is in doubt';

test('Dispatch of T104 asks for a yes, keeps the request over a reload, pages once, and closes the ticket', async ({
  lab,
  page,
}) => {
  await lab.open();
  await startDispatch(lab);
  await expect(page.getByRole('list', { name: 'The actions of the run' }).getByRole('listitem')).toHaveCount(
    5,
  );
  await lab.press('Run to the end');
  await lab.expectRun({ status: 'waiting', nextAction: 'page_technician' });
  await expect(page.getByText('The run waits for your yes or no to page_technician.')).toBeVisible();

  await lab.acrossReload(() => page.reload());
  const card = cardOf(lab, needsYes);
  await expect(card).toContainText('wakes somebody, and can’t be taken back');
  await expect(card).toContainText('"work_order": "WO-1001"');
  await expect(lab.card).toBeHidden();
  expect(await logLines(lab)).toEqual(['request_runbook, work done', 'open_work_order, work done']);

  // It was on its way to the end before the reload, so after the yes it goes on.
  await lab.button('Approve page_technician', card).click();
  await lab.expectRun({ status: 'completed', nextAction: 'NULL' });
  await expect(card).toBeHidden();
  await expect(lab.button('Step')).toBeFocused();
  expect((await lab.report()).at(-1)).toBe(
    'final reply: Priority: urgent. Work order: WO-1001. A technician was paged (PG-1).',
  );
  await expect(lab.region('Intents')).toContainText('used, asked for at');
  await expect(lab.region('Intents')).toContainText('3 of 12');
  await lab.expectInvariantsHold();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  expect(database.rows('SELECT state FROM approvals')).toEqual([{ state: 'used' }]);
  expect(database.rows('SELECT count(*) AS n FROM tool_attempts')).toEqual([{ n: 3 }]);
});

test('a no is the tool’s answer; finished runs are deleted when a person or the period says so', async ({
  lab,
  page,
}) => {
  await lab.open();
  for (const run of ['run-T104', 'run-T104-2', 'run-T104-3']) {
    await startDispatch(lab);
    await lab.press('Run to the end');
    await lab.button('Deny page_technician', cardOf(lab, needsYes)).click();
    await lab.expectRun({ status: 'completed' });
    expect(await lab.runs()).toContain(`${run} completed v7`);
  }
  expect((await lab.report()).at(-1)).toContain('Nobody was paged: it was not approved.');
  expect(await lab.calls()).toEqual(['run-T104-3:request_runbook', 'run-T104-3:open_work_order']);

  await lab.press('Delete finished runs…');
  await lab.dialog.getByRole('checkbox', { name: 'All 3 finished runs' }).uncheck();
  await expect(lab.button('Delete 0 runs', lab.dialog)).toHaveAttribute('aria-disabled', 'true');
  await lab.dialog.getByRole('checkbox', { name: 'run-T104-2' }).check();
  await lab.button('Delete 1 run', lab.dialog).click();
  await expect(page.getByText(/^1 finished run was deleted; .*KB came back\.$/).last()).toBeVisible();
  expect(await lab.runs()).toEqual(['run-T104 completed v7', 'run-T104-3 completed v7']);

  // As the first one would stand there after a long time.
  const aged = await changedDatabase(
    lab,
    `UPDATE agent_events SET created_at_utc = '2020' || substr(created_at_utc, 5) WHERE run_id = 'run-T104'`,
  );
  await openDatabase(lab, aged);
  await lab.press('Settings');
  await page.getByLabel('Keep finished runs').selectOption('7 days');
  await lab.press('Settings');
  expect(await lab.runs()).toHaveLength(2);
  await lab.acrossReload(() => page.reload());
  await expect(page.getByText(/^1 finished run older than 7 days was deleted/).last()).toBeVisible();
  expect(await lab.runs()).toEqual(['run-T104-3 completed v7']);
  await lab.expectInvariantsHold();
  expect((await lab.database()).problems()).toEqual([]);
});

test('a crash while the work order’s call is out: the next session calls under the same key, and it is done once', async ({
  lab,
  page,
}) => {
  await lab.open();
  await startDispatch(lab);
  await lab.stepTo(2);
  await setDesk(lab, { trouble: 'loses_answer' });
  await lab.press('Run to the end');
  await expect(cardOf(lab, 'open_work_order is out')).toContainText('This is the moment to crash');
  await expect(lab.button('Step')).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('It lost one answer, as you set. That is used up.')).toBeVisible();
  await lab.acrossReload(() => lab.press('Crash now'));
  await expect(lab.card).toContainText('Its call was out in session-1, and no answer is recorded');
  await expect(lab.card).toContainText('resumes it by itself in');
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'waiting', nextAction: 'page_technician' });
  expect(await logLines(lab)).toEqual([
    'request_runbook, work done',
    'open_work_order, work done, answer lost',
    'open_work_order, key recognised: not done again',
  ]);
  await expect(lab.region('Outside world')).toContainText(
    '2 calls received, work done 1×, 1 result recorded',
  );
  const attempts = lab.region('Intents').getByRole('list', { name: 'Attempts of open_work_order' });
  await expect(attempts.getByRole('listitem')).toHaveText([/session-1.*lost/, /session-2.*done/]);
  await lab.expectInvariantsHold();
});

test('a desk that ignores keys does the work twice, and that jumps to the eye', async ({ lab }) => {
  await lab.open();
  await lab.setting('A crash also reloads the tab', false);
  await startDispatch(lab);
  await lab.stepTo(2);
  await setDesk(lab, { honoursKeys: false });
  await lab.arm('open_work_order.call.answered');
  await lab.press('Step');
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'waiting' });
  await expect(lab.region('Outside world').getByText('WORK DONE TWICE')).toBeVisible();
  await expect(lab.region('Outside world')).toContainText(
    '2 calls received, work done 2×, 1 result recorded',
  );
  expect((await lab.database()).problems()).toEqual([]);
});

test('a page whose answer is lost is in doubt, and each of the three ways leads on', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.setting('A crash also reloads the tab', false);
  const card = cardOf(lab, inDoubt);
  const toTheDoubt = async (): Promise<void> => {
    await startDispatch(lab);
    await lab.press('Run to the end');
    const asks = cardOf(lab, needsYes);
    await expect(asks).toBeVisible();
    await setDesk(lab, { trouble: 'loses_answer', answersStatus: false });
    await lab.button('Approve page_technician', asks).click();
    // Nobody need wait for the end of its time: whoever waits may die as well.
    await expect(cardOf(lab, 'page_technician is out')).toBeVisible();
    await lab.press('Crash now');
    await lab.button('Resume', lab.card).click();
    await expect(card).toContainText('it is never repeated by itself');
    await lab.expectRun({ status: 'waiting' });
  };

  await toTheDoubt();
  await expect(card).toContainText('the session ended before an answer was recorded');
  await expect(card).toContainText('does not say what became of a key');
  await lab.button('Call again', card).click();
  await lab.expectRun({ status: 'completed' });
  expect((await logLines(lab)).slice(-3)).toEqual([
    'page_technician, work done, answer lost',
    'page_technician, only asked about',
    'page_technician, key recognised: not done again',
  ]);

  await toTheDoubt();
  await lab.button('Go on without a result', card).click();
  await lab.expectRun({ status: 'completed' });
  expect((await lab.report()).at(-1)).toContain('Whether somebody was paged is not known.');

  await toTheDoubt();
  await lab.button('Enter the result', card).click();
  const field = page.getByLabel('The result, as a JSON object');
  await expect(field).toBeFocused();
  await field.fill('{"page": ');
  await lab.button('Save this result', card).click();
  await expect(card.getByRole('alert')).toContainText('This is not JSON');
  await expect(field).toBeFocused();
  await field.fill('{"page": "PG-77"}');
  await lab.button('Save this result', card).click();
  await lab.expectRun({ status: 'completed' });
  expect((await lab.report()).at(-1)).toContain('A technician was paged (PG-77).');
  await lab.expectInvariantsHold();
  expect((await lab.database()).rows('SELECT count(*) AS n FROM tool_attempts')).toEqual([{ n: 10 }]);
});

test('a desk that fails: the next attempt can be made now, a failed run is tried again, and attempts follow by themselves', async ({
  lab,
  page,
}) => {
  await lab.open();
  await startDispatch(lab);
  await lab.stepTo(1);
  await setDesk(lab, { trouble: 'fails_before', times: 'always' });
  // Step by step nothing is tried again by itself, however slow this machine is.
  await lab.press('Step');
  const again = cardOf(lab, 'request_runbook is called again');
  await expect(again).toContainText('Attempt 1 ended badly: the service desk failed before it did the work.');
  await expect(again).toContainText('Attempt 2');
  const attempts = lab.region('Intents').getByRole('list', { name: 'Attempts of request_runbook' });
  for (const made of [2, 3]) {
    await lab.button('Try now', again).click();
    await expect(attempts.getByRole('listitem')).toHaveCount(made);
  }
  await lab.button('Try now', again).click();
  const failed = cardOf(lab, 'run-T104 has failed');
  await expect(failed).toContainText('request_runbook: the service desk failed before it did the work.');
  expect(await logLines(lab)).toEqual(
    Array.from({ length: 4 }, () => 'request_runbook, failed: no work done'),
  );
  await setDesk(lab, { trouble: 'fails_before', times: 'with the next call only' });
  await lab.button('Try again', failed).click();
  await expect(lab.button('Step')).toBeFocused();
  await lab.expectRun({ status: 'running', nextAction: 'request_runbook', version: 3 });
  await lab.press('Run to the end');
  await lab.expectRun({ status: 'waiting', nextAction: 'page_technician' });
  await expect(page.getByText('run-T104 has failed')).toBeHidden();
  await expect(attempts.getByRole('listitem')).toHaveCount(6);
  await lab.expectInvariantsHold();
});

test('a budget that is used up fails the run, until a person allows more', async ({ lab }) => {
  await lab.open();
  await startDispatch(lab);
  await lab.stepTo(1);
  await openDatabase(
    lab,
    await changedDatabase(lab, `UPDATE run_budgets SET allowed = 0 WHERE resource = 'tool_calls'`),
  );
  await lab.press('Run to the end');
  const failed = cardOf(lab, 'run-T104 has failed');
  await expect(failed).toContainText('the budget of tool calls is used up: 0 of 0');
  await failed.getByLabel('Allow so many more tool calls').fill('2');
  await lab.button('Try again', failed).click();
  await lab.expectRun({ status: 'waiting', nextAction: 'page_technician' });
  await expect(lab.region('Intents')).toContainText('2 of 2, used up');
});

test('another tab does not rob a call that is out; a person may take it over, and its answer comes too late', async ({
  lab,
  newLab,
}) => {
  await lab.open();
  await startDispatch(lab);
  await lab.stepTo(2);
  await setDesk(lab, { delay: '5000' });
  const other = await newLab();
  await other.open();
  await other.button('Look first', other.card).click();
  await setDesk(other, { delay: '0' });
  await lab.page.bringToFront();
  await lab.press('Step');
  await expect(cardOf(lab, 'open_work_order is out')).toBeVisible();

  await other.page.bringToFront();
  await expect(other.page.getByText('The call open_work_order was claimed by session-1')).toBeVisible();
  await other.press('Step');
  const held = other.page.getByRole('status').filter({ hasText: 'session-1 is alive' });
  await expect(held).toContainText('Nothing was done here, so that it is not called twice.');
  await other.button('Look again', held).click();
  await expect(held).toBeVisible();
  await other.button('Take over', held).click();
  await other.expectRun({ version: 3 });
  await expect(held).toBeHidden();
  await expect(lab.page.getByText('was taken over while it was out')).toBeVisible();
  await lab.expectRun({ version: 3 });
  expect(await logLines(lab)).toEqual([
    'request_runbook, work done',
    'open_work_order, work done',
    'open_work_order, key recognised: not done again',
  ]);
  await other.expectInvariantsHold();
  expect((await other.database()).problems()).toEqual([]);
});

test('a run under a changed workflow is left, begun anew, or goes on under the present one: a person chooses', async ({
  lab,
}) => {
  await lab.open();
  await startDispatch(lab);
  await lab.stepTo(1);
  const old = await changedDatabase(lab, `UPDATE run_details SET workflow_version = 0, fingerprint = 'old'`);
  await openDatabase(lab, old);
  const card = cardOf(lab, 'run-T104: its workflow has changed');
  await expect(card).toContainText('was started under the workflow dispatch 0; this page has dispatch 1');
  await expect(lab.button('Step')).toHaveAttribute('aria-disabled', 'true');
  await lab.button('Leave it', card).click();
  await expect(card).toBeHidden();
  await lab.press('Choose again');
  await lab.button('Start a new run', card).click();
  await expect.poll(() => lab.runs()).toEqual(['run-T104 running v1', 'run-T104-2 running v0']);
  await lab.button(/^run-T104 /, lab.region('Runs')).click();
  await lab.button('Go on under dispatch 1', card).click();
  await expect(card).toBeHidden();
  await lab.press('Step');
  await lab.expectRun({ version: 2 });
  expect((await lab.events()).map(({ eventType }) => eventType)).toContain('run_adopted');
});

test('nothing leaves the page before an address is entered; then that tool’s calls go there, with their key', async ({
  lab,
  page,
  watch,
}) => {
  const server = await startToolServer();
  server.answer('/orders', json(200, { work_order: 'X-7' }));
  await lab.open();
  await startDispatch(lab);
  await page.getByText('Where the tools are sent').click();
  const form = page.getByRole('group', { name: 'open_work_order' });
  await form.getByRole('radio', { name: 'an address' }).check();
  await expect(form).toContainText('whoever is there reads them');
  const address = form.getByRole('textbox', { name: 'Address' });
  await address.fill('ftp://example.org/');
  await lab.button('Send it there', form).click();
  await expect(form.getByRole('alert')).toContainText('begins with https:// or http://');
  await expect(address).toBeFocused();
  expect(watch.elsewhere()).toEqual([]);
  await address.fill(`${server.address}/orders`);
  await lab.button('Send it there', form).click();
  await expect(form).toContainText('Its calls leave this device');
  expect(watch.elsewhere()).toEqual([]);

  watch.allow(server.address);
  await lab.press('Run to the end');
  await lab.expectRun({ status: 'waiting', nextAction: 'page_technician' });
  expect(server.calls.map(({ path, headers }) => [path, headers['idempotency-key']])).toEqual([
    ['/orders', expect.stringMatching(/:run-T104:open_work_order$/)],
  ]);
  await expect(cardOf(lab, needsYes)).toContainText('"work_order": "X-7"');
  await expect(lab.region('Intents')).toContainText(`${server.address}/orders`);
  // The choice is kept, and can be taken back.
  await lab.acrossReload(() => page.reload());
  await page.getByText('Where the tools are sent').click();
  await expect(form).toContainText(`Its calls leave this device, to ${server.address}/orders`);
  await form.getByRole('radio', { name: 'the service desk here' }).check();
  await expect(page.getByText('Where the tools are sent: nothing leaves this device')).toBeVisible();
  await server.close();
});
