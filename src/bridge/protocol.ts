/**
 * Owns: the one map of commands between page and agent worker; requests, replies and pushes are derived from it.
 * Leaves: sending to client.ts, answering to server.ts.
 * Invariant: every request gets exactly one reply, also when the handler throws or the worker dies.
 */
import type { Arm } from '../engine/crash.ts';
import type { Failure } from '../engine/failure.ts';
import type { LabView } from './views.ts';

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
    };
    result: LabView;
  };
  /** The lab with this run selected (null: the latest run). Reads what other tabs wrote, too. */
  view: { params: { readonly selectedRunId: string | null }; result: LabView };
  /** Starts a run for the ticket: one commit, version 0. Ends the possibility to undo a reset. */
  start: { params: { readonly ticketId: string }; result: LabView };
  /** Records that this session takes the run up (run_resumed), if it has not yet. */
  resume: { params: { readonly runId: string }; result: LabView };
  /** Does the run's next action, after taking the run up if need be. */
  step: { params: { readonly runId: string }; result: LabView };
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
  /** The run's events as CSV (RFC 4180), in the lesson's columns; null: of all runs. */
  exportTrace: { params: { readonly runId: string | null }; result: string };
  /** Damaged images that were set aside. */
  quarantined: { params: Record<string, never>; result: readonly QuarantinedImage[] };
  /** The bytes of one of them, for download: as stored, however damaged. */
  exportQuarantined: { params: { readonly name: string }; result: Uint8Array };
  /** Deletes one of them: only a user asks for this. */
  deleteQuarantined: { params: { readonly name: string }; result: readonly QuarantinedImage[] };
}

export interface QuarantinedImage {
  readonly name: string;
  readonly reason: string;
  readonly atUtc: string;
  readonly bytes: number;
}

export type CommandName = keyof Commands;
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
  /** `view`: what the database shows after the failure, where it could be read. */
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly ok: false;
      readonly failure: Failure;
      readonly view: LabView | null;
    };

export type Push =
  /** A crash happened at this boundary: every port of the worker is dead. Terminate it. */
  | { readonly type: 'halted'; readonly boundary: string }
  /** A fault of ours outside any request: the worker has stopped. */
  | { readonly type: 'fault'; readonly message: string }
  /** Another tab wrote; this is what the database shows now. */
  | { readonly type: 'changed'; readonly view: LabView }
  /** How much of the database program has arrived, in bytes; `total` 0: unknown. */
  | { readonly type: 'loading'; readonly loaded: number; readonly total: number };

export type FromWorker = Reply | Push;
