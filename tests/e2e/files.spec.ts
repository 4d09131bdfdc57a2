/** Owns: what goes in and out as files, what a reset deletes and Undo brings back, and several runs in one database. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { DatabaseFile } from './database-file.ts';
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';
import { crashAsInTheLesson, finalReply, lessonEvents } from './the-lesson.ts';

const noPython = spawnSync('python3', ['--version']).status !== 0;
const support = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
const python = (...args: readonly string[]): string =>
  execFileSync('python3', [...args], { encoding: 'utf8' });

const asFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

async function openFile(lab: LabPage, file: Parameters<LabPage['choose']>[0]): Promise<void> {
  await lab.choose(file);
  await lab.button('Open it', lab.dialog).click();
  await expect(lab.dialog).toBeHidden();
}

test('a database downloaded half-way is resumed by a Python program and shown here again', async ({
  lab,
}, testInfo) => {
  test.skip(noPython, 'No python3 here: the program that resumes the run needs it.');
  await lab.open();
  await crashAsInTheLesson(lab);
  await lab.button('Cancel', lab.card).click();
  const { name, bytes } = await lab.downloadBytes('Download database');
  expect(name).toMatch(/\.db$/);
  const file = testInfo.outputPath('half-way.db');
  await writeFile(file, bytes);

  const said: unknown = JSON.parse(python(support('resume_run.py'), file, 'run-T104'));
  expect(said).toEqual({
    status: 'completed',
    version: 4,
    reply: finalReply,
    events: lessonEvents.map((event) => event.eventType),
    integrity: 'ok',
  });

  await lab.choose(file);
  await expect(lab.dialog).toContainText('holds 1 run, 9 events and 2 saved results');
  await lab.button('Open it', lab.dialog).click();
  await lab.expectRun({ status: 'completed', nextAction: 'NULL', version: 4 });
  expect(await lab.events()).toEqual(lessonEvents);
  expect((await lab.report()).at(-1)).toBe(`final reply: ${finalReply}`);
  await lab.expectInvariantsHold();
});

test('a database of three tables, made by Python in the middle of a run, is resumed here with its saved result', async ({
  lab,
}, testInfo) => {
  test.skip(noPython, 'No python3 here: the program that makes the database needs it.');
  const file = testInfo.outputPath('half-run.db');
  python(
    support('make_half_run.py'),
    fileURLToPath(new URL('../../static/schema.sql', import.meta.url)),
    file,
  );
  const given = await DatabaseFile.read(await readFile(file));
  expect(given.rows(`SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table'`)).toEqual([{ n: 3 }]);

  await lab.open();
  await lab.choose(file);
  await expect(lab.dialog).toContainText('1 run stands in the middle and can be resumed here');
  await lab.button('Open it', lab.dialog).click();
  await lab.expectRun({ status: 'running', nextAction: 'lookup_runbook', version: 1 });
  await lab.runToTheEnd();
  await lab.expectRun({ version: 4 });

  const events = await lab.events();
  expect(events.slice(0, 3)).toEqual(lessonEvents.slice(0, 3));
  expect(
    events.slice(3).map(({ session, eventType, action }) => `${session} ${eventType} ${action}`),
  ).toEqual([
    'session-2 run_adopted adopt',
    'session-2 run_resumed resume',
    'session-2 tool_reused lookup_runbook',
    'session-2 checkpoint_saved lookup_runbook',
    'session-2 tool_executed draft_reply',
    'session-2 checkpoint_saved draft_reply',
    'session-2 checkpoint_saved finish',
  ]);
  expect(await lab.calls()).toEqual(['run-T104:draft_reply']);
  await lab.expectInvariantsHold();
  const database = await lab.database();
  expect(database.problems()).toEqual([]);
  expect(database.rows('PRAGMA table_info(agent_events)')).toEqual(
    given.rows('PRAGMA table_info(agent_events)'),
  );
});

test('a file that is no such database is refused with the reason, and nothing stored changes', async ({
  lab,
}) => {
  await lab.open();
  await lab.stepTo(2);
  const before = await lab.downloadBytes('Download database');
  const twoTables = await DatabaseFile.make((database) => database.run('DROP TABLE tool_effects'));
  const refused: readonly (readonly [string, Buffer, RegExp])[] = [
    ['notes.db', Buffer.from('This is no database.\n'.repeat(300)), /not an SQLite database/],
    ['cut-off.db', before.bytes.subarray(0, before.bytes.length - 5000), /cut off/],
    ['two-tables.db', twoTables, /no table tool_effects/],
  ];
  for (const [name, buffer, reason] of refused) {
    await lab.choose(asFile(name, buffer));
    await expect(lab.dialog).toContainText('This file cannot be opened');
    await expect(lab.dialog).toContainText(name);
    await expect(lab.dialog.getByRole('alert')).toContainText(reason);
    await lab.button('Understood', lab.dialog).click();
    await expect(lab.dialog).toBeHidden();
  }
  expect(await lab.runs()).toEqual(['run-T104 running v2']);
  expect((await lab.downloadBytes('Download database')).bytes.equals(before.bytes)).toBe(true);
  await expect(lab.button('Undo')).toBeHidden();
  await lab.runToTheEnd();
  await lab.expectInvariantsHold();
});

test('Reset lab says what it deletes, and Undo brings it back, also after a reload, until the next run starts', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.runToTheEnd();
  await lab.press('Start another run (T104)');
  await lab.expectRun({ version: 0 });
  await lab.stepTo(1);
  const runs = ['run-T104 completed v4', 'run-T104-2 running v1'];
  expect(await lab.runs()).toEqual(runs);
  const before = await lab.database();
  const tables = ['agent_runs', 'agent_events', 'tool_effects'];
  const content = (database: DatabaseFile) => tables.map((table) => database.rows(`SELECT * FROM ${table}`));

  const reset = async (): Promise<void> => {
    await lab.press('Reset lab');
    await expect(lab.dialog).toContainText('This deletes 2 runs, 9 events and 2 saved results.');
    await lab.button('Delete 2 runs', lab.dialog).click();
    await expect(lab.region('Runs')).toContainText('No run yet');
  };

  await lab.press('Reset lab');
  await lab.button('Keep it', lab.dialog).click();
  expect(await lab.runs()).toEqual(runs);

  await reset();
  expect((await lab.database()).rows('SELECT * FROM agent_runs')).toEqual([]);
  await lab.press('Undo');
  await expect.poll(() => lab.runs()).toEqual(runs);
  await expect(lab.button('Undo')).toBeHidden();

  await reset();
  await lab.acrossReload(() => page.reload());
  await lab.press('Undo');
  await expect.poll(() => lab.runs()).toEqual(runs);
  expect(content(await lab.database())).toEqual(content(before));

  await reset();
  await lab.press('Step');
  await lab.expectRun({ version: 0 });
  await expect(lab.button('Undo')).toBeHidden();
  expect((await lab.events())[0]?.session).toBe('session-1');
  await lab.acrossReload(() => page.reload());
  await expect(lab.button('Undo')).toBeHidden();
  expect(await lab.runs()).toEqual(['run-T104 running v0']);
});

test('opening a file can be undone, too', async ({ lab }) => {
  await lab.open();
  await lab.runToTheEnd();
  const empty = await DatabaseFile.make(() => undefined);
  await openFile(lab, asFile('empty-tables.db', empty));
  await expect(lab.region('Runs')).toContainText('No run yet');
  await lab.press('Undo');
  await expect.poll(() => lab.runs()).toEqual(['run-T104 completed v4']);
  await lab.expectInvariantsHold();
});

test('all six tickets run in one database, each with the priority that the rule gives', async ({ lab }) => {
  await lab.open();
  const tickets = ['T101', 'T102', 'T103', 'T104', 'T105', 'T106'];
  for (const ticket of tickets) {
    await lab.region('Tickets').getByRole('button', { name: ticket }).click();
    await expect(lab.button(`Start ${ticket}`)).toBeVisible();
    await lab.runToTheEnd();
    await expect(lab.region('Runs').locator('[aria-pressed=true]')).toContainText(`run-${ticket}`);
  }
  expect(await lab.runs()).toEqual(tickets.map((ticket) => `run-${ticket} completed v4`));

  await lab.region('Runs').getByRole('button', { name: 'run-T102' }).click();
  await expect(lab.region('Report')).toContainText(
    'final reply: Priority: normal. Next step: Replace the scale battery',
  );
  const database = await lab.database();
  const priorities = database.rows(
    `SELECT json_extract(context_json, '$.priority') AS p FROM agent_runs ORDER BY ticket_id`,
  );
  expect(priorities.map((row) => row['p'])).toEqual([
    'normal',
    'normal',
    'urgent',
    'urgent',
    'urgent',
    'urgent',
  ]);
  expect(database.problems()).toEqual([]);
  await lab.expectInvariantsHold();
});

test('text with markup, quotes and formulas is shown as text, and is harmless in SQL and CSV', async ({
  lab,
  page,
}) => {
  const issue = `<img src=x onerror="document.title='hurt'"> it's; DROP TABLE agent_runs; --`;
  const details = [
    issue,
    "=cmd|' /C calc'!A0",
    '+1+1',
    '-2+3',
    '@SUM(1)',
    '\t=1',
    `a "quoted", 'line'\nand another`,
  ];
  const file = await DatabaseFile.make((database) => {
    const context = {
      ticket: {
        ticket_id: 'T104',
        area: 'cold storage',
        issue,
        outage_minutes: 18,
        safety_impact: 'yes',
        expected_priority: 'urgent',
      },
    };
    database.run('INSERT INTO agent_runs VALUES (?, ?, ?, ?, ?, ?)', [
      'run-T104',
      'T104',
      'running',
      'classify_priority',
      JSON.stringify(context),
      0,
    ]);
    for (const [at, detail] of details.entries()) {
      database.run('INSERT INTO agent_events VALUES (?, ?, ?, ?, ?, ?, ?)', [
        'run-T104',
        at + 1,
        'session-1',
        at === 0 ? 'run_started' : 'note',
        '<b>start</b>',
        detail,
        '2026-01-05T09:00:00.000Z',
      ]);
    }
  });
  await lab.open();
  await openFile(lab, asFile('strange.db', file));
  await expect.poll(async () => (await lab.events()).length).toBe(details.length);
  expect((await lab.events()).map((event) => event.detail.replace(/\s+/g, ' '))).toEqual(
    details.map((detail) => detail.replace(/\s+/g, ' ').trim()),
  );
  await lab.region('agent_runs').locator('summary').click();
  await expect(lab.region('agent_runs')).toContainText('<img src=x onerror=');

  await lab.runToTheEnd();
  await lab.expectRun({ version: 4 });
  await expect(page.locator('main img, main b')).toHaveCount(0);
  expect(await page.title()).not.toBe('hurt');

  const { bytes } = await lab.downloadBytes('Download trace (CSV)');
  const [, ...lines] = Papa.parse<string[]>(bytes.toString('utf8').trimEnd()).data;
  const cells = lines.slice(0, details.length).map((line) => line[5] ?? '');
  expect(cells[0]).toBe(issue);
  expect(cells.at(-1)).toBe(details.at(-1));
  for (const [at, cell] of cells.entries()) {
    expect(cell.replace(/^'/, '')).toBe(details[at]);
    expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
  }
  const database = await lab.database();
  expect(
    database
      .events('run-T104')
      .slice(0, details.length)
      .map((event) => event.detail),
  ).toEqual(details);
  expect(database.problems()).toEqual([]);
});
