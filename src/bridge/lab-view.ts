/**
 * Owns: reading everything the lab shows, in one go, from one state of the database.
 * Leaves: when to read to lab-server.ts; showing it to lab/.
 */
import { approvalsOf } from '../engine/approvals.ts';
import { boundariesOf } from '../engine/boundaries.ts';
import { budgetsOf } from '../engine/budgets.ts';
import { attemptsOf } from '../engine/attempts.ts';
import { checkpointRows } from '../engine/history.ts';
import { idempotencyKey } from '../engine/execute-once.ts';
import { intentsOf } from '../engine/intents.ts';
import { invariantsOf } from '../engine/invariants.ts';
import type { Reader, Row } from '../engine/ports.ts';
import { effectFromRow, eventFromRow, runFromRow } from '../engine/records.ts';
import type { Engine } from '../engine/engine.ts';
import { finishedRuns } from '../engine/retention.ts';
import { obstacleTo, workflowOf } from '../engine/run-workflow.ts';
import { isElsewhere } from '../engine/start.ts';
import type { Workflow } from '../engine/workflow.ts';
import { reportLines, ticketsLine } from '../triage/report.ts';
import type { Ticket } from '../triage/ticket.ts';
import { outageLimitMinutes, priorities, priorityOf } from '../triage/ticket.ts';
import { suggestedBoundaryOf, workflows } from '../triage/workflows.ts';
import { touchedRuns } from './console-write.ts';
import { actionViews } from './action-views.ts';
import type { IntentView, InvariantView, LabView, RunView, WorkflowView } from './views.ts';

/** What the tables show; the rest of LabView is not the database's. */
export type TablesView = Pick<
  LabView,
  | 'tickets'
  | 'ticketsLine'
  | 'outageLimitMinutes'
  | 'runs'
  | 'parents'
  | 'counts'
  | 'finished'
  | 'touched'
  | 'workflows'
  | 'selected'
  | 'invariants'
  | 'boundaries'
  | 'suggestedBoundary'
>;

type EngineForView = Pick<Engine, 'workerId' | 'workflows'>;

const workflowViews = workflows.map((workflow): WorkflowView => ({
  name: workflow.name,
  version: workflow.version,
  actions: workflow.actions.map(({ name }) => name),
  tools: (workflow.tools ?? []).map(({ name, safety }) => ({ name, safety })),
  boundaries: boundariesOf(workflow),
  suggestedBoundary: suggestedBoundaryOf(workflow),
}));

/** `selectedRunId` null or unknown: the run that was started last. */
export function readTables(
  reader: Reader,
  engine: EngineForView,
  tickets: readonly Ticket[],
  selectedRunId: string | null,
): TablesView {
  const runs = reader
    .all('SELECT rowid, * FROM agent_runs ORDER BY rowid')
    .map((row) => ({ ...runFromRow(row), rowid: Number(row['rowid']) }));
  const selected = runs.find((run) => run.runId === selectedRunId) ?? runs.at(-1);
  const parents = readParents(reader);
  const shown = selected === undefined ? null : readRun(reader, engine, tickets, selected, parents);
  const workflow = workflowViews.find(({ name }) => name === shown?.workflow) ?? workflowViews[0];
  const count = (sql: string) => Number(reader.get(sql)?.['n']);
  return {
    tickets: tickets.map((ticket) => {
      const priority = priorityOf(ticket);
      return { ...ticket, priority, matches: priority === ticket.expectedPriority };
    }),
    ticketsLine: ticketsLine(tickets),
    outageLimitMinutes,
    runs,
    parents,
    counts: {
      runs: count('SELECT COUNT(*) AS n FROM agent_runs'),
      events: count('SELECT COUNT(*) AS n FROM agent_events'),
      effects: count('SELECT COUNT(*) AS n FROM tool_effects'),
    },
    finished: finishedRuns(reader),
    touched: touchedRuns(reader),
    workflows: workflowViews,
    selected: shown,
    invariants: readInvariants(reader),
    boundaries: workflow?.boundaries ?? [],
    suggestedBoundary: workflow?.suggestedBoundary ?? '',
  };
}

function readRun(
  reader: Reader,
  engine: EngineForView,
  tickets: readonly Ticket[],
  run: RunView['run'],
  parents: LabView['parents'],
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
  const workflow = workflowOf(reader, engine, runId);
  const intents = readIntents(reader, engine, runId);
  const all: Workflow['actions'] = workflow?.actions ?? [];
  const named = all.map(({ name, tool, calls }) => ({
    name,
    usesTool: tool !== null || calls !== undefined,
    callsOutside: calls !== undefined,
  }));
  const actions = actionViews(named, run, events, (name) => savedKeys.has(idempotencyKey(runId, name)));
  return {
    run,
    history: checkpointRows(reader, runId),
    events,
    effects,
    actions,
    workflow: workflow?.name ?? null,
    intents,
    budgets: budgetsOf(reader, runId),
    parent: Object.hasOwn(parents, runId) ? (parents[runId] ?? null) : null,
    report: reportLines(reader, tickets, run, workflow),
    obstacle: obstacleTo(reader, engine, run),
    resumes: isElsewhere(reader, engine, runId),
  };
}

function readIntents(reader: Reader, { workerId }: EngineForView, runId: string): readonly IntentView[] {
  const rowids = reader.all('SELECT rowid, idempotency_key FROM tool_intents WHERE run_id = ?', [runId]);
  const approvals = approvalsOf(reader, runId);
  return intentsOf(reader, runId).map((intent) => {
    const attempts = attemptsOf(reader, intent.key);
    const last = attempts.at(-1);
    return {
      ...intent,
      rowid: Number(rowids.find((row) => row['idempotency_key'] === intent.key)?.['rowid']),
      attempts,
      approval: approvals.find(({ key }) => key === intent.key) ?? null,
      isOut: intent.state === 'pending' && last?.outcome === null && last.worker === workerId,
    };
  });
}

function readParents(reader: Reader): LabView['parents'] {
  const rows = reader.all(
    'SELECT run_id, parent_run_id, parent_version FROM run_details WHERE parent_run_id IS NOT NULL',
  );
  return Object.fromEntries(
    rows.map((row) => [
      String(row['run_id']),
      { runId: String(row['parent_run_id']), version: Number(row['parent_version']) },
    ]),
  );
}

const invariants = invariantsOf(workflows, priorities);

function readInvariants(reader: Reader): readonly InvariantView[] {
  return invariants.map(({ id, title, sql, values }) => {
    const rows = reader.all(sql, values);
    const columns = Object.keys(rows[0] ?? {});
    const texts = (row: Row) => columns.map((column) => String(row[column] ?? 'NULL'));
    return { id, title, sql, values, columns, rows: rows.slice(0, 10).map(texts), violations: rows.length };
  });
}
