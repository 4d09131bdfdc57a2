/**
 * Owns: what the page is told: one LabView holds everything the lab shows, read from the database at one instant.
 * Leaves: reading it to lab-view.ts, showing it to lab/.
 */
import type { Approval } from '../engine/approvals.ts';
import type { BoundaryGroup } from '../engine/boundaries.ts';
import type { Budget } from '../engine/budgets.ts';
import type { Attempt } from '../engine/attempts.ts';
import type { CheckpointRow } from '../engine/history.ts';
import type { Intent } from '../engine/intents.ts';
import type { AgentEvent, Effect, Run } from '../engine/records.ts';
import type { Failure } from '../engine/failure.ts';
import type { SqlValue } from '../engine/ports.ts';
import type { FinishedRun } from '../engine/retention.ts';
import type { Safety } from '../engine/tool.ts';
import type { Ticket } from '../triage/ticket.ts';
import type { ReceivedCall } from '../world/call-log.ts';

export type { Approval, Attempt, BoundaryGroup, Budget, FinishedRun, Intent, ReceivedCall, Ticket };

/** A ticket with the priority that the rule gives it now. */
export interface TicketView extends Ticket {
  readonly priority: string;
  readonly matches: boolean;
}

/** A row that the last commit added or changed. */
export interface ChangedRow {
  readonly table: string;
  readonly rowid: number;
  readonly operation: 'insert' | 'update' | 'delete';
}

export type WithRowid<T> = T & { readonly rowid: number };

/** One invariant, asked of the whole database. No violation: it holds. */
export interface InvariantView {
  readonly id: string;
  readonly title: string;
  readonly sql: string;
  /** At most ten rows, each as text; `violations` counts all of them. */
  readonly rows: readonly (readonly string[])[];
  readonly columns: readonly string[];
  readonly violations: number;
  /** What is bound to its parameters, in their order. */
  readonly values: readonly SqlValue[];
}

/** Where one action of the selected run stands. */
export interface ActionView {
  readonly name: string;
  /** Does its tool's result go through the saved-result path? */
  readonly usesTool: boolean;
  /** Does it call the world outside: by an intent, a claim, a call and a confirmation? */
  readonly callsOutside: boolean;
  readonly state: 'done' | 'next' | 'ahead';
  /** For `next` only: the tool's result is saved already, the checkpoint is not. */
  readonly resultSaved: boolean;
  /** The version its checkpoint had, once saved. */
  readonly version: number | null;
}

export interface StorageView {
  readonly kind: 'indexeddb' | 'memory';
  /** Number of the last durable commit. Grows by one a commit, over all tabs. */
  readonly generation: number;
  /** Size of the database image, in bytes. */
  readonly bytes: number;
  /** When IndexedDB last said `complete` to this session; null: nothing written yet. */
  readonly savedAtUtc: string | null;
  /** A newer page wrote this database: nothing can be written to it here. Null: it is this page's. */
  readonly readOnly: Failure | null;
}

/** One call of the world outside, with its attempts and the yes that it needed. */
export interface IntentView extends WithRowid<Intent> {
  /** In order of their fencing numbers. */
  readonly attempts: readonly Attempt[];
  readonly approval: Approval | null;
  /** The newest attempt is open, and it is this session's: the call is out. */
  readonly isOut: boolean;
}

/** A workflow that runs can be started with. */
export interface WorkflowView {
  readonly name: string;
  readonly version: number;
  readonly actions: readonly string[];
  readonly tools: readonly { readonly name: string; readonly safety: Safety }[];
  /** Every boundary of its runs, and the one that is suggested to crash at. */
  readonly boundaries: readonly BoundaryGroup[];
  readonly suggestedBoundary: string;
}

/** The selected run, as the database has it. */
export interface RunView {
  readonly run: WithRowid<Run>;
  /** The name of the workflow that it was started with; null: none of ours. */
  readonly workflow: string | null;
  readonly intents: readonly IntentView[];
  readonly budgets: readonly Budget[];
  /** The run and version that it was forked from; null: it was not. */
  readonly parent: { readonly runId: string; readonly version: number } | null;
  /** Every recorded version, as it is stored: from these the past is put together (past.ts). */
  readonly history: readonly CheckpointRow[];
  readonly events: readonly WithRowid<AgentEvent>[];
  readonly effects: readonly WithRowid<Effect>[];
  readonly actions: readonly ActionView[];
  /** The lines of the report, without the first one (versions in use), which the page knows. */
  readonly report: readonly string[];
  /** Null when *Step* would work; else why not, for example a changed workflow. */
  readonly obstacle: Failure | null;
  /** True when the last event is another session's: the next step first records run_resumed. */
  readonly resumes: boolean;
}

export interface LabView {
  /** Later views have a larger number; the page drops a view that is not newer. */
  readonly serial: number;
  readonly tickets: readonly TicketView[];
  /** "tickets checked: 6 | priority rules matched: 6", from the tickets and the rule. */
  readonly ticketsLine: string;
  /** The rule's limit, in minutes of outage. */
  readonly outageLimitMinutes: number;
  /** All runs, in the order of their rowid. */
  readonly runs: readonly WithRowid<Run>[];
  /** Of the runs that were forked: the run and version that each came from. The parent may have been deleted since. */
  readonly parents: Readonly<Record<string, { readonly runId: string; readonly version: number }>>;
  readonly counts: { readonly runs: number; readonly events: number; readonly effects: number };
  /** Runs that nothing goes on with, in the order of their end. */
  readonly finished: readonly FinishedRun[];
  /** Ids of the runs whose rows a person has changed by hand, past the engine. */
  readonly touched: readonly string[];
  /** The first one is the lesson's. */
  readonly workflows: readonly WorkflowView[];
  readonly selected: RunView | null;
  readonly invariants: readonly InvariantView[];
  /** The last commit to this database, where this session made it. Null: nothing written yet, or another tab wrote since. */
  readonly lastCommit: { readonly boundary: string; readonly changes: readonly ChangedRow[] } | null;
  /** The boundaries that the last command which did something reached, in order. None: this session has done nothing yet. */
  readonly reached: readonly string[];
  /** This session's label, or null until it writes its first event. */
  readonly session: string | null;
  readonly calls: readonly ReceivedCall[];
  /** Why the outside world's log can't be read, or null. The lab works all the same. */
  readonly worldFailure: Failure | null;
  /** Of the selected run's workflow; of the lesson's where no run is selected. */
  readonly boundaries: readonly BoundaryGroup[];
  readonly suggestedBoundary: string;
  readonly storage: StorageView;
  /** Set while *Undo* would bring back what *Reset lab* or *Open database…* replaced. */
  readonly undo: {
    readonly runs: number;
    readonly what: 'reset' | 'opened';
    readonly atUtc: string;
    readonly bytes: number;
  } | null;
  readonly versions: { readonly sqlite: string; readonly sqljs: string };
}
