/**
 * Owns: reading everything the lab shows, in one go, from one state of the database.
 * Leaves: when to read to lab-server.ts; showing it to lab/.
 */
import { boundariesOf } from '../engine/boundaries.ts';
import { idempotencyKey } from '../engine/execute-once.ts';
import { invariantsOf } from '../engine/invariants.ts';
import type { Reader, Row } from '../engine/ports.ts';
import { effectFromRow, eventFromRow, runFromRow } from '../engine/records.ts';
import type { Engine } from '../engine/engine.ts';
import { isElsewhere, obstacleTo } from '../engine/start.ts';
import { reportLines, ticketsLine } from '../triage/report.ts';
import type { Ticket } from '../triage/ticket.ts';
import { outageLimitMinutes, priorities, priorityOf } from '../triage/ticket.ts';
import { lessonBoundary, triage } from '../triage/workflow.ts';
import type { ActionView, InvariantView, LabView, RunView } from './views.ts';

/** What the tables show; the rest of LabView is not the database's. */
export type TablesView = Pick<
  LabView,
  | 'tickets'
  | 'ticketsLine'
  | 'outageLimitMinutes'
  | 'runs'
  | 'counts'
  | 'selected'
  | 'invariants'
  | 'boundaries'
  | 'suggestedBoundary'
>;

/** `selectedRunId` null or unknown: the run that was started last. */
export function readTables(
  reader: Reader,
  engine: Pick<Engine, 'workerId'>,
  tickets: readonly Ticket[],
  selectedRunId: string | null,
): TablesView {
  const runs = reader
    .all('SELECT rowid, * FROM agent_runs ORDER BY rowid')
    .map((row) => ({ ...runFromRow(row), rowid: Number(row['rowid']) }));
  const selected = runs.find((run) => run.runId === selectedRunId) ?? runs.at(-1);
  const count = (sql: string) => Number(reader.get(sql)?.['n']);
  return {
    tickets: tickets.map((ticket) => {
      const priority = priorityOf(ticket);
      return { ...ticket, priority, matches: priority === ticket.expectedPriority };
    }),
    ticketsLine: ticketsLine(tickets),
    outageLimitMinutes,
    runs,
    counts: {
      runs: count('SELECT COUNT(*) AS n FROM agent_runs'),
      events: count('SELECT COUNT(*) AS n FROM agent_events'),
      effects: count('SELECT COUNT(*) AS n FROM tool_effects'),
    },
    selected: selected === undefined ? null : readRun(reader, engine, tickets, selected),
    invariants: readInvariants(reader),
    boundaries: boundariesOf(triage),
    suggestedBoundary: lessonBoundary,
  };
}

function readRun(
  reader: Reader,
  engine: Pick<Engine, 'workerId'>,
  tickets: readonly Ticket[],
  run: RunView['run'],
): RunView {
  const { runId } = run;
  const events = reader
    .all('SELECT rowid, * FROM agent_events WHERE run_id = ? ORDER BY sequence', [runId])
    .map((row) => ({ ...eventFromRow(row), rowid: Number(row['rowid']) }));
  const effects = reader
    .all(
      'SELECT rowid, * FROM tool_effects WHERE idempotency_key >= ?1 AND idempotency_key < ?2 ORDER BY rowid',
      [`${runId}:`, `${runId};`],
    )
    .map((row) => ({ ...effectFromRow(row), rowid: Number(row['rowid']) }));

  const savedKeys = new Set(effects.map((effect) => effect.idempotencyKey));
  const nextIndex = triage.actions.findIndex((action) => action.name === run.nextAction);
  const actions = triage.actions.map(({ name, tool }, index): ActionView => {
    const checkpoint = events.find(
      (event) => event.eventType === 'checkpoint_saved' && event.action === name,
    );
    const isNext = index === nextIndex && run.status === 'running';
    // A run from elsewhere may have lost events: what the checkpoint says has been done, has been done.
    const isDone =
      checkpoint !== undefined || (nextIndex >= 0 && index < nextIndex) || run.status === 'completed';
    const version = Number(checkpoint?.detail.replace('version ', ''));
    return {
      name,
      usesTool: tool !== null,
      state: isNext ? 'next' : isDone ? 'done' : 'ahead',
      resultSaved: isNext && savedKeys.has(idempotencyKey(runId, name)),
      version: Number.isInteger(version) ? version : null,
    };
  });
  return {
    run,
    events,
    effects,
    actions,
    report: reportLines(reader, tickets, run),
    obstacle: obstacleTo(reader, triage, run),
    resumes: isElsewhere(reader, engine, runId),
  };
}

const invariants = invariantsOf(triage, priorities);

function readInvariants(reader: Reader): readonly InvariantView[] {
  return invariants.map(({ id, title, sql, values }) => {
    const rows = reader.all(sql, values);
    const columns = Object.keys(rows[0] ?? {});
    const texts = (row: Row) => columns.map((column) => String(row[column] ?? 'NULL'));
    return { id, title, sql, columns, rows: rows.slice(0, 10).map(texts), violations: rows.length };
  });
}
