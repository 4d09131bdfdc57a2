/** Owns: files from elsewhere that are odd, hostile or too large, in the built page: what the person is told, and that nothing happens before a yes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import initSqlJs from 'sql.js';
import { ForeignFiles, lie, lessonRows, lessonTables } from '../support/foreign-files.ts';
import { expect, test } from './fixtures.ts';
import type { LabPage } from './lab-page.ts';

const sql = await initSqlJs();
const files = new ForeignFiles((image) => new sql.Database(image));
const asFile = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(bytes),
});
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const storedBytes = async (lab: LabPage): Promise<string> =>
  digest((await lab.downloadBytes('Download database')).bytes);

/** Looking at it takes many minutes: a rule of the file is asked for each row. */
function endless(): Uint8Array {
  const rows = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)`;
  const quick = files.lesson(
    `CREATE TABLE slow (a, b AS (length(hex(zeroblob(a)))) NOT NULL); ${rows} INSERT INTO slow (a) SELECT 20 FROM n`,
  );
  return files.of(
    lie(`sql = replace(sql, 'zeroblob(a)', 'zeroblob(a * 1000000)') WHERE name = 'slow'`),
    quick,
  );
}

test('triggers, views and further tables are told before anything changes, and run nothing after it', async ({
  lab,
}) => {
  await lab.open();
  await lab.stepTo(1);
  const before = await storedBytes(lab);
  const bytes = files.lesson(`
    CREATE TRIGGER spy AFTER INSERT ON agent_events BEGIN DELETE FROM tool_effects; END;
    CREATE TRIGGER stop BEFORE UPDATE ON agent_runs BEGIN SELECT raise(ABORT, 'no'); END;
    CREATE VIEW forever AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;
    CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT CHECK (length(hex(zeroblob(400000000))) > 0));
    PRAGMA ignore_check_constraints = ON; INSERT INTO notes VALUES (1, 'kept');
    UPDATE agent_events SET sequence = 7 WHERE run_id = 'run-T101';`);
  await lab.choose(asFile('odd.db', bytes));
  await expect(lab.dialog).toContainText('odd.db holds 2 runs, 4 events and 1 saved result');
  await expect(lab.dialog.getByRole('listitem')).toHaveText([
    'Its 2 triggers (spy, stop) are left out: nothing that a file brings along runs here.',
    'Its view forever is left out: nothing that a file brings along runs here.',
    'Its further table notes comes along with all rows, without rules and indexes.',
    'I5 is broken in it (One checkpoint event per version, and sequences without gaps): 1 violation. It is shown as it is.',
  ]);
  await lab.button('Keep mine', lab.dialog).click();
  expect(await lab.runs()).toEqual(['run-T104 running v1']);
  expect(await storedBytes(lab)).toBe(before);

  await lab.choose(asFile('odd.db', bytes));
  await lab.button('Open it', lab.dialog).click();
  await expect(lab.dialog).toBeHidden();
  await expect.poll(() => lab.invariants()).toContain('I5 BROKEN: 1');
  // A gap: the first event is the seventh, and the scrubber goes from event to event.
  await lab.region('Runs').getByRole('button', { name: 'run-T101' }).click();
  await expect(lab.region('Timeline')).toContainText('1 of 1');
  expect((await lab.events()).map((event) => event.sequence)).toEqual([7]);
  await lab.region('Runs').getByRole('button', { name: 'run-T104' }).click();
  await lab.expectRun({ status: 'running', version: 1 });
  await lab.runToTheEnd();
  await lab.expectRun({ version: 4 });
  const database = await lab.database();
  expect(database.rows('SELECT * FROM notes')).toEqual([{ id: 1, body: 'kept' }]);
  expect(database.rows('SELECT count(*) AS n FROM tool_effects')).toEqual([{ n: 2 }]);
  expect(database.rows(`SELECT type FROM sqlite_schema WHERE type NOT IN ('table', 'index')`)).toEqual([]);
});

test('a file of another program is refused in words, and what is stored stays byte for byte', async ({
  lab,
}) => {
  await lab.open();
  await lab.stepTo(2);
  const before = await storedBytes(lab);
  // The others of their kind are told apart in tests/unit/hostile-files.test.ts and hostile-rows.test.ts.
  const refused: readonly (readonly [string, Uint8Array, RegExp])[] = [
    [
      'encrypted.db',
      Uint8Array.from({ length: 8192 }, (_, at) => (at * 7919 + (at >> 3)) & 255),
      /encrypted; then save it without its password/,
    ],
    [
      'lying.db',
      files.lesson(lie(`rootpage = 1 WHERE name = 'agent_runs'`)),
      /its list of tables is damaged/,
    ],
    [
      'cell.db',
      files.lesson(`UPDATE agent_runs SET context_json = hex(zeroblob(1048576))`),
      /context_json holds more than 1 MB/,
    ],
  ];
  for (const [name, bytes, reason] of refused) {
    await lab.choose(asFile(name, bytes));
    await expect(lab.dialog.getByRole('alert')).toContainText(reason);
    await expect(lab.dialog).toContainText('Nothing stored has changed.');
    await lab.button('Understood', lab.dialog).click();
    await expect(lab.dialog).toBeHidden();
  }
  expect(await storedBytes(lab)).toBe(before);
  await expect(lab.button('Undo')).toBeHidden();
  await lab.runToTheEnd();
  await lab.expectInvariantsHold();
});

test('a file in write-ahead mode opens, and says that its latest changes may be missing', async ({
  lab,
}, testInfo) => {
  test.skip(spawnSync('python3', ['--version']).status !== 0, 'No python3 here: it writes in that mode.');
  const path = testInfo.outputPath('half-run.db');
  // The last commit stays in the log beside the file, as after a crash of the program.
  const script = `
import os, shutil, sqlite3, sys
path, tables, rows = sys.argv[1:]
database = sqlite3.connect(path + '.live')
database.execute('PRAGMA journal_mode = WAL')
database.executescript(tables + rows)
database.execute('PRAGMA wal_checkpoint(TRUNCATE)')
database.execute("UPDATE agent_runs SET version = 2")
database.commit()
shutil.copy(path + '.live', path)
os._exit(0)`;
  execFileSync('python3', ['-c', script, path, lessonTables, lessonRows]);
  await lab.open();
  await lab.choose(path);
  await expect(lab.dialog.getByRole('listitem')).toContainText([
    'If a file “half-run.db-wal” lies beside it, the latest changes are in there and missing here',
  ]);
  await lab.button('Open it', lab.dialog).click();
  await lab.expectRun({ status: 'running', version: 1 });
});

test('a file of 200 MB is refused before it is read, with the limit in words', async ({
  lab,
  page,
}, testInfo) => {
  const path = testInfo.outputPath('large.db');
  await writeFile(path, files.lesson());
  const file = await open(path, 'r+');
  await file.truncate(200 * 1024 * 1024);
  await file.close();
  await lab.open();
  const workers = page.workers().length;
  await lab.choose(path);
  await expect(lab.dialog.getByRole('alert')).toHaveText(
    'This file cannot be opened: it is larger than 128 MB.',
  );
  expect(page.workers()).toHaveLength(workers);
  await lab.button('Understood', lab.dialog).click();
  await lab.runToTheEnd();
});

test.describe('with a clock of its own', () => {
  test.use({ ownBrowser: true });

  test('a file that is looked at for too long can be cancelled, and is given up by itself', async ({
    lab,
    page,
  }) => {
    await page.clock.install();
    await lab.open();
    await lab.stepTo(1);
    const before = await storedBytes(lab);
    const file = asFile('endless.db', endless());
    const workers = page.workers().length;
    await lab.choose(file);
    await expect(lab.dialog).toContainText('Looking at the file');
    await lab.button('Cancel', lab.dialog).click();
    await expect(lab.dialog).toBeHidden();
    await expect.poll(() => page.workers().length).toBe(workers);

    await lab.choose(file);
    await expect(lab.dialog).toContainText('Looking at the file');
    await page.clock.fastForward('02:01');
    await expect(lab.dialog.getByRole('alert')).toHaveText(
      'This file cannot be opened: looking at it took longer than 120 seconds.',
    );
    await lab.button('Understood', lab.dialog).click();
    await expect.poll(() => page.workers().length).toBe(workers);
    expect(await storedBytes(lab)).toBe(before);
    await lab.runToTheEnd();
    await lab.expectInvariantsHold();
  });
});

test('the largest lab that opens is shown, stepped and resumed', async ({ lab }, testInfo) => {
  const many = (count: number): string =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const path = testInfo.outputPath('large.db');
  await writeFile(
    path,
    files.lesson(`
      ${many(997)} INSERT INTO agent_runs SELECT 'run-T106-' || i, 'T106', 'completed', NULL, json_object('reply', hex(zeroblob(8000))), 0 FROM n;
      ${many(996)} INSERT INTO agent_events SELECT 'run-T104', i + 3, 'session-' || (i / 20), 'note', 'a', hex(zeroblob(200)), '2026-01-05T09:00:00Z' FROM n;
      ${many(5000)} INSERT INTO tool_effects SELECT 'run-T106-' || (i % 10 + 1) || ':tool:' || i, 'tool', '{"a":"' || hex(zeroblob(300)) || '"}' FROM n;
      INSERT INTO agent_runs SELECT 'run-T104-2', ticket_id, status, next_action, json_set(context_json, '$.more', hex(zeroblob(480000))), version FROM agent_runs WHERE run_id = 'run-T104';`),
  );
  await lab.open();
  await lab.choose(path);
  await expect(lab.dialog).toContainText('holds 1000 runs');
  await lab.button('Open it', lab.dialog).click();
  await lab.expectRun({ status: 'running', version: 1 });
  await lab.press('Step');
  await lab.expectRun({ version: 2 });
  await lab.region('Runs').getByRole('button', { name: 'run-T104 running' }).click();
  await expect(lab.region('agent_events').locator('tbody tr')).toHaveCount(999);
  await lab.press('Step');
  await lab.expectRun({ version: 2 });
});
