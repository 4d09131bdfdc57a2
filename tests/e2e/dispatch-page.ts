/**
 * Owns: finding one's way among what Dispatch adds to the lab: its cards, the outbox, the desk's settings.
 * Leaves: the lab around it to lab-page.ts, what should be there to the tests.
 */
import type { Locator } from '@playwright/test';
import initSqlJs from 'sql.js';
import { expect } from './expect.ts';
import type { LabPage } from './lab-page.ts';

/** The card whose heading this is. */
export function cardOf(lab: LabPage, heading: string): Locator {
  return lab.page.getByRole('region', { name: heading, exact: true });
}

/** Starts Dispatch for the ticket on screen; its run is the one on screen then, at version 0. */
export async function startDispatch(lab: LabPage): Promise<void> {
  await lab.press('Start Dispatch');
  await lab.expectRun({ status: 'running', nextAction: 'classify_priority', version: 0 });
}

export interface DeskWishes {
  readonly honoursKeys?: boolean;
  readonly answersStatus?: boolean;
  readonly delay?: '0' | '5000';
  readonly trouble?: 'none' | 'fails_before' | 'loses_answer';
  readonly times?: 'with the next call only' | 'always';
}

export async function setDesk(lab: LabPage, wishes: DeskWishes): Promise<void> {
  const { honoursKeys, answersStatus, delay, trouble, times } = wishes;
  const form = lab.page.getByRole('group', { name: 'How the desk behaves' });
  if (!(await form.isVisible())) await lab.page.getByText('How the desk behaves').first().click();
  if (honoursKeys !== undefined) await form.getByLabel('Honours').setChecked(honoursKeys);
  if (answersStatus !== undefined) await form.getByLabel('Can be asked').setChecked(answersStatus);
  if (delay !== undefined) await form.getByLabel('Answers after').selectOption(delay);
  if (trouble !== undefined) await form.getByLabel('Trouble', { exact: true }).selectOption(trouble);
  if (times !== undefined) await form.getByRole('radio', { name: times }).check();
}

/** The lines of the outside world's log: key, and what became of the work and of the answer. */
export async function logLines(lab: LabPage): Promise<readonly string[]> {
  const lines = lab.region('Outside world').locator('ol > li > details > summary');
  const texts = await lines.evaluateAll((all) =>
    all.map((one) => [
      one
        .querySelector('.mono')
        ?.textContent.trim()
        .replace(/^\d+\. [^:]+:/, '') ?? '',
      ...[...one.querySelectorAll('.chip, .twice')].map((said) => said.textContent.trim()),
    ]),
  );
  return texts.map((parts) => parts.join(', '));
}

/** The stored database after this SQL, as a file for the page to open. */
export async function changedDatabase(lab: LabPage, sql: string): Promise<Buffer> {
  const { bytes } = await lab.downloadBytes('Download database');
  const database = new (await initSqlJs()).Database(bytes);
  database.exec(sql);
  const changed = Buffer.from(database.export());
  database.close();
  return changed;
}

export async function openDatabase(lab: LabPage, buffer: Buffer): Promise<void> {
  await lab.choose({ name: 'changed.db', mimeType: 'application/vnd.sqlite3', buffer });
  await lab.button('Open it', lab.dialog).click();
  await expect(lab.dialog).toBeHidden();
}
