/**
 * Owns: finding the event that a commit of the SQL log wrote, by the values that it bound.
 * Leaves: the log to bridge/statement-log.ts.
 */
import type { LoggedCommit } from '../../bridge/statement-log.ts';
import type { AgentEvent } from '../../engine/records.ts';

/** The first event of this run that the commit wrote; null: it wrote none, or is undone. */
export function eventOf(commit: LoggedCommit, events: readonly AgentEvent[]): AgentEvent | null {
  if (commit.outcome === 'undone' || commit.outcome === 'again') return null;
  for (const { sql, values } of commit.statements) {
    if (!/^INSERT INTO agent_events\b/i.test(sql)) continue;
    const found = events.find(
      (event) =>
        [event.runId, event.session, event.eventType, event.action, event.detail, event.createdAtUtc]
          .map((text) => `'${text.replaceAll("'", "''")}'`)
          .join() === values.slice(0, 6).join(),
    );
    if (found) return found;
  }
  return null;
}
