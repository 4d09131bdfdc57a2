/**
 * Owns: a commit in words, short enough for a mark.
 * Leaves: each of its events in words to ui/event-words.ts.
 */
import type { Commit } from '../bridge/commits.ts';

/** The action that the commit is about; null: it is about the run. */
export function actionOf({ boundary }: Commit): string | null {
  return boundary.includes('.') ? (boundary.split('.')[0] ?? null) : null;
}

/** "event 3", "events 5 and 6" */
export function sequencesOf({ events }: Commit): string {
  const sequences = events.map((event) => event.sequence).join(' and ');
  return `${events.length === 1 ? 'event' : 'events'} ${sequences}`;
}
