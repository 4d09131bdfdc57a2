/**
 * Owns: the intent, the row that says a call of the world outside shall be made: durable before anything leaves (R9).
 * It is the outbox: whoever works for the run next delivers it.
 * Leaves: delivering it to effects.ts, who may to claims.ts, a person's yes to approvals.ts.
 * Invariant: one intent a key, and its arguments never change: what was approved is what is called.
 */
import { requestApproval } from './approvals.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import { idempotencyKey } from './execute-once.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, Row, ToolRequest } from './ports.ts';
import type { Run } from './records.ts';
import { redactMembers } from './redaction.ts';
import { changeStatus } from './status.ts';
import type { OutsideCall, OutsideTool, Safety } from './tool.ts';
import { logicalAction } from './tool.ts';
import { hashJson } from './workflow.ts';

/**
 * `waiting`: for a person's yes. `pending`: to be delivered. `in_doubt`: a person decides whether it was done. `failed`:
 * its attempts are used up. Settled, with a saved result: `confirmed`, `skipped`, `denied`.
 */
export type IntentState = 'waiting' | 'pending' | 'in_doubt' | 'failed' | 'confirmed' | 'skipped' | 'denied';

export interface Intent {
  readonly key: string;
  readonly runId: string;
  /** The logical action: of several calls of one action, each has its own. */
  readonly action: string;
  readonly tool: string;
  readonly safety: string;
  readonly argumentsJson: string;
  readonly argumentsHash: string;
  /** The address that it is sent to; null: this page's service desk. */
  readonly destination: string | null;
  /** See ToolRequest. */
  readonly scope: string;
  readonly state: string;
  /** Attempts that ended badly, since the run was last tried again by hand. */
  readonly failures: number;
  /** No attempt before this time, UTC; null: at once. */
  readonly nextAttemptAtUtc: string | null;
}

/** What effects.ts works on: one call of one action of a run. */
export interface Job {
  readonly run: Run;
  readonly call: OutsideCall;
  readonly tool: OutsideTool;
  readonly key: string;
  readonly action: string;
}

export function jobOf(run: Run, action: string, call: OutsideCall, tool: OutsideTool): Job {
  const logical = logicalAction(action, call);
  return { run, call, tool, action: logical, key: idempotencyKey(run.runId, logical) };
}

export function loadIntent(reader: Reader, key: string): Intent | null {
  const row = reader.get('SELECT * FROM tool_intents WHERE idempotency_key = ?', [key]);
  return row === undefined ? null : intentFromRow(row);
}

export function intentsOf(reader: Reader, runId: string): readonly Intent[] {
  return reader.all('SELECT * FROM tool_intents WHERE run_id = ? ORDER BY rowid', [runId]).map(intentFromRow);
}

/** The call as it is stored, which is what is sent, each time. */
export function requestOf({ key, tool, argumentsJson, destination, scope }: Intent): ToolRequest {
  const value = decodeJson(argumentsJson)?.value;
  if (!isJsonObject(value)) throw new Error(`the arguments stored under ${key} are not a JSON object`);
  return { key, tool, arguments: value, destination, scope };
}

/**
 * Writes the intent with its event, and asks for a person's yes where the tool needs one. Durable on return (R9).
 * `destination`: fixed here, so that every later attempt goes where the first one went.
 */
export function intend(engine: Engine, job: Job, destination: string | null): Promise<Result<null>> {
  const { run, call, tool, key, action } = job;
  const { runId } = run;
  const boundary = `${action}.intent`;
  const stored = redactMembers(call.arguments, tool.secrets);
  return engine.database.commit<null>(boundary, (transaction) => {
    const argumentsJson = encodeJson(stored, 'arguments');
    if (!argumentsJson.ok) return argumentsJson;
    const session = labelOf(engine, transaction);
    const now = loadRun(transaction, runId);
    if (session === null || now?.version !== run.version) return stateConflict(transaction, run);
    const reason = tool.approval(call.arguments);
    const inserted = transaction.run(
      `INSERT INTO tool_intents (idempotency_key, run_id, action, tool_name, safety, arguments_json, arguments_hash,
         destination, scope, state, failures, next_attempt_at_utc, created_at_utc)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, ?) ON CONFLICT (idempotency_key) DO NOTHING`,
      [
        key,
        runId,
        action,
        tool.name,
        tool.safety,
        argumentsJson.value,
        hashJson(stored),
        destination,
        drawScope(engine),
        reason === null ? 'pending' : 'waiting',
        engine.clock.now(),
      ],
    );
    engine.crash.reach(`${boundary}.inserted`);
    // Another worker of the same version was first: its intent is as good as ours.
    if (inserted === 0) return succeed(null);
    appendEvent(engine, transaction, boundary, session, {
      runId,
      type: 'tool_intended',
      action,
      detail: key,
    });
    if (reason !== null)
      requestApproval(engine, transaction, boundary, session, job, hashJson(stored), reason);
    return succeed(null);
  });
}

/**
 * The arguments, or the tool, are not what the run's workflow may call with: an event, no intent, and the run fails with
 * the reason. Durable on return (R9).
 */
export function refuse(engine: Engine, run: Run, action: string, reason: string): Promise<Result<Run>> {
  const boundary = `${action}.refusal`;
  const { runId } = run;
  return engine.database.commit(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    if (session === null || loadRun(transaction, runId) === undefined) return stateConflict(transaction, run);
    const event = { runId, type: 'tool_refused', action, detail: reason } as const;
    appendEvent(engine, transaction, boundary, session, event);
    return changeStatus(engine, transaction, `${boundary}.fail`, run, {
      status: 'failed',
      reserved: 'fail',
      event: { type: 'run_failed', action, detail: reason },
    });
  });
}

/** What is asked for now is not what was intended under this key (R5), or null. */
export function differsFrom(intent: Intent, { key, tool, call }: Job): Result<never> | null {
  const { tool: storedTool } = intent;
  if (storedTool !== tool.name)
    return fail({ type: 'KeyReused', key, tool: tool.name, storedTool, differs: 'tool' });
  return intent.argumentsHash === hashJson(redactMembers(call.arguments, tool.secrets))
    ? null
    : fail({ type: 'KeyReused', key, tool: tool.name, storedTool, differs: 'arguments' });
}

/** Whether the tool says, of a stored intent, that a second call is harmless. A word that is not ours says no. */
export function mayRepeat(safety: string): boolean {
  const harmless: readonly Safety[] = ['read', 'idempotent'];
  return harmless.some((one) => one === safety);
}

/** 64 bits, in hexadecimal. */
function drawScope({ random }: Engine): string {
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
}

function intentFromRow(row: Row): Intent {
  const text = (column: string) => String(row[column]);
  const textOrNull = (column: string) => (row[column] == null ? null : String(row[column]));
  return {
    key: text('idempotency_key'),
    runId: text('run_id'),
    action: text('action'),
    tool: text('tool_name'),
    safety: text('safety'),
    argumentsJson: text('arguments_json'),
    argumentsHash: text('arguments_hash'),
    destination: textOrNull('destination'),
    scope: text('scope'),
    state: text('state'),
    failures: Number(row['failures']),
    nextAttemptAtUtc: textOrNull('next_attempt_at_utc'),
  };
}
