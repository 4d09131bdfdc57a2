/**
 * Owns: a restart in a few words, and the line about what was stored: what is said at once, by whatever is on screen.
 * Leaves: what is so to restart.ts; the card's own sentences to restart-sentences.ts, which are loaded with it.
 */
import type { Plan, Stored } from './restart.ts';

/** "status=running next_action=lookup_runbook version=1 tool_effect_rows=1" */
export function storedLine(stored: Stored): string {
  return `status=${stored.status} next_action=${stored.nextAction ?? 'none'} version=${stored.version} tool_effect_rows=${stored.effectRows}`;
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
