/**
 * Owns: the words about a death, and the line about what was stored: what is said at once, by whatever is on screen.
 * Leaves: what is so to restart.ts; the card's own sentences to restart-sentences.ts, which are loaded with it.
 */
import { sentenceFor } from '../ui/sentences.ts';
import type { Cause, Plan, Stored } from './restart.ts';

/** "status=running next_action=lookup_runbook version=1 tool_effect_rows=1" */
export function storedLine(stored: Stored): string {
  return `status=${stored.status} next_action=${stored.nextAction ?? 'none'} version=${stored.version} tool_effect_rows=${stored.effectRows}`;
}

export function causeSentence(cause: Cause): string {
  switch (cause.type) {
    case 'boundary':
      return `The worker was killed at ${cause.boundary}.`;
    case 'crash-now':
      return 'The worker was killed by “Crash now”, whatever it was doing.';
    case 'reload':
      return 'The tab was reloaded or died while the run was under way.';
    case 'earlier-visit':
      return 'This tab was opened while the run was under way: left so in an earlier visit, or at work in another tab.';
    case 'unplanned':
      return sentenceFor(cause.failure).says;
  }
}

export function planTitle(plan: Plan, status: string): string {
  switch (plan.type) {
    case 'nothing-stored':
      return 'Nothing to resume';
    case 'none-under-way':
      return 'No run was under way';
    case 'already-completed':
      return 'The run was complete already';
    case 'has-failed':
      return 'The run had failed already';
    case 'waits-for-person':
      return 'The run waits for a person';
    case 'asks':
    case 'countdown':
      return 'An unfinished run was found';
    case 'taken-up-elsewhere':
      return 'Another tab took it up';
    case 'finished-elsewhere':
      return 'Finished in another tab';
    case 'resumed':
      return status === 'completed' ? 'Resumed and completed' : 'Resumed';
  }
}
