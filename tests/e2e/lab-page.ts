/**
 * Owns: the lab as a person finds their way on it, by names of controls and regions; and what it shows, as data.
 * Leaves: what should be there to the tests; the stored truth to database-file.ts.
 */
import type { Locator, Page } from '@playwright/test';
import { DatabaseFile } from './database-file.ts';
import { downloaded, type Downloaded } from './download.ts';
import { expect } from './expect.ts';

export interface EventRow {
  readonly sequence: number;
  readonly session: string;
  readonly eventType: string;
  readonly action: string;
  readonly detail: string;
}

export type Speed = 'slow' | 'normal' | 'fast' | 'instant';

export class LabPage {
  readonly page: Page;
  /** Without a hash. */
  readonly address: string;

  constructor(page: Page, address: string) {
    this.page = page;
    this.address = address;
  }

  // ---- finding

  button(name: string | RegExp, inside: Page | Locator = this.page): Locator {
    return inside.getByRole('button', { name, exact: true });
  }

  region(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** What was stored before the restart, and what happens now. */
  get card(): Locator {
    return this.page.locator('section[aria-labelledby="restart-title"]');
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  // ---- doing

  /** Opens the lab and waits until a worker is alive. */
  async open(): Promise<void> {
    await this.page.goto(`${this.address}#/lab`);
    await this.ready();
  }

  async ready(): Promise<void> {
    await expect.poll(() => this.page.getByText(/LIVE/).isVisible(), { timeout: 30_000 }).toBe(true);
  }

  async press(name: string): Promise<void> {
    await this.button(name).click();
  }

  /** Steps until the run has this version; the first step of all starts it. */
  async stepTo(version: number): Promise<void> {
    for (let at = (await this.run())?.version ?? -1; at < version; at += 1) {
      await this.press('Step');
      await this.expectRun({ version: at + 1 });
    }
  }

  async runToTheEnd(): Promise<void> {
    await this.press('Run to the end');
    await this.expectRun({ status: 'completed' });
  }

  async arm(boundary: string, often: 'once' | 'every time' = 'once'): Promise<void> {
    await this.press('Crash at…');
    await this.dialog.locator(`input[type=radio][value="${boundary}"]`).check();
    await this.dialog.getByRole('radio', { name: often === 'once' ? 'once' : /every time/ }).check();
    await this.button(`Arm ${boundary}`, this.dialog).click();
    await expect(this.page.getByText(`armed at ${boundary}, ${often}`)).toBeVisible();
  }

  /** Does something that makes the tab reload, and waits for the new page's worker. */
  async acrossReload(act: () => Promise<unknown>): Promise<void> {
    await this.page.evaluate(() => {
      Object.assign(window, { beforeTheReload: true });
    });
    const loaded = this.page.waitForEvent('load');
    await act();
    await loaded;
    expect(await this.page.evaluate(() => 'beforeTheReload' in window)).toBe(false);
    await this.ready();
  }

  async setting(name: string, on: boolean): Promise<void> {
    await this.inSettings((panel) => panel.getByRole('checkbox', { name }).setChecked(on));
  }

  async speed(speed: Speed): Promise<void> {
    await this.inSettings((panel) => panel.getByRole('radio', { name: speed, exact: true }).check());
  }

  private async inSettings(act: (panel: Locator) => Promise<void>): Promise<void> {
    await this.press('Settings');
    await act(this.page.getByRole('dialog', { name: 'Settings' }));
    await this.press('Settings');
    await expect(this.page.getByRole('dialog', { name: 'Settings' })).toBeHidden();
  }

  // ---- reading

  /** The row of agent_runs that is shown; null without a run. */
  async run(): Promise<{
    readonly status: string;
    readonly nextAction: string;
    readonly version: number;
  } | null> {
    const rows = this.region('agent_runs').getByRole('row');
    if ((await rows.count()) === 0) return null;
    const cells = await rows.evaluateAll((all) =>
      all.map((row) => [
        row.querySelector('th')?.textContent.trim() ?? '',
        (row.querySelector('td > strong') ?? row.querySelector('td'))?.textContent.trim() ?? '',
      ]),
    );
    const row = Object.fromEntries(cells) as Record<string, string | undefined>;
    return {
      status: row['status'] ?? '',
      nextAction: row['next_action'] ?? '',
      version: Number(row['version']),
    };
  }

  async expectRun(part: { status?: string; nextAction?: string; version?: number }): Promise<void> {
    await expect.poll(() => this.run(), { timeout: 20_000 }).toMatchObject(part);
  }

  async events(): Promise<readonly EventRow[]> {
    const rows = await this.region('agent_events')
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())),
      );
    return rows.map(([sequence = '', session = '', eventType = '', action = '', detail = '']) => ({
      sequence: Number(sequence.replace(/^\D+/, '')),
      session: session.replace(/^\W+/, ''),
      eventType,
      action,
      detail,
    }));
  }

  /** The report's lines; the first one names the versions in use. */
  async report(): Promise<readonly string[]> {
    return (await this.region('Report').locator('pre').innerText()).split('\n');
  }

  /** Every invariant on screen: "I1 ok". */
  async invariants(): Promise<readonly string[]> {
    return this.region('Invariants')
      .locator('summary')
      .evaluateAll((all) =>
        all.map(
          (one) => `${one.querySelector('strong')?.textContent} ${one.querySelector('.chip')?.textContent}`,
        ),
      );
  }

  async expectInvariantsHold(): Promise<void> {
    const held = ['I1 ok', 'I2 ok', 'I3 ok', 'I4 ok', 'I5 ok', 'I6 ok', 'I7 ok', 'I8 ok'];
    await expect.poll(() => this.invariants()).toEqual(held);
  }

  /** The keys of the calls that the outside world received, in its order. */
  async calls(): Promise<readonly string[]> {
    const lines = await this.region('Outside world').locator('ol > li summary > .mono').allTextContents();
    return lines.map((line) => line.trim().replace(/^\d+\. /, ''));
  }

  /** The runs in the list: "run-T104 completed v4". */
  async runs(): Promise<readonly string[]> {
    const lines = await this.region('Runs').getByRole('listitem').allInnerTexts();
    return lines.map((line) => line.replace(/\s+/g, ' ').trim());
  }

  downloadBytes(button: string): Promise<Downloaded> {
    return downloaded(this.page, () => this.press(button));
  }

  /** The stored database, read by an SQLite of the test's own. */
  async database(): Promise<DatabaseFile> {
    return DatabaseFile.read((await this.downloadBytes('Download database')).bytes);
  }

  async choose(file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.press('Open database…');
    await (await chooser).setFiles(file);
  }
}
