/**
 * Owns: what the engine asks of its surroundings. No browser API and no sql.js appear behind these names, so
 * the engine runs in Node as it is.
 * Leaves: the makes to storage/ (Database), world/ (Tools) and the entry files (Clock).
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

/** The tools a run may call. The key is the same on every retry and in every session (R4). */
export interface Tools {
  call(request: ToolRequest): Promise<Result<JsonObject>>;
}

export interface ToolRequest {
  readonly key: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Where the engine says which instant it has reached (crash-model). In production this does nothing. */
export interface CrashPort {
  /** Throws SimulatedCrash when a crash is armed here; after that every port is dead. */
  reach(boundary: string): void;
  /** Throws when the crash has happened: a port calls this before it touches anything. */
  assertAlive(): void;
}
