/** Owns: what a new view is worth saying to somebody who does not see it; pure. Leaves: the events' words to ui/. */
import type { LabView } from '../bridge/views.ts';
import { eventSentence } from '../ui/event-words.ts';

/** Null: nothing that is new. The first view is none. */
export function newsIn(view: LabView, previous: LabView | null): string | null {
  if (previous === null) return null;
  const out = view.selected?.intents.find(({ isOut }) => isOut);
  if (out) return `The call ${out.action} is out.`;
  const last = view.selected?.events.at(-1);
  if (last === undefined) return null;
  const sameRun = previous.selected?.run.runId === last.runId;
  const isNew = !sameRun || last.sequence !== previous.selected?.events.at(-1)?.sequence;
  return isNew ? eventSentence(last) : null;
}
