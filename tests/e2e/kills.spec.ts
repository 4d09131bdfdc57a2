/**
 * Owns: deaths that nobody simulates: the tab's process is killed at an armed point, and the tab is closed in the
 * middle of commits. What the page showed as saved must be in the database afterwards, and the run completes.
 */
import { setTimeout as elapsed } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { seededRandom } from '../support/random.ts';
import { expect, test } from './fixtures.ts';
import { canKill, killTab, noKill } from './kill.ts';
import type { EventRow, LabPage } from './lab-page.ts';
import { beforeRestart, expectTheLessonOnScreen, lessonBoundary, lessonEvents } from './the-lesson.ts';

test('a tab whose process is killed at the armed point loses nothing that was acknowledged', async ({
  lab,
  page,
  newLab,
  browserOfTest,
  browserName,
}) => {
  test.skip(!canKill(browserName), noKill);
  await lab.open();
  await lab.setting('A crash also reloads the tab', false);
  await lab.arm(lessonBoundary);
  await lab.press('Run to the end');
  await expect(lab.card).toContainText('The worker is dead');
  await expect(lab.card).toContainText(`killed at ${lessonBoundary}`);

  await killTab(page, browserOfTest);

  const next = await newLab();
  await next.open();
  await expect(next.card).toContainText(beforeRestart);
  expect(await next.events()).toEqual(lessonEvents.slice(0, 3));
  await next.button('Resume', next.card).click();
  await expectTheLessonOnScreen(next);
  const database = await next.database();
  expect(database.events('run-T104')).toEqual(lessonEvents);
  expect(database.problems()).toEqual([]);
});

test('a worker that is killed without a reload resumes in the same tab', async ({ lab, page }) => {
  await lab.open();
  await lab.setting('A crash also reloads the tab', false);
  await page.evaluate(() => Object.assign(window, { sameTab: true }));
  await lab.arm(lessonBoundary);
  await lab.press('Run to the end');
  await expect(lab.card).toContainText('The worker is dead');
  await lab.button('Resume', lab.card).click();
  await expectTheLessonOnScreen(lab);
  expect(await page.evaluate(() => 'sameTab' in window)).toBe(true);
});

/** Closes the tab after so many events on screen, or after so many milliseconds from the click. */
type When = { readonly events: number } | { readonly milliseconds: number };

test('closing the tab in the middle of commits, many times, loses nothing that was on screen', async ({
  newLab,
}, { project }) => {
  const [rounds, leastInterrupted] = project.name === 'chromium' ? [8, 3] : [5, 2];
  const random = seededRandom(20_260_105);
  const screen = new Screen();
  let interrupted = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const when: When =
      round % 3 === 0 ? { milliseconds: random.below(250) } : { events: 1 + random.below(5) };
    const lab = await newLab();
    await screen.watch(lab.page);
    await lab.open();
    const shown = await lab.run();
    if (shown?.status === 'running') interrupted += 1;
    const from = screen.count;
    await goOn(lab, shown);
    if ('events' in when) await screen.untilCount(from + when.events);
    else await elapsed(when.milliseconds);
    await lab.page.close();
  }
  const last = await newLab();
  await last.open();
  expect(screen.count, 'events that were on screen').toBeGreaterThan(2 * rounds);
  expect(interrupted, 'rounds whose run was cut off in the middle').toBeGreaterThanOrEqual(leastInterrupted);
  if ((await last.run())?.status === 'running') await last.button('Resume', last.card).click();
  await last.expectRun({ status: 'completed', version: 4 });
  await last.expectInvariantsHold();

  // Each tab is a session: what was lost and done again would bear another one's name.
  const database = await last.database();
  expect(database.problems()).toEqual([]);
  for (const [runId, events] of screen.seen) {
    const stored = database.events(runId);
    for (const event of events.values()) expect(stored).toContainEqual(event);
  }
});

/** Resumes what the last round cut off, or starts another run, and does not wait for its end. */
async function goOn(lab: LabPage, shown: Awaited<ReturnType<LabPage['run']>>): Promise<void> {
  if (shown?.status === 'running') return lab.button('Resume', lab.card).click();
  if (shown !== null) {
    await lab.press('Start another run (T104)');
    await lab.expectRun({ version: 0 });
  }
  await lab.press('Run to the end');
}

/** What was on screen in any tab, from the moment it was: whatever is here was shown before the tab died. */
class Screen {
  /** By run, then by sequence. */
  readonly seen = new Map<string, Map<number, EventRow>>();
  readonly #waiting = new Set<() => void>();
  #ended = false;

  /** How many events were seen, over all runs and tabs. */
  get count(): number {
    return [...this.seen.values()].reduce((sum, events) => sum + events.size, 0);
  }

  /** Resolves when so many were seen, or when the run that is shown has ended. */
  untilCount(wanted: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        if (this.count < wanted && !this.#ended) return;
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      wake();
    });
  }

  /** Before the page is opened. */
  async watch(page: Page): Promise<void> {
    await page.exposeFunction('tellTheTest', (runId: string, rows: readonly (readonly string[])[]) => {
      this.#tell(runId, rows);
    });
    await page.addInitScript(tellOfEvents);
  }

  #tell(runId: string, rows: readonly (readonly string[])[]): void {
    const events = this.seen.get(runId) ?? new Map<number, EventRow>();
    this.seen.set(runId, events);
    for (const [sequence = '', session = '', eventType = '', action = '', detail = ''] of rows) {
      events.set(Number(sequence), { sequence: Number(sequence), session, eventType, action, detail });
    }
    this.#ended = rows.some((row) => row.includes('finish'));
    for (const wake of this.#waiting) wake();
  }
}

/** Runs on the page. */
function tellOfEvents(): void {
  let told = '';
  new MutationObserver(() => {
    const runId = document.querySelector('main h1 .mono')?.textContent ?? '';
    const table = [...document.querySelectorAll('section')].find(
      (section) => section.querySelector('h2')?.textContent === 'agent_events',
    );
    const rows = [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent.replace(/[^\w:.\- ]/g, '').trim()),
    );
    const text = JSON.stringify([runId, rows]);
    if (rows.length === 0 || text === told) return;
    told = text;
    const { tellTheTest } = window as unknown as { tellTheTest: (run: string, shown: string[][]) => void };
    tellTheTest(runId, rows);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
