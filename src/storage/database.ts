/**
 * Owns: the engine's port `Database` over sql.js: one thing at a time, a transaction durable on return (R9), the
 * boundaries around it, and what the page shows of storage.
 * Leaves: opening to open-database.ts, which bytes are written to durable-image.ts, the tables to schema.ts, the SQL to the engine.
 *
 * A simulated crash unwinds nothing: it passes through here without a statement, a rollback or a write.
 */
import type {
  AgentDatabase,
  DatabaseParts,
  DatabaseState,
  LastCommit,
  Replacement,
  StatementWatch,
} from './agent-database.ts';
import { SimulatedCrash } from '../engine/crash.ts';
import { fail, succeed, type Failure, type Result, type StorageFailure } from '../engine/failure.ts';
import type { Reader, Transaction } from '../engine/ports.ts';
import { redacting } from '../engine/redaction.ts';
import type { RecordedFile } from './recorded-file.ts';
import { DurableImage } from './durable-image.ts';
import type { OpenedImage } from './open-image.ts';
import { migrate, migrationsOf, missingMigrations, newestMigration } from './schema.ts';
import type { SqlDatabase } from './sqlite.ts';
import { Statements } from './statements.ts';
import { Turns } from './turns.ts';

/** How often a body runs when other tabs keep writing first. */
const mostTries = 5;

/** Made by open-database.ts, which has looked at what it opens. */
export class SqlJsDatabase implements AgentDatabase {
  readonly #parts: DatabaseParts;
  readonly #database: SqlDatabase;
  readonly #file: RecordedFile;
  readonly #durable: DurableImage;
  readonly #statements: Statements;
  readonly #turns = new Turns();
  /** Makes SQLite look at the file, when it changed behind its back. */
  readonly #readSomething: () => void;
  #changes: LastCommit['changes'][number][] = [];
  #lastCommit: LastCommit | null = null;
  #savedAtUtc: string | null = null;
  #readOnly: DatabaseState['readOnly'] = null;
  #watch: StatementWatch | null = null;

  constructor(parts: DatabaseParts, opened: OpenedImage, database: SqlDatabase, file: RecordedFile) {
    this.#parts = parts;
    this.#database = database;
    this.#file = file;
    this.#statements = new Statements(database, parts.crash);
    this.#readSomething = () => database.exec('SELECT count(*) FROM sqlite_schema');
    this.#durable = new DurableImage(parts, opened, file, this.#readSomething);
    database.updateHook((operation, _, table, rowid) => this.#changes.push({ table, rowid, operation }));
  }

  get state(): DatabaseState {
    return {
      kind: this.#parts.store.kind,
      generation: this.#durable.generation,
      bytes: this.#file.byteCount,
      pageCount: this.#file.pageCount,
      savedAtUtc: this.#savedAtUtc,
      readOnly: this.#readOnly,
    };
  }

  watchStatements(watch: StatementWatch | null): void {
    this.#watch = watch;
  }

  get lastCommit(): LastCommit | null {
    return this.#lastCommit;
  }

  read<T>(body: (reader: Reader) => T): Promise<T> {
    return this.#inTurn(() => {
      const value = body(this.#statements);
      if (this.#file.isDirty) {
        this.#file.putBack(this.#readSomething);
        throw new Error('a read wrote to the database');
      }
      return value;
    });
  }

  commit<T>(boundary: string, body: (transaction: Transaction) => Result<T>): Promise<Result<T>> {
    return this.#written(boundary, () => {
      const watch = this.#watch;
      watch?.began(boundary);
      this.#statements.watch = watch && ((sql, values, changed) => watch.ran(sql, values, changed));
      try {
        // The one place where values reach the tables: no secret passes (R12).
        return this.#transact(boundary, (open) => body(redacting(open)));
      } finally {
        this.#statements.watch = null;
      }
    });
  }

  refresh(): Promise<Result<boolean, StorageFailure>> {
    return this.#inTurn(async () => {
      const settled = await this.#durable.settle();
      if (!settled.ok) return settled;
      const refreshed = await this.#durable.refresh();
      if (refreshed.ok && refreshed.value) this.#lastCommit = null;
      return refreshed;
    });
  }

  image(): Promise<Uint8Array> {
    return this.#inTurn(() => this.#file.toBytes());
  }

  replace(boundary: string, { bytes, guard, keep, adjust }: Replacement): Promise<Result<null>> {
    return this.#written(boundary, async () => {
      const allowed = guard?.(this.#statements);
      if (allowed?.ok === false) return allowed;
      const kept = await keep?.(this.#file.toBytes());
      if (kept?.ok === false) return kept;
      this.#parts.crash.reach(`${boundary}.begin`);
      try {
        this.#durable.replace(bytes);
        this.#addTables(adjust);
      } catch (error) {
        if (!(error instanceof SimulatedCrash)) this.#rollBack();
        throw error;
      }
      this.#changes = [];
      this.#parts.crash.reach(`${boundary}.committed`);
      return succeed(null);
    });
  }

  vacuum(): Promise<Result<null>> {
    return this.#written('vacuum', () => {
      this.#parts.crash.reach('vacuum.begin');
      this.#database.exec('VACUUM');
      this.#parts.crash.reach('vacuum.committed');
      return succeed(null);
    });
  }

  compactIfWorthwhile(): Promise<Result<boolean, StorageFailure>> {
    if (this.#readOnly !== null) return Promise.resolve(succeed(false));
    return this.#inTurn(() => this.#durable.compactIfWorthwhile());
  }

  storeAgain(): Promise<Result<boolean, StorageFailure>> {
    return this.#inTurn(async () => {
      const stored = await this.#durable.storeAgain();
      if (stored.ok && stored.value) this.#saved();
      return stored;
    });
  }

  async close(): Promise<void> {
    await this.#turns.take(() => {
      this.#database.close();
      this.#parts.store.close();
    });
  }

  /** A database from elsewhere may hold the lesson's three tables only. One commit, or none when nothing is missing. */
  async addMissingTables(image: string): Promise<Result<null>> {
    const stored = Math.max(0, ...migrationsOf(this.#statements));
    if (stored > newestMigration) {
      this.#readOnly = { type: 'FormatNewer', what: 'tables', image, stored, known: newestMigration };
      return fail(this.#readOnly);
    }
    if (missingMigrations(this.#statements).length === 0) return succeed(null);
    return this.commit('open.migrate', (transaction) => {
      migrate(transaction, this.#parts.random);
      return succeed(null);
    });
  }

  #addTables(adjust: Replacement['adjust']): void {
    this.#statements.run('BEGIN IMMEDIATE');
    migrate(this.#statements, this.#parts.random);
    adjust?.(this.#statements);
    this.#statements.run('COMMIT');
  }

  /** Does `work` in memory and makes it durable; again, when another tab wrote first. */
  #written<T>(boundary: string, work: () => Result<T> | Promise<Result<T>>): Promise<Result<T>> {
    if (this.#readOnly !== null) return Promise.resolve(fail(this.#readOnly));
    return this.#inTurn(async () => {
      const settled = await this.#durable.settle();
      if (!settled.ok) return settled;
      for (let tries = 1; tries <= mostTries; tries += 1) {
        this.#changes = [];
        const done = await work();
        if (!done.ok) {
          this.#watch?.ended('undone', this.#durable.generation);
          return done;
        }
        const changes = this.#changes;
        this.#parts.crash.assertAlive();
        const written = await this.#durable.write();
        const outcome = !written.ok ? 'not saved' : written.value === 'again' ? 'again' : 'durable';
        this.#watch?.ended(outcome, this.#durable.generation);
        if (!written.ok) return written;
        if (written.value === 'again') continue;
        if (written.value === 'saved') this.#saved();
        this.#lastCommit = { boundary, changes };
        this.#parts.crash.reach(`${boundary}.durable`);
        return done;
      }
      return fail<Failure>({ type: 'ImageConflict', tries: mostTries });
    });
  }

  #saved(): void {
    this.#savedAtUtc = this.#parts.clock.now();
    this.#parts.announce?.(this.#durable.generation);
  }

  #transact<T>(boundary: string, body: (transaction: Transaction) => Result<T>): Result<T> {
    const { crash } = this.#parts;
    crash.assertAlive();
    this.#statements.run('BEGIN IMMEDIATE');
    try {
      crash.reach(`${boundary}.begin`);
      const done = body(this.#statements);
      if (!done.ok) {
        this.#rollBack();
        return done;
      }
      crash.assertAlive();
      this.#statements.run('COMMIT');
      crash.reach(`${boundary}.committed`);
      return done;
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#statements.watch?.('ROLLBACK', [], 0);
      this.#database.exec('ROLLBACK');
    } catch {
      // After some errors SQLite has rolled back by itself.
    }
    if (this.#file.isDirty) this.#file.putBack(this.#readSomething);
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#turns.take(() => {
      this.#parts.crash.assertAlive();
      return work();
    });
  }
}
