/**
 * Owns: every failure that is expected, as plain tagged objects that cross postMessage unharmed.
 * Leaves: the sentence for a person to ui/sentences.ts; broken invariants, which throw, to their finder.
 */

/** Another worker saved this run first (R3). Nothing was written. `stored` is null when the run is gone. */
export interface StateConflict {
  readonly type: 'StateConflict';
  readonly runId: string;
  readonly expected: number;
  readonly stored: number | null;
}

/** The idempotency key already belongs to another tool or other arguments (R5). Nothing was written. */
export interface KeyReused {
  readonly type: 'KeyReused';
  readonly key: string;
  readonly tool: string;
  readonly storedTool: string;
  readonly differs: 'tool' | 'arguments';
}

/** A value JSON cannot hold (R10); `path` names it, as in `context.readings[3]`. Nothing was written. */
export interface JsonRefused {
  readonly type: 'JsonRefused';
  readonly path: string;
  readonly reason: string;
}

/** The run was started under another workflow than the one at hand (R13). Nothing was written. */
export interface WorkflowChanged {
  readonly type: 'WorkflowChanged';
  readonly runId: string;
  readonly stored: string;
  readonly current: string;
}

export type EngineFailure =
  | StateConflict
  | KeyReused
  | JsonRefused
  | WorkflowChanged
  | { readonly type: 'RunNotFound'; readonly runId: string }
  | { readonly type: 'TicketNotFound'; readonly ticketId: string }
  /** The run is not running: nothing to do. */
  | { readonly type: 'RunNotRunning'; readonly runId: string; readonly status: string }
  /** The stored next action is none of the workflow's: the run is shown, not resumed (R13, I7). */
  | {
      readonly type: 'UnknownAction';
      readonly runId: string;
      readonly action: string;
      readonly known: readonly string[];
    }
  /** The stored context is not JSON, or lacks a member that the action needs. */
  | {
      readonly type: 'ContextUnusable';
      readonly runId: string;
      readonly action: string;
      readonly reason: string;
    }
  /** The tool answered with an error, or did not answer. Nothing was recorded; trying again is safe (R4). */
  | { readonly type: 'ToolFailed'; readonly tool: string; readonly reason: string }
  /** The last attempt was not answered well, and the next one is not due before this time, UTC. Nothing was done. */
  | { readonly type: 'AttemptNotDue'; readonly key: string; readonly dueAtUtc: string }
  /**
   * Another session made this call and may still be at it. `alive`: the browser says that it lives. Nothing was done; a
   * person may take the call over.
   */
  | {
      readonly type: 'ClaimedElsewhere';
      readonly key: string;
      readonly session: string;
      readonly alive: boolean;
      readonly leaseUntilUtc: string;
    }
  /** This session's own call under this key is out, unanswered. Nothing was done. */
  | { readonly type: 'CallInFlight'; readonly key: string }
  /** The call was taken over while it was out: its answer, which came too late, was not recorded. */
  | { readonly type: 'ClaimLost'; readonly key: string }
  /** The request for a yes was answered before, or what it is asked for is no longer the same. Nothing was written. */
  | { readonly type: 'ApprovalSettled'; readonly approvalId: string; readonly state: string }
  /** The call is not in doubt any more, or never was. Nothing was written. */
  | { readonly type: 'NotInDoubt'; readonly key: string }
  /** The run is not failed: there is nothing to try again. Nothing was written. */
  | { readonly type: 'RunNotFailed'; readonly runId: string; readonly status: string }
  /** Only finished runs are deleted. Nothing was. */
  | { readonly type: 'RunUnfinished'; readonly runId: string; readonly status: string }
  /** The history holds no checkpoint of this version from which a run could go on. Nothing was written. */
  | { readonly type: 'NoSuchCheckpoint'; readonly runId: string; readonly version: number };

export type StorageFailure =
  /** The transaction aborted. Memory was put back to what is stored; trying again is safe. */
  | { readonly type: 'NotSaved'; readonly reason: string }
  /** As NotSaved, because the browser's quota is used up. */
  | { readonly type: 'StorageFull'; readonly reason: string }
  /** No answer in time: the write may or may not be durable. The next commit first finds out. */
  | { readonly type: 'OutcomeUnknown'; readonly reason: string }
  /**
   * The stored database is not there any more: deleted, evicted by the browser, or set aside by another tab. The
   * last commit is in this worker's memory. `replaced`: another database stands in its place by now.
   */
  | { readonly type: 'StorageGone'; readonly replaced: boolean }
  /** The browser refuses IndexedDB here (private window, sandboxed frame, policy). */
  | { readonly type: 'StorageRefused'; readonly reason: string }
  /** IndexedDB is allowed here and failed: what is stored was not touched. */
  | { readonly type: 'StorageFailed'; readonly reason: string }
  /** IndexedDB does not answer. `what` it was doing, and for how many `seconds` we waited. */
  | { readonly type: 'StorageStuck'; readonly what: 'open' | 'read' | 'commit'; readonly seconds: number }
  /** The stored image failed its checks on opening. It is kept under `quarantined`, untouched. */
  | { readonly type: 'ImageDamaged'; readonly reason: string; readonly quarantined: string }
  /**
   * A newer page wrote what is stored, and this one changes nothing of it. `what`: the tables (shown, read only), the
   * stored form of the image (its bytes can be had), or the IndexedDB database itself. `image`: its name.
   */
  | {
      readonly type: 'FormatNewer';
      readonly what: 'tables' | 'image' | 'database';
      readonly image: string;
      readonly stored: number;
      readonly known: number;
    }
  /** Other tabs kept writing first, `tries` times. Nothing was written. */
  | { readonly type: 'ImageConflict'; readonly tries: number }
  /** The file is not a database that this product can hold; `reason` says why. Nothing stored changed. */
  | { readonly type: 'FileRefused'; readonly reason: string }
  /** SQLite is not the one that this page was built for: the self-check of the page recorder failed. */
  | { readonly type: 'SqliteUnfit'; readonly reason: string }
  /** The database program could not be fetched, or what came is not it. */
  | { readonly type: 'SqliteUnavailable'; readonly reason: string }
  /** The browser or a policy allows no WebAssembly here. */
  | { readonly type: 'WasmRefused'; readonly reason: string }
  /** No memory was left, for SQLite or around it. Nothing that is stored was touched. */
  | { readonly type: 'OutOfMemory'; readonly reason: string };

export type BridgeFailure =
  /** The worker died with the request under way: whether it was carried out is unknown; the database knows. */
  | { readonly type: 'WorkerLost'; readonly reason: string }
  /** The program of a worker did not arrive: of the agent's, or of the service desk's. */
  | { readonly type: 'WorkerNotLoaded'; readonly worker: 'agent' | 'desk' | 'explorer' | 'console' }
  /** A broken invariant: a fault of ours, with its message. The worker has stopped. */
  | { readonly type: 'WorkerFault'; readonly message: string }
  /** Nothing was reset or replaced, or a run has started since. */
  | { readonly type: 'NothingToUndo' }
  /** No image is kept under this name: another tab may have deleted it. */
  | { readonly type: 'ImageNotKept'; readonly name: string }
  /** The copy that undo would bring back fails SQLite's checks. Nothing was replaced. */
  | { readonly type: 'CopyDamaged'; readonly reason: string }
  /** A person's SQL was not written: SQLite, or a rule of the console, says why. Nothing of it was. */
  | { readonly type: 'SqlRefused'; readonly reason: string };

export type Failure = EngineFailure | StorageFailure | BridgeFailure;

/** What may fail returns this: the value, or a failure that the caller must look at. */
export type Result<T, F = Failure> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: F };

export function succeed<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<F>(failure: F): { readonly ok: false; readonly failure: F } {
  return { ok: false, failure };
}
