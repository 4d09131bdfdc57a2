/**
 * Owns: what the console's worker and the page tell each other: SQL in, tables of values out.
 * Leaves: running it to console-run.ts, the worker's life to console-client.ts, showing it to lab/console/.
 */
import type { Failure } from '../engine/failure.ts';

/** One value. Raw bytes come as their number, whole numbers that JavaScript cannot hold as their digits. */
export type Cell =
  | string
  | number
  | null
  | { readonly type: 'blob'; readonly bytes: number }
  | { readonly type: 'number'; readonly digits: string };

/** What one statement gave. */
export interface StatementResult {
  readonly sql: string;
  /** None: the statement has no rows to give. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** There were further rows, beyond what is sent to the page. */
  readonly more: boolean;
  /** Rows of the copy that it added, changed or deleted. */
  readonly changed: number;
}

/** Why it went no further, in SQLite's words, and where in the text, as far as that can be told. */
export interface SqlProblem {
  readonly message: string;
  /** Null: the message names no place. The statement's own is known all the same. */
  readonly place: { readonly start: number; readonly length: number } | null;
  readonly statementStart: number;
}

export interface SqlAnswer {
  /** Those before the problem, too. */
  readonly results: readonly StatementResult[];
  readonly problem: SqlProblem | null;
  /** Something may be left behind in the worker: the next query wants a new one. */
  readonly worn: boolean;
}

export interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

export interface SchemaTable {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly SchemaColumn[];
}

/** `try`: as the agent's worker would write it, looked at afterwards as a file from elsewhere is. */
export type ToConsole =
  | { readonly type: 'copy'; readonly image: Uint8Array }
  | { readonly type: 'read'; readonly sql: string }
  | { readonly type: 'try'; readonly sql: string };

export type FromConsole =
  /** The program is loaded. */
  | { readonly type: 'ready' }
  /** This worker is of no more use. */
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'schema'; readonly tables: readonly SchemaTable[] }
  /** `refused`: why the lab could not live with what was written, in words; null: it can, or nothing was to be written. */
  | {
      readonly type: 'answer';
      readonly answer: SqlAnswer;
      readonly refused: string | null;
    };
