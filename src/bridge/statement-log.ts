/**
 * Owns: the statements that the last commits of this session ran, in this worker's memory, and no longer than it lives.
 * Leaves: telling of them to storage/database.ts, showing them to the lab.
 * Invariants: it is bounded in every direction; no value that looks like a secret is in it (R12).
 */
import type { SqlValue } from '../engine/ports.ts';
import { redactText } from '../engine/redaction.ts';
import type { StatementWatch } from '../storage/agent-database.ts';

/** A statement with its bound values as text, as they would stand in SQL. */
export interface LoggedStatement {
  readonly sql: string;
  readonly values: readonly string[];
  /** Null: it reads, or opens or ends the transaction. */
  readonly changedRows: number | null;
}

export interface LoggedCommit {
  /** Counts the commits of this session, from 1. */
  readonly number: number;
  readonly boundary: string;
  /** `open`: it has not come to its end. */
  readonly outcome: 'open' | 'durable' | 'undone' | 'again' | 'not saved';
  /** Of the database, after it. */
  readonly generation: number;
  readonly statements: readonly LoggedStatement[];
  /** How many more there were, which are not kept. */
  readonly left: number;
}

export interface StatementsView {
  /** The oldest first. */
  readonly commits: readonly LoggedCommit[];
  /** So many commits are kept, and no more. */
  readonly most: number;
}

export const mostCommits = 50;
const mostStatements = 100;
const longestValue = 2000;

type Writable = { -readonly [K in keyof LoggedCommit]: LoggedCommit[K] } & { statements: LoggedStatement[] };

export class StatementLog implements StatementWatch {
  readonly #commits: Writable[] = [];
  #number = 0;

  began(boundary: string): void {
    this.#number += 1;
    const number = this.#number;
    this.#commits.push({ number, boundary, outcome: 'open', generation: 0, statements: [], left: 0 });
    if (this.#commits.length > mostCommits) this.#commits.shift();
  }

  ran(sql: string, values: readonly SqlValue[], changedRows: number): void {
    const commit = this.#commits.at(-1);
    if (commit === undefined) return;
    if (commit.statements.length >= mostStatements) {
      commit.left += 1;
      return;
    }
    const writes = /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql);
    const statement = {
      sql: plain(sql),
      values: values.map(valueText),
      changedRows: writes ? changedRows : null,
    };
    commit.statements.push(statement);
  }

  ended(outcome: LoggedCommit['outcome'], generation: number): void {
    const commit = this.#commits.at(-1);
    // Replacing the image, and giving room back, run nothing that is told.
    if (commit?.outcome !== 'open') return;
    commit.outcome = outcome;
    commit.generation = generation;
  }

  get view(): StatementsView {
    return {
      commits: this.#commits.map((commit) => ({ ...commit, statements: [...commit.statements] })),
      most: mostCommits,
    };
  }
}

/** Without the indentation of our source. What a person wrote in the console may hold anything. */
function plain(sql: string): string {
  return redactText(sql.trim().replace(/\n\s+/g, '\n  ')).slice(0, longestValue);
}

function valueText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return `a blob of ${value.length} bytes`;
  const text = redactText(value);
  const cut = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
  return `'${cut.replaceAll("'", "''")}'`;
}
