/**
 * Owns: which rows and cells the last commit changed, and what they held before.
 * Leaves: showing it to the tables.
 * Invariant: a mark is the last commit's own; what an older commit, or another tab, wrote carries none.
 */
import type { Attempt, IntentView, LabView, WithRowid } from '../bridge/views.ts';
import type { AgentEvent, Effect, Run } from '../engine/records.ts';

/** Never told by colour alone. */
export type RowMark = 'added' | 'changed' | null;

export interface Cell {
  readonly column: string;
  readonly value: string | number | null;
  /** What it held before the last commit, where that is known and differs. */
  readonly old?: string | number | null;
}

export interface TableRecord {
  readonly rowid: number;
  readonly mark: RowMark;
  readonly cells: readonly Cell[];
}

type Named = readonly (readonly [string, string | number | null])[];

const runCells = (run: Run): Named => [
  ['run_id', run.runId],
  ['ticket_id', run.ticketId],
  ['status', run.status],
  ['next_action', run.nextAction],
  ['version', run.version],
  ['context_json', run.contextJson],
];

const effectCells = (effect: Effect): Named => [
  ['idempotency_key', effect.idempotencyKey],
  ['tool_name', effect.toolName],
  ['result_json', effect.resultJson],
];

export function runRecord(view: LabView, before: LabView | null): TableRecord | null {
  if (view.selected === null) return null;
  const { run } = view.selected;
  const old = before?.runs.find((other) => other.rowid === run.rowid && other.runId === run.runId);
  return record('agent_runs', run, runCells(run), old && runCells(old), view);
}

export function effectRecords(view: LabView, before: LabView | null): readonly TableRecord[] {
  return (view.selected?.effects ?? []).map((effect) => {
    const old = sameRun(view, before)?.effects.find((other) => other.rowid === effect.rowid);
    return record('tool_effects', effect, effectCells(effect), old && effectCells(old), view);
  });
}

export function eventMark(event: WithRowid<AgentEvent>, view: LabView): RowMark {
  return markOf('agent_events', event.rowid, view);
}

export function intentMark(intent: IntentView, view: LabView): RowMark {
  return markOf('tool_intents', intent.rowid, view);
}

/** An attempt comes without its row's number: a commit adds at most one, and closes at most one. */
export function attemptMark(
  { key, fence, outcome }: Attempt,
  view: LabView,
  before: LabView | null,
): RowMark {
  const operations = (view.lastCommit?.changes ?? [])
    .filter(({ table }) => table === 'tool_attempts')
    .map(({ operation }) => operation);
  const known = sameRun(view, before);
  if (operations.length === 0 || known === null) return null;
  const old = known.intents
    .flatMap(({ attempts }) => attempts)
    .find((a) => a.key === key && a.fence === fence);
  if (operations.includes('insert') && old === undefined && outcome === null) return 'added';
  return operations.includes('update') && outcome !== null && (old?.outcome ?? null) === null
    ? 'changed'
    : null;
}

function record(
  table: string,
  row: { readonly rowid: number },
  cells: Named,
  old: Named | undefined,
  view: LabView,
): TableRecord {
  const mark = markOf(table, row.rowid, view);
  return {
    rowid: row.rowid,
    mark,
    cells: cells.map(([column, value], at): Cell => {
      const was = mark === 'changed' ? old?.[at]?.[1] : undefined;
      return was === undefined || was === value ? { column, value } : { column, value, old: was };
    }),
  };
}

function markOf(table: string, rowid: number, view: LabView): RowMark {
  const change = view.lastCommit?.changes.find((one) => one.table === table && one.rowid === rowid);
  if (change === undefined) return null;
  return change.operation === 'insert' ? 'added' : 'changed';
}

function sameRun(view: LabView, before: LabView | null) {
  return before?.selected?.run.runId === view.selected?.run.runId ? (before?.selected ?? null) : null;
}
