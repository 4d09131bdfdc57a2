/**
 * Owns: the report of a run: facts computed from the tables by queries, one a line, never typed in.
 * Leaves: the first line, with the versions in use, to the page.
 */
import { decodeJson, isJsonObject } from '../engine/json.ts';
import type { Reader } from '../engine/ports.ts';
import type { Run } from '../engine/records.ts';
import { reservedActions } from '../engine/records.ts';
import { findAction, type Workflow } from '../engine/workflow.ts';
import type { Ticket } from './ticket.ts';
import { priorityOf } from './ticket.ts';
import { triage } from './workflow.ts';

const countBefore = `SELECT COUNT(*) AS n FROM agent_events WHERE run_id = ? AND event_type = ? AND sequence < ?`;

/** The lines in the words of the contract. A fact that does not exist yet is said to be missing. */
export function reportLines(
  reader: Reader,
  tickets: readonly Ticket[],
  run: Run,
  workflow: Workflow | null = triage,
): readonly string[] {
  const totals = reader.get(
    'SELECT COUNT(*) AS events, COUNT(DISTINCT session) AS sessions FROM agent_events WHERE run_id = ?',
    [run.runId],
  );
  const before = beforeRestart(reader, run, workflow);
  const now = `status=${run.status} next_action=${run.nextAction ?? 'none'} version=${String(run.version)}`;
  return [
    ticketsLine(tickets),
    `before restart: ${before ?? 'no restart yet'}`,
    before === null ? `now: ${now}` : `after restart: ${now}`,
    ...(workflow === triage ? [lookupLine(reader, run.runId)] : callLines(reader, run.runId)),
    `durable events: ${String(totals?.['events'])} across ${String(totals?.['sessions'])} sessions`,
    `final reply: ${finalReply(run) ?? 'none yet'}`,
  ];
}

function lookupLine(reader: Reader, runId: string): string {
  const lookups = countByType(reader, runId, 'lookup_runbook');
  const executions = lookups('tool_executed');
  const reuses = lookups('tool_reused');
  return `lookup_runbook: attempts=${String(executions + reuses)} executions=${String(executions)} saved_results_reused=${String(reuses)}`;
}

/** A line for each call of the world outside: how often it was claimed, how often its result was recorded. */
function callLines(reader: Reader, runId: string): readonly string[] {
  return reader
    .all(
      `SELECT i.action, i.state, COUNT(DISTINCT a.fence) AS attempts, COUNT(DISTINCT t.idempotency_key) AS results
       FROM tool_intents AS i LEFT JOIN tool_attempts AS a USING (idempotency_key)
       LEFT JOIN tool_effects AS t USING (idempotency_key)
       WHERE i.run_id = ? GROUP BY i.idempotency_key ORDER BY i.rowid`,
      [runId],
    )
    .map(
      (row) =>
        `${String(row['action'])}: ${String(row['state'])} attempts=${String(row['attempts'])} saved_results=${String(row['results'])}`,
    );
}

export function ticketsLine(tickets: readonly Ticket[]): string {
  const matched = tickets.filter((ticket) => priorityOf(ticket) === ticket.expectedPriority).length;
  return `tickets checked: ${String(tickets.length)} | priority rules matched: ${String(matched)}`;
}

/** What was stored when the last session took the run up, read from the events before its first. Null: no restart. */
function beforeRestart(reader: Reader, run: Run, workflow: Workflow | null): string | null {
  // A step records run_resumed first; a person's decision is an event of its own.
  const restart = reader.get(
    `SELECT MAX(sequence) AS sequence FROM agent_events AS e WHERE run_id = ? AND session <> (
       SELECT session FROM agent_events WHERE run_id = e.run_id AND sequence < e.sequence ORDER BY sequence DESC LIMIT 1)`,
    [run.runId],
  )?.['sequence'];
  if (typeof restart !== 'number') return null;
  const count = (type: string, before: number) =>
    Number(reader.get(countBefore, [run.runId, type, before])?.['n']);
  // A run from elsewhere may have come without its events: then they do not tell what was stored.
  if (count('checkpoint_saved', Number.MAX_SAFE_INTEGER) !== run.version) return 'not told by the events';
  const last = reader.get(
    `SELECT action FROM agent_events WHERE run_id = ? AND event_type = 'checkpoint_saved' AND sequence < ?
     AND action NOT IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC LIMIT 1`,
    [run.runId, restart, JSON.stringify(reservedActions)],
  );
  const next =
    last === undefined || workflow === null
      ? workflow?.actions[0]?.name
      : findAction(workflow, String(last['action']))?.next;
  const [version, rows] = [count('checkpoint_saved', restart), count('tool_executed', restart)];
  const status = statusBefore(reader, run.runId, restart);
  return `status=${status} next_action=${next ?? 'none'} version=${String(version)} tool_effect_rows=${String(rows)}`;
}

/** A run that waits or has failed says so in its last event of these; else it was running: only such a run goes on. */
function statusBefore(reader: Reader, runId: string, sequence: number): string {
  const last = reader.get(
    `SELECT event_type FROM agent_events WHERE run_id = ? AND sequence < ?
     AND event_type IN ('checkpoint_saved', 'run_resumed', 'run_waiting', 'run_failed') ORDER BY sequence DESC LIMIT 1`,
    [runId, sequence],
  )?.['event_type'];
  return last === 'run_waiting' ? 'waiting' : last === 'run_failed' ? 'failed' : 'running';
}

function countByType(reader: Reader, runId: string, action: string): (type: string) => number {
  const rows = reader.all(
    'SELECT event_type, COUNT(*) AS n FROM agent_events WHERE run_id = ? AND action = ? GROUP BY event_type',
    [runId, action],
  );
  const counts = new Map(rows.map((row) => [row['event_type'], Number(row['n'])]));
  return (type) => counts.get(type) ?? 0;
}

function finalReply(run: Run): string | null {
  const context = decodeJson(run.contextJson)?.value;
  const reply = isJsonObject(context) ? context['reply'] : undefined;
  return typeof reply === 'string' ? reply : null;
}
