/**
 * Owns: which finished runs go, by the time and the size that the reader has set, and saying so.
 * Leaves: deleting them to the engine. The run on screen always stays: somebody looks at it.
 */
import type { FinishedRun, LabView } from '../bridge/views.ts';
import { bytesInWords, counted } from '../ui/formats.ts';
import type { Lab } from './lab.svelte.ts';

const dayMs = 86_400_000;
const megabyte = 1024 * 1024;

/** Those that ended more than so many days before `now` (UTC). One without events has no known end: it stays. */
export function tooOld(
  finished: readonly FinishedRun[],
  days: number,
  now: string,
  shown: string | null,
): readonly string[] {
  const limit = Date.parse(now) - days * dayMs;
  return finished
    .filter(({ runId, finishedAtUtc }) => {
      return runId !== shown && finishedAtUtc !== null && Date.parse(finishedAtUtc) < limit;
    })
    .map(({ runId }) => runId);
}

/** The oldest ones, as many as a database of this size has probably too many; none where it is not too large. */
export function tooMany(
  finished: readonly FinishedRun[],
  { bytes, runs }: { readonly bytes: number; readonly runs: number },
  megabytes: number,
  shown: string | null,
): readonly string[] {
  const excess = bytes - megabytes * megabyte;
  if (excess <= 0) return [];
  const count = Math.ceil((excess / bytes) * runs);
  return finished
    .filter(({ runId }) => runId !== shown)
    .slice(0, count)
    .map(({ runId }) => runId);
}

/** "2 finished runs older than 7 days were deleted; 12 KB came back." `which`: with a space before it, or "". */
export function deletedSentence(count: number, which: string, bytesBack: number): string {
  const back = bytesBack > 0 ? `${bytesInWords(bytesBack)} came back` : 'the database is as large as before';
  return `${counted(count, 'finished run')}${which} ${count === 1 ? 'was' : 'were'} deleted; ${back}.`;
}

/** Null: it was not done, and the reason is on screen. */
export async function deleteRuns(lab: Lab, runIds: readonly string[], which = ''): Promise<LabView | null> {
  const before = lab.view;
  const view = await lab.show(
    (agent) => agent.request('deleteRuns', { runIds }),
    () => void deleteRuns(lab, runIds, which),
  );
  if (view === null || before === null) return null;
  const back = before.storage.bytes - view.storage.bytes;
  const count = before.counts.runs - view.counts.runs;
  if (count > 0) lab.said = lab.note = deletedSentence(count, which, back);
  return view;
}

export async function deleteBeyond(lab: Lab): Promise<void> {
  const { keepDays, keepMegabytes } = lab.ports.settings.current;
  let view = lab.view;
  if (view === null) return;
  if (keepDays !== null) {
    const old = tooOld(view.finished, keepDays, lab.ports.now(), shownIn(view));
    const which = ` older than ${counted(keepDays, 'day')}`;
    if (old.length > 0) view = await deleteRuns(lab, old, which);
  }
  while (view !== null && keepMegabytes !== null) {
    const { bytes } = view.storage;
    const many = tooMany(view.finished, { bytes, runs: view.counts.runs }, keepMegabytes, shownIn(view));
    if (many.length === 0) return;
    view = await deleteRuns(lab, many, `, the oldest of a database larger than ${keepMegabytes} MB,`);
    // What takes the room is something else.
    if (view !== null && view.storage.bytes >= bytes) return;
  }
}

function shownIn(view: LabView): string | null {
  return view.selected?.run.runId ?? null;
}
