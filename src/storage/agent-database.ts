/**
 * Owns: what an open database is made of, and what it offers beyond the engine's port: replacing the image, what the page
 * shows of storage.
 * Leaves: doing it to database.ts.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import type { Clock, CrashPort, Database, Reader, SqlValue, Transaction } from '../engine/ports.ts';
import type { Checksum } from './checksum.ts';
import type { PageStore } from './page-store.ts';
import type { Random } from './random.ts';
import type { Sqlite } from './sqlite.ts';

/** What a database is opened with. */
export interface DatabaseParts {
  readonly sqlite: Sqlite;
  readonly store: PageStore;
  readonly checksum: Checksum;
  readonly crash: CrashPort;
  readonly random: Random;
  readonly clock: Clock;
  /** Called after each durable commit: for the hint to other tabs. */
  readonly announce?: (generation: number) => void;
  /** Bytes of log after which it is folded, in place of the usual; tests fold often. */
  readonly foldAfter?: number;
}

export interface DatabaseState {
  readonly kind: PageStore['kind'];
  /** Number of the last durable commit, over all tabs; 0 is the image as it was created. */
  readonly generation: number;
  readonly bytes: number;
  readonly pageCount: number;
  /** When the store last said that a commit of this session is durable; null: nothing written yet. */
  readonly savedAtUtc: string | null;
  /** A newer page's tables: they are read, and every commit fails with this. Null: they are this page's. */
  readonly readOnly: FormatNewer | null;
}

type FormatNewer = Extract<StorageFailure, { readonly type: 'FormatNewer' }>;

/** Rows that the last commit of this session added, changed or deleted, in order. A deleted table's rows are not told. */
export interface LastCommit {
  readonly boundary: string;
  readonly changes: readonly {
    readonly table: string;
    readonly rowid: number;
    readonly operation: 'insert' | 'update' | 'delete';
  }[];
}

/** Another image in place of all tables. */
export interface Replacement {
  /** What `freshImage`, `inspectFile` or `image` gave. Tables of ours that it lacks are added. */
  readonly bytes: Uint8Array;
  /** Looks at what is stored; its failure ends it, with nothing written. */
  guard?(reader: Reader): Result<null>;
  /** Keeps the very image that is replaced, before it is. */
  keep?(image: Uint8Array): Promise<Result<null>>;
  /** Changes the new image in the same commit. */
  adjust?(transaction: Transaction): void;
}

/** Is told what a commit runs, as it runs it: for showing it. Reads outside of a commit are not told. */
export interface StatementWatch {
  began(boundary: string): void;
  /** With the values as they are bound: what looks like a secret is gone from what is written (R12). */
  ran(sql: string, values: readonly SqlValue[], changedRows: number): void;
  /** `again`: another tab wrote first, so it is undone and done anew. A crash is not told: its worker is no more. */
  ended(outcome: 'durable' | 'undone' | 'again' | 'not saved', generation: number): void;
}

export interface AgentDatabase extends Database {
  /** One at a time; null: nobody watches, which is the beginning. */
  watchStatements(watch: StatementWatch | null): void;
  readonly state: DatabaseState;
  /** Null: this session has written nothing yet, or another tab has written since. */
  readonly lastCommit: LastCommit | null;
  /** Takes in what other tabs wrote; true when there was something. */
  refresh(): Promise<Result<boolean, StorageFailure>>;
  /** The bytes of the durable image, for download. O(size). */
  image(): Promise<Uint8Array>;
  /**
   * Replaces the image as one commit with its boundaries (reset, import, undo). If another tab wrote first, all of
   * it is done again on what is stored then: what was kept is what was replaced.
   */
  replace(boundary: string, replacement: Replacement): Promise<Result<null>>;
  /** Gives back the room that deleted rows left, as one commit: SQLite keeps it for new rows otherwise. O(size). */
  vacuum(): Promise<Result<null>>;
  /** Folds the stored log when it has grown long; true when it did. Call it when nobody waits. */
  compactIfWorthwhile(): Promise<Result<boolean, StorageFailure>>;
  /** Stores what is in memory anew, after StorageGone. False: another tab has stored a database since; this one stays in memory. */
  storeAgain(): Promise<Result<boolean, StorageFailure>>;
  /** Waits for what is under way, then frees the memory. Nothing may be asked afterwards. */
  close(): Promise<void>;
}
