/**
 * Owns: the one map of commands between page and agent worker; requests, replies and pushes are derived from it.
 * Leaves: sending to client.ts, answering to server.ts.
 * Invariant: every request gets exactly one reply, also when the handler throws or the worker dies.
 */
import type { Arm } from '../engine/crash.ts';
import type { Resolution } from '../engine/doubt.ts';
import type { Failure } from '../engine/failure.ts';
import type { Waiting } from '../storage/waits.ts';
import type { StatementsView } from './statement-log.ts';
import type { LabView, RunView } from './views.ts';

export type { Waiting };

export interface Commands {
  /**
   * Opens the database and shows it; nothing is resumed. `place`: the browser's IndexedDB, or pages that the
   * page itself holds in memory, at the other end of the port, for where IndexedDB is refused.
   */
  open: {
    params: {
      readonly place:
        { readonly type: 'indexeddb' } | { readonly type: 'memory'; readonly port: MessagePort };
      readonly storageName: string;
      readonly arms: readonly Arm[];
      readonly selectedRunId: string | null;
      readonly deskPort: MessagePort;
      /** To the worker that sends to addresses. */
      readonly httpPort: MessagePort;
      readonly routes: Routes;
    };
    result: LabView;
  };
  /** The lab with this run selected (null: the latest run). Reads what other tabs wrote, too. */
  view: { params: { readonly selectedRunId: string | null }; result: LabView };
  /** What other tabs wrote since the last view; null: nothing. */
  refresh: { params: Record<string, never>; result: LabView | null };
  /**
   * Starts a run for the ticket: one commit, version 0. Ends the possibility to undo a reset. `workflow`: its name; absent:
   * the lesson's.
   */
  start: { params: { readonly ticketId: string; readonly workflow?: string }; result: LabView };
  /**
   * Records that this session takes the run up (run_resumed), if it has not yet. `version`: the one that was seen when
   * this was asked for. Another one is stored by now: StateConflict, nothing written (R3).
   */
  resume: { params: { readonly runId: string; readonly version: number }; result: LabView };
  /** Does the run's next action, after taking the run up if need be. `version`: as for resume. */
  step: { params: { readonly runId: string; readonly version: number }; result: LabView };
  /** A person's yes or no to one call, whose arguments have this hash (engine/approvals.ts). */
  decide: {
    params: {
      readonly approvalId: string;
      readonly argumentsHash: string;
      readonly decision: 'given' | 'denied';
    };
    result: LabView;
  };
  /** A person's word on a call in doubt (engine/doubt.ts). */
  resolveDoubt: { params: { readonly key: string; readonly resolution: Resolution }; result: LabView };
  /** The next attempt of this call is due now. */
  tryNow: { params: { readonly key: string }; result: LabView };
  /** Takes over the call that another session has claimed, in the attempt of this fencing number. */
  takeOver: { params: { readonly key: string; readonly fence: number }; result: LabView };
  /** Tries a failed run again; `more`: how much to allow beyond a budget that is used up. */
  retryRun: {
    params: { readonly runId: string; readonly version: number; readonly more: number };
    result: LabView;
  };
  /** Lets a run go on under the workflow as it is now. */
  adopt: { params: { readonly runId: string }; result: LabView };
  /**
   * A new run that begins at a checkpoint of this one, which stays as it is (engine/fork.ts), and is selected.
   * `contextJson`: edited by a person, as JSON; null: as it was.
   */
  fork: {
    params: { readonly runId: string; readonly version: number; readonly contextJson: string | null };
    result: LabView;
  };
  /** Another run beside the selected one; null: there is none of that id. */
  look: { params: { readonly runId: string }; result: RunView | null };
  /** Deletes finished runs and gives their room back. */
  deleteRuns: { params: { readonly runIds: readonly string[] }; result: LabView };
  /** Where new calls of these tools are sent to, from now on. Calls that were intended before go where they were to go. */
  route: { params: { readonly routes: Routes }; result: null };
  /** Which boundaries to crash at, from now on. Replaces what was armed. */
  arm: { params: { readonly arms: readonly Arm[] }; result: null };
  /** Deletes all runs, events and effects and starts session numbers again at 1. Undo keeps the old image. */
  reset: { params: Record<string, never>; result: LabView };
  /** Brings back what reset or importFile replaced. */
  undo: { params: Record<string, never>; result: LabView };
  /** Puts an image in place of the lab's database: the one that looking at a file gave (file-inspection.ts). */
  importFile: { params: { readonly image: Uint8Array }; result: LabView };
  /** The durable image, for download. */
  exportDatabase: { params: Record<string, never>; result: Uint8Array };
  /** The last commit that this session knows to be durable, from its memory: storage is not asked. */
  exportMemory: { params: Record<string, never>; result: Uint8Array };
  /** As `exportMemory`, with the number of that commit: what the SQL console asks its questions of. */
  readCopy: {
    params: Record<string, never>;
    result: { readonly image: Uint8Array; readonly generation: number };
  };
  /** Lets `write` be obeyed by this worker, or not: at first it is not. */
  unlockWrites: { params: { readonly unlocked: boolean }; result: null };
  /**
   * A person's SQL, past the engine, in one commit. `generation`: of the image that it was tried on; another one is
   * stored by now: SqlRefused, nothing written.
   */
  write: { params: { readonly sql: string; readonly generation: number }; result: LabView };
  /** The stored image as far as it can be read, unchecked and without SQLite: for when the database does not open. */
  exportStored: { params: Record<string, never>; result: Uint8Array };
  /** Stores what is in memory anew, after StorageGone. */
  storeAgain: { params: Record<string, never>; result: LabView };
  /** Leaves the stored image of a newer page beside, untouched: the next `open` starts fresh. */
  startBeside: { params: { readonly image: string }; result: null };
  /** Deletes the copy that undo would bring back, to give room back. */
  deleteFormer: { params: Record<string, never>; result: LabView };
  /** The run's events as CSV (RFC 4180), in the lesson's columns; null: of all runs. */
  exportTrace: { params: { readonly runId: string | null }; result: string };
  /** What the last commits of this session ran; from this worker's memory. */
  statements: { params: Record<string, never>; result: StatementsView };
  /** Images that were set aside: damaged, or a newer page's. */
  quarantined: { params: Record<string, never>; result: readonly QuarantinedImage[] };
  /** The bytes of one of them, for download: as stored, however damaged. */
  exportQuarantined: { params: { readonly name: string }; result: Uint8Array };
  /** Deletes one of them: only a user asks for this. */
  deleteQuarantined: { params: { readonly name: string }; result: readonly QuarantinedImage[] };
}

/** Addresses by tool. A tool that is not named is called at the service desk. */
export type Routes = Readonly<Record<string, string>>;

export interface QuarantinedImage {
  readonly name: string;
  readonly kind: 'quarantined' | 'newer';
  readonly reason: string;
  readonly atUtc: string;
  readonly bytes: number;
}

export type CommandName = keyof Commands;

/** Commands after which something may be stored that was not before. */
const writing: ReadonlySet<CommandName> = new Set([
  'start',
  'resume',
  'step',
  'reset',
  'undo',
  'importFile',
  'storeAgain',
  'decide',
  'resolveDoubt',
  'tryNow',
  'takeOver',
  'retryRun',
  'adopt',
  'fork',
  'deleteRuns',
  'write',
]);

export function isWriting(command: CommandName): boolean {
  return writing.has(command);
}

export type Params<C extends CommandName> = Commands[C]['params'];
export type CommandResult<C extends CommandName> = Commands[C]['result'];

export type Request = {
  [C in CommandName]: { readonly id: number; readonly command: C; readonly params: Params<C> };
}[CommandName];

export type Reply =
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly ok: true;
      readonly result: CommandResult<CommandName>;
    }
  /** `view`: what the database shows after the failure, where it could be read. `stopped`: the worker is no more. */
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly ok: false;
      readonly failure: Failure;
      readonly view: LabView | null;
      readonly stopped: boolean;
    };

export type Push =
  /** A crash happened at this boundary: every port of the worker is dead. Terminate it. */
  | { readonly type: 'halted'; readonly boundary: string }
  /** A fault of ours, or no memory left, outside any request: the worker has stopped. */
  | { readonly type: 'fault'; readonly failure: WorkerStopped }
  /** Another tab wrote; this is what the database shows now. */
  | { readonly type: 'changed'; readonly view: LabView }
  /** A step's call has left and nobody has answered: the lab meanwhile. Other commands, and other tabs, are free to write. */
  | { readonly type: 'calling'; readonly view: LabView }
  /** The agent has something to say to the worker that sends to addresses. */
  | { readonly type: 'sends' }
  /** Storage lets somebody wait; null: no more. */
  | { readonly type: 'waiting'; readonly waiting: Waiting | null }
  /** How much of the database program has arrived, in bytes; `total` 0: unknown. */
  | { readonly type: 'loading'; readonly loaded: number; readonly total: number };

/** Why a worker stopped by itself. */
export type WorkerStopped = Extract<Failure, { readonly type: 'WorkerFault' | 'OutOfMemory' }>;

export type FromWorker = Reply | Push;
