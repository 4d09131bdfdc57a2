/**
 * Owns: running SQL for the engine: bound values, rows as plain objects, statements prepared once.
 * Every statement first asks whether the worker is still alive: after a simulated crash none runs.
 */
import type { CrashPort, Row, SqlValue, Transaction } from '../engine/ports.ts';
import type { StatementWatch } from './agent-database.ts';
import type { SqlDatabase } from './sqlite.ts';

type Prepared = ReturnType<SqlDatabase['prepare']>;

/** More than the product has. Text of people is never part of SQL, so the number does not grow. */
const mostPrepared = 200;

export class Statements implements Transaction {
  readonly #database: SqlDatabase;
  readonly #crash: CrashPort;
  /** Told of each statement; null: nobody is. */
  watch: StatementWatch['ran'] | null = null;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: SqlDatabase, crash: CrashPort) {
    this.#database = database;
    this.#crash = crash;
  }

  all(sql: string, values: readonly SqlValue[] = []): Row[] {
    const rows: Row[] = [];
    this.#step(sql, values, (statement) => rows.push(statement.getAsObject()));
    return rows;
  }

  get(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.all(sql, values)[0];
  }

  run(sql: string, values: readonly SqlValue[] = []): number {
    this.#step(sql, values, () => undefined);
    return this.#database.getRowsModified();
  }

  #step(sql: string, values: readonly SqlValue[], row: (statement: Prepared) => void): void {
    this.#crash.assertAlive();
    const statement = this.#statement(sql);
    try {
      statement.bind([...values]);
      while (statement.step()) row(statement);
      this.watch?.(sql, values, this.#database.getRowsModified());
    } finally {
      statement.reset();
    }
  }

  #statement(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (this.#prepared.size >= mostPrepared) {
      for (const statement of this.#prepared.values()) statement.free();
      this.#prepared.clear();
    }
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
