/**
 * Owns: what a run may use and has used: steps, tool calls, tokens.
 * Leaves: when something is used to checkpoint.ts and claims.ts.
 * Invariant: what was used is stored in the transaction that uses it, so that no crash and no resuming refills it.
 */
import type { Reader, Transaction } from './ports.ts';
import type { Resource, Workflow } from './workflow.ts';
import { resources } from './workflow.ts';

export interface Budget {
  readonly resource: string;
  readonly used: number;
  readonly limit: number;
}

/** Stores the workflow's budgets with a run that starts. A workflow without budgets has none. */
export function openBudgets(transaction: Transaction, runId: string, workflow: Workflow): void {
  for (const resource of resources) {
    const limit = workflow.budgets?.[resource];
    if (limit === undefined) continue;
    transaction.run('INSERT INTO run_budgets (run_id, resource, used, allowed) VALUES (?, ?, 0, ?)', [
      runId,
      resource,
      limit,
    ]);
  }
}

export function budgetsOf(reader: Reader, runId: string): readonly Budget[] {
  return reader
    .all('SELECT resource, used, allowed FROM run_budgets WHERE run_id = ? ORDER BY rowid', [runId])
    .map((row) => ({
      resource: String(row['resource']),
      used: Number(row['used']),
      limit: Number(row['allowed']),
    }));
}

/** The first of these resources of which nothing is left, or null. */
export function exhausted(reader: Reader, runId: string, wanted: readonly Resource[]): Budget | null {
  const budgets = budgetsOf(reader, runId);
  return budgets.find(({ resource, used, limit }) => isOneOf(resource, wanted) && used >= limit) ?? null;
}

/**
 * Adds to what is used. Nothing where the run has no such budget. A number that a tool made up gives nothing back: a
 * negative one, or none at all, is 0.
 */
export function spend(transaction: Transaction, runId: string, resource: Resource, amount: number): void {
  transaction.run('UPDATE run_budgets SET used = used + ? WHERE run_id = ? AND resource = ?', [
    Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(amount) || 0)),
    runId,
    resource,
  ]);
}

/** A person allows more: of each resource that is used up, `more` beyond what is used. */
export function raise(transaction: Transaction, runId: string, more: number): void {
  transaction.run('UPDATE run_budgets SET allowed = used + ? WHERE run_id = ? AND used >= allowed', [
    more,
    runId,
  ]);
}

export function budgetReason({ resource, used, limit }: Budget): string {
  return `the budget of ${resource.replace('_', ' ')} is used up: ${String(used)} of ${String(limit)}`;
}

function isOneOf(resource: string, wanted: readonly Resource[]): boolean {
  return wanted.some((one) => one === resource);
}
