/**
 * Owns: a person's yes or no to one call: asked for, kept across sessions, given once, used once.
 * Leaves: when it is needed to the tool; the call to delivery.ts.
 * Invariant: a decision is bound to a key and the hash of its arguments. A fork has other keys, so it asks again.
 */
import { loadRun } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { appendEvent, drawLabel } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { loadIntent } from './intents.ts';
import type { Job } from './job.ts';
import type { Reader, Row, Transaction } from './ports.ts';
import type { Run } from './records.ts';
import { goOnIfNothingWaits } from './status.ts';
import { saveEffect } from './tool-effects.ts';

export interface Approval {
  readonly approvalId: string;
  readonly key: string;
  readonly runId: string;
  readonly argumentsHash: string;
  /** Why it is asked for. */
  readonly reason: string;
  /** `requested`, `given`, `used` (by the first claim), `denied`. */
  readonly state: string;
  readonly requestedAtUtc: string;
  readonly decidedAtUtc: string | null;
  /** The session in which it was decided. */
  readonly session: string | null;
}

/** Inside the transaction of the intent, or of the claim that finds it missing. */
export function requestApproval(
  engine: Pick<Engine, 'clock' | 'crash'>,
  transaction: Transaction,
  boundary: string,
  session: string,
  { run, key, action, argumentsHash }: Job,
  reason: string,
): void {
  const { runId } = run;
  const approvalId = `${key}?`;
  transaction.run(
    // One of that id may have come with a file, for something else.
    `INSERT OR REPLACE INTO approvals (approval_id, idempotency_key, run_id, arguments_hash, reason, state, requested_at_utc)
     VALUES (?, ?, ?, ?, ?, 'requested', ?)`,
    [approvalId, key, runId, argumentsHash, reason, engine.clock.now()],
  );
  engine.crash.reach(`${boundary}.approval.inserted`);
  const event = { runId, type: 'approval_requested', action, detail: approvalId } as const;
  appendEvent(engine, transaction, `${boundary}.approval`, session, event);
}

export function approvalsOf(reader: Reader, runId: string): readonly Approval[] {
  return reader.all('SELECT * FROM approvals WHERE run_id = ? ORDER BY rowid', [runId]).map(approvalFromRow);
}

/**
 * Decides one request. `argumentsHash`: of the arguments that the person saw. The run goes on being `running` when nothing
 * else of it waits. Durable on return (R9). Fails with ApprovalSettled when it was decided before or means others.
 */
export function decideApproval(
  engine: Engine,
  approvalId: string,
  argumentsHash: string,
  decision: 'given' | 'denied',
): Promise<Result<Run>> {
  return engine.database.commit<Run>('approval', (transaction) => {
    const row = transaction.get('SELECT * FROM approvals WHERE approval_id = ?', [approvalId]);
    const approval = row && approvalFromRow(row);
    if (approval?.state !== 'requested' || approval.argumentsHash !== argumentsHash) {
      return fail({ type: 'ApprovalSettled', approvalId, state: approval?.state ?? 'gone' });
    }
    const { runId, key } = approval;
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    const intent = loadIntent(transaction, key);
    // What is not waiting any more, or is not what was asked for, is not set going by a yes.
    if (intent?.state !== 'waiting' || intent.argumentsHash !== argumentsHash) {
      return fail({ type: 'ApprovalSettled', approvalId, state: intent?.state ?? 'gone' });
    }
    const { action } = intent;
    const session = drawLabel(engine, transaction);
    transaction.run(`UPDATE approvals SET state = ?, decided_at_utc = ?, session = ? WHERE approval_id = ?`, [
      decision,
      engine.clock.now(),
      session,
      approvalId,
    ]);
    engine.crash.reach('approval.decided');
    if (decision === 'denied') {
      const saved = saveEffect(engine, transaction, 'approval', key, { denied: true });
      if (!saved.ok) return saved;
    }
    transaction.run('UPDATE tool_intents SET state = ? WHERE idempotency_key = ?', [
      decision === 'given' ? 'pending' : 'denied',
      key,
    ]);
    engine.crash.reach('approval.intent_updated');
    const type = decision === 'given' ? 'approval_given' : 'approval_denied';
    appendEvent(engine, transaction, 'approval', session, { runId, type, action, detail: approvalId });
    return goOnIfNothingWaits(engine, transaction, 'approval.go_on', run);
  });
}

/**
 * At a claim: is the call allowed as far as persons are concerned? The first claim uses the yes up. False: a yes is needed
 * and was never asked for (the row is gone, or the tool of today wants one), so it is asked for now.
 */
export function mayBeCalled(
  engine: Engine,
  transaction: Transaction,
  boundary: string,
  session: string,
  job: Job,
): Result<boolean> {
  const { key, argumentsHash, tool, call } = job;
  const row = transaction.get('SELECT * FROM approvals WHERE idempotency_key = ?', [key]);
  if (row === undefined) {
    const reason = tool.approval(call.arguments);
    if (reason === null) return succeed(true);
    transaction.run(`UPDATE tool_intents SET state = 'waiting' WHERE idempotency_key = ?`, [key]);
    requestApproval(engine, transaction, boundary, session, job, reason);
    return succeed(false);
  }
  const { approvalId, state, argumentsHash: approved } = approvalFromRow(row);
  if ((state !== 'given' && state !== 'used') || approved !== argumentsHash) {
    return fail({ type: 'ApprovalSettled', approvalId, state });
  }
  transaction.run(`UPDATE approvals SET state = 'used' WHERE approval_id = ?`, [approvalId]);
  return succeed(true);
}

function approvalFromRow(row: Row): Approval {
  const textOrNull = (column: string) => (row[column] == null ? null : String(row[column]));
  return {
    approvalId: String(row['approval_id']),
    key: String(row['idempotency_key']),
    runId: String(row['run_id']),
    argumentsHash: String(row['arguments_hash']),
    reason: String(row['reason']),
    state: String(row['state']),
    requestedAtUtc: String(row['requested_at_utc']),
    decidedAtUtc: textOrNull('decided_at_utc'),
    session: textOrNull('session'),
  };
}
