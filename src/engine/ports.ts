/**
 * Owns: what the engine asks of its surroundings. No browser API and no sql.js appear behind these names, so
 * the engine runs in Node as it is.
 * Leaves: the makes to storage/ (Database), world/ (Tools), bridge/ (Owners) and the entry files (Clock, Timer).
 */
import type { Result } from './failure.ts';
import type { JsonObject } from './json.ts';

/** What SQLite gives back and takes. Integers beyond 2^53 do not occur in our tables. */
export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, SqlValue>;

/** Reading. Values are bound, never part of the SQL (R8). Synchronous: SQLite is in this worker's memory. */
export interface Reader {
  all(sql: string, values?: readonly SqlValue[]): Row[];
  get(sql: string, values?: readonly SqlValue[]): Row | undefined;
}

/** One open transaction. */
export interface Transaction extends Reader {
  /** Runs one statement; returns how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): number;
}

export interface Database {
  /** Reads what is durable: waits for the commit under way, so nothing unsaved is ever seen (R9). */
  read<T>(body: (reader: Reader) => T): Promise<T>;
  /**
   * One transaction, durable on return (R9). Announces `<boundary>.begin`, `.committed` (in memory) and
   * `.durable`. A body that returns a failure is rolled back and nothing is written. If another tab wrote first
   * the body runs again on what is stored now, so it must look before it writes and keep no results outside.
   */
  commit<T>(boundary: string, body: (transaction: Transaction) => Result<T>): Promise<Result<T>>;
}

/** Time, UTC, ISO 8601. Order never depends on it (R7). */
export interface Clock {
  now(): string;
}

/** The world outside, as one session sees it. The key is the same on every retry and in every session (R4). */
export interface Tools {
  /** One call. Aborted when its time is up: then nobody waits for the answer any more. Never rejects. */
  call(request: ToolRequest, signal: AbortSignal): Promise<ToolAnswer>;
  /** What became of a call under this key, where the other side can be asked. Never rejects. */
  status(request: ToolRequest): Promise<KeyStatus>;
  /** Where a new intent of this tool is to be sent; null: to the service desk of this page. */
  destinationOf(tool: string): string | null;
}

export interface ToolRequest {
  readonly key: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Where it is sent: an address that the user entered; null: the service desk of this page. */
  readonly destination: string | null;
  /**
   * Random, drawn when the call was intended, the same on every retry: with it the key is told from those of other
   * databases, where runs have the same names. Empty: the call leaves this page for nowhere.
   */
  readonly scope: string;
}

export type ToolAnswer =
  /** The work is done. `tokens`: what it used of the run's budget. */
  | { readonly type: 'done'; readonly result: JsonObject; readonly tokens?: number }
  /** The work was certainly not done. `retryable` is the tool's word; `after`: its wish, in milliseconds. */
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly retryable: boolean;
      readonly after?: number;
    }
  /** No answer, or one that may not be read: the work may or may not be done. */
  | { readonly type: 'unknown'; readonly reason: string };

export type KeyStatus =
  | { readonly type: 'done'; readonly result: JsonObject }
  | { readonly type: 'not_received' }
  | { readonly type: 'under_way' }
  | { readonly type: 'cannot_tell'; readonly reason: string };

/** Waiting. In production `setTimeout`; a test turns the hands itself. */
export interface Timer {
  /** Calls `then` once, after this many milliseconds. What it returns calls it off. */
  after(milliseconds: number, then: () => void): () => void;
}

/** Who of the workers that claimed a call still lives. */
export interface Owners {
  /** `dead`: it is not in the middle of a call, or is no more. `unknown`: the browser cannot say (no Web Locks). */
  stateOf(workerId: string): Promise<'alive' | 'dead' | 'unknown'>;
  /** Shows this worker as alive, from before it claims the call under this key until it lets go of it. */
  hold(key: string): Promise<void>;
  letGo(key: string): void;
}

/** Where the engine says which instant it has reached (crash-model). In production this does nothing. */
export interface CrashPort {
  /** Throws SimulatedCrash when a crash is armed here; after that every port is dead. */
  reach(boundary: string): void;
  /** Throws when the crash has happened: a port calls this before it touches anything. */
  assertAlive(): void;
}
