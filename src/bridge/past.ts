/**
 * Owns: a run as it was stored at one of its events: put together from its events, its history of checkpoints and its
 * saved results.
 * Leaves: which event to the lab.
 * Invariant: nothing is kept for looking back but the rows that are there anyway; what they do not tell is said not to be
 * known.
 */
import { checkpointsFrom, type PastCheckpoint } from '../engine/history.ts';
import { decodeJson, encodeJson, isJsonObject } from '../engine/json.ts';
import type { AgentEvent } from '../engine/records.ts';
import { actionViews } from './action-views.ts';
import { commitAt, commitsOf, type Commit } from './commits.ts';
import type { ChangedRow, IntentView, LabView, RunView, WithRowid } from './views.ts';

export { checkpointsFrom };
export type { PastCheckpoint };

export interface PastRun {
  /** Events up to the end of the commit at the cursor, and what was stored then. */
  readonly run: RunView;
  readonly commit: Commit<WithRowid<AgentEvent>>;
  /** The checkpoint that the run stood at; null: that version was not recorded here. */
  readonly checkpoint: PastCheckpoint | null;
}

/** In place of a value that the rows do not tell. */
export const notRecorded = '(not recorded)';

/** Every recorded checkpoint of a run; asked for only where it is needed, as putting them together takes its time. */
export type Checkpoints = () => readonly PastCheckpoint[];

/** The run when the commit that wrote this event was durable; null: the run has no such event. */
export function pastOf(
  live: RunView,
  sequence: number,
  checkpoints: Checkpoints = () => checkpointsFrom(live.history),
): PastRun | null {
  const commit = commitAt(commitsOf(live.events), sequence);
  if (commit === null) return null;
  const events = live.events.filter((event) => event.sequence <= commit.last);
  const version = versionAt(events);
  const checkpoint =
    version === live.run.version
      ? checkpointNow(live)
      : (checkpoints().find((one) => one.version === version) ?? null);
  const saved = savedAt(live.events);
  const effects = live.effects.filter((effect) => (saved.get(effect.idempotencyKey) ?? 0) <= commit.last);
  const run = { ...live.run, version, ...stateOf(checkpoint) };
  const keys = new Set(effects.map(({ idempotencyKey }) => idempotencyKey));
  const past: RunView = {
    ...live,
    run,
    events,
    effects,
    history: live.history.filter((row) => row.version <= version),
    actions: actionViews(live.actions, run, events, (name) => keys.has(`${run.runId}:${name}`)),
    intents: live.intents.flatMap((intent) => intentAt(intent, events, keys)),
  };
  return { run: past, commit, checkpoint };
}

/** One commit earlier; null: this was the first one. */
export function oneCommitEarlier(
  live: RunView,
  { commit }: PastRun,
  checkpoints?: Checkpoints,
): PastRun | null {
  const before = live.events.findLast((event) => event.sequence < commit.events[0].sequence);
  return before ? pastOf(live, before.sequence, checkpoints) : null;
}

/** The lab with the run as it was, and the rows that the commit at the cursor wrote in the place of the last commit's. */
export function pastView(view: LabView, past: PastRun, before: PastRun | null): LabView {
  const { run } = past.run;
  const changes: ChangedRow[] = past.commit.events.map(({ rowid }) => inserted('agent_events', rowid));
  if (before === null) changes.push(inserted('agent_runs', run.rowid));
  else if (before.run.run.version !== run.version)
    changes.push({ table: 'agent_runs', rowid: run.rowid, operation: 'update' });
  const known = new Set(before?.run.effects.map(({ rowid }) => rowid));
  for (const { rowid } of past.run.effects)
    if (!known.has(rowid)) changes.push(inserted('tool_effects', rowid));
  return { ...asOf(view, past), lastCommit: { boundary: past.commit.boundary, changes } };
}

/** The lab with this run as it was. */
export function asOf(view: LabView, { run }: PastRun): LabView {
  return {
    ...view,
    selected: run,
    runs: view.runs.map((one) => (one.rowid === run.run.rowid ? run.run : one)),
  };
}

function inserted(table: string, rowid: number): ChangedRow {
  return { table, rowid, operation: 'insert' };
}

/** A version is the number of checkpoints (I4), and the last of their events names it. */
function versionAt(events: readonly AgentEvent[]): number {
  const last = events.findLast((event) => event.eventType === 'checkpoint_saved');
  const version = Number(/^version (\d{1,9})$/.exec(last?.detail ?? '')?.[1]);
  if (Number.isInteger(version)) return version;
  return events.filter((event) => event.eventType === 'checkpoint_saved').length;
}

function stateOf(
  checkpoint: PastCheckpoint | null,
): Pick<RunView['run'], 'status' | 'nextAction' | 'contextJson'> {
  if (checkpoint === null) return { status: notRecorded, nextAction: notRecorded, contextJson: notRecorded };
  const { status, nextAction } = checkpoint;
  const context = checkpoint.context && encodeJson(checkpoint.context, 'context');
  return { status, nextAction, contextJson: context?.ok ? context.value : notRecorded };
}

/** The current version stands in the run's own row; null: it was not recorded. */
function checkpointNow({ run, history }: RunView): PastCheckpoint | null {
  const row = history.findLast((one) => one.version === run.version);
  const context = decodeJson(run.contextJson)?.value;
  if (row === undefined) return null;
  const { version, status, nextAction } = run;
  return {
    version,
    status,
    nextAction,
    context: isJsonObject(context) ? context : null,
    savedAtUtc: row.savedAtUtc,
  };
}

/**
 * The sequence of the event that came with each saved result, by its key. A key that is not there: no event tells, it may
 * have been there before.
 */
function savedAt(events: readonly AgentEvent[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const event of events) {
    const key = savedKeyOf(event);
    if (key !== null && !found.has(key)) found.set(key, event.sequence);
  }
  return found;
}

/** The key under which a result was saved in the commit of this event; null: none was. */
function savedKeyOf({ eventType, detail, runId, action }: AgentEvent): string | null {
  if (eventType === 'tool_executed') return detail;
  if (eventType === 'approval_denied') return `${runId}:${action}`;
  if (eventType !== 'doubt_resolved') return null;
  // What the person said is the last part (engine/doubt.ts).
  return detail.endsWith(': call again') ? null : detail.slice(0, Math.max(0, detail.lastIndexOf(': ')));
}

/** Attempts have no sequence, so they are not told of the past: only that it was intended, and whether it was settled. */
function intentAt(
  intent: IntentView,
  events: readonly AgentEvent[],
  saved: ReadonlySet<string>,
): readonly IntentView[] {
  if (!events.some((event) => event.eventType === 'tool_intended' && event.detail === intent.key)) return [];
  if (saved.has(intent.key)) return [intent];
  const last = events.findLast((event) => event.action === intent.action);
  const state =
    last?.eventType === 'approval_requested'
      ? 'waiting'
      : last?.eventType === 'tool_in_doubt'
        ? 'in_doubt'
        : 'pending';
  return [{ ...intent, state, attempts: [], isOut: false, nextAttemptAtUtc: null }];
}
