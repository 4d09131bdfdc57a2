/** Owns: the lesson's run as it must come out: the nine events and the report, word for word; and doing it. */
import { expect } from './expect.ts';
import type { EventRow, LabPage } from './lab-page.ts';

export const lessonBoundary = 'lookup_runbook.tool.durable';

export const beforeRestart = 'status=running next_action=lookup_runbook version=1 tool_effect_rows=1';

export const lessonEvents: readonly EventRow[] = [
  [1, 'session-1', 'run_started', 'start', 'T104'],
  [2, 'session-1', 'checkpoint_saved', 'classify_priority', 'version 1'],
  [3, 'session-1', 'tool_executed', 'lookup_runbook', 'run-T104:lookup_runbook'],
  [4, 'session-2', 'run_resumed', 'resume', 'loaded durable state'],
  [5, 'session-2', 'tool_reused', 'lookup_runbook', 'run-T104:lookup_runbook'],
  [6, 'session-2', 'checkpoint_saved', 'lookup_runbook', 'version 2'],
  [7, 'session-2', 'tool_executed', 'draft_reply', 'run-T104:draft_reply'],
  [8, 'session-2', 'checkpoint_saved', 'draft_reply', 'version 3'],
  [9, 'session-2', 'checkpoint_saved', 'finish', 'version 4'],
].map(([sequence, session, eventType, action, detail]) => ({
  sequence: Number(sequence),
  session: String(session),
  eventType: String(eventType),
  action: String(action),
  detail: String(detail),
}));

export const versionsLine =
  /^tested browser: (Chrom(e|ium)|Firefox) \d+ \| SQLite: \d+\.\d+\.\d+ \| sql\.js: \d+\.\d+\.\d+$/;

export const finalReply =
  'Priority: urgent. Next step: Check the gateway heartbeat, then ask a technician to inspect the sensor.';

/** The report without its first line. */
export const lessonReport: readonly string[] = [
  'tickets checked: 6 | priority rules matched: 6',
  `before restart: ${beforeRestart}`,
  'after restart: status=completed next_action=none version=4',
  'lookup_runbook: attempts=2 executions=1 saved_results_reused=1',
  'durable events: 9 across 2 sessions',
  `final reply: ${finalReply}`,
];

/** Runs T104 in an open, empty lab until the lesson's crash, which reloads the tab. The card then stands there. */
export async function crashAsInTheLesson(lab: LabPage): Promise<void> {
  await lab.arm(lessonBoundary);
  await lab.acrossReload(async () => {
    await lab.press('Run to the end');
    await lab.press('Reload at once');
  });
  await expect(lab.card).toContainText(beforeRestart);
}

/** The lesson's whole run; the card's button resumes, so that no countdown need be awaited. */
export async function doTheLesson(lab: LabPage): Promise<void> {
  await crashAsInTheLesson(lab);
  await lab.button('Resume', lab.card).click();
  await lab.expectRun({ status: 'completed', nextAction: 'NULL', version: 4 });
}

/** What the lesson's run must have left on screen. */
export async function expectTheLessonOnScreen(lab: LabPage): Promise<void> {
  await lab.expectRun({ status: 'completed', nextAction: 'NULL', version: 4 });
  expect(await lab.events()).toEqual(lessonEvents);
  const [versions, ...report] = await lab.report();
  expect(versions).toMatch(versionsLine);
  expect(report).toEqual(lessonReport);
  expect(await lab.calls()).toEqual(['run-T104:lookup_runbook', 'run-T104:draft_reply']);
  await lab.expectInvariantsHold();
}
