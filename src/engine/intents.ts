/**
 * Owns: the intent, the row that says a call of the world outside shall be made: durable before anything leaves (R9).
 * It is the outbox: whoever works for the run next delivers it.
 * Leaves: delivering it to delivery.ts, who may to claims.ts, a person's yes to approvals.ts.
 * Invariant: one intent a key, and its arguments never change: what was approved is what is called.
 */
import { requestApproval } from './approvals.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { KeyReused, Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Job } from './job.ts';
import { decodeJson, isJsonObject } from './json.ts';
import type { Reader, Row, ToolRequest } from './ports.ts';
import type { OutsideTool, Safety } from './tool.ts';

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
  const { run, call, tool, key, action, argumentsJson, argumentsHash } = job;
  const { runId } = run;
  const boundary = `${action}.intent`;
  return engine.database.commit<null>(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    const now = loadRun(transaction, runId);
    if (session === null || now?.version !== run.version) return stateConflict(transaction, run);
    const reason = tool.approval(call.arguments);
    const state: IntentState = reason === null ? 'pending' : 'waiting';
    const [scope, createdAtUtc] = [drawScope(engine), engine.clock.now()];
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
        argumentsJson,
        argumentsHash,
        destination,
        scope,
        state,
        createdAtUtc,
      ],
    );
    engine.crash.reach(`${boundary}.inserted`);
    // Another worker of the same version was first: its intent is as good as ours.
    if (inserted === 0) return succeed(null);
    const event = { runId, type: 'tool_intended', action, detail: key } as const;
    appendEvent(engine, transaction, boundary, session, event);
    if (reason !== null) requestApproval(engine, transaction, boundary, session, job, reason);
    return succeed(null);
  });
}

/** What is asked for now is not what was intended under this key (R5), or what stands there is no longer that; or null. */
export function differsFrom(intent: Intent, job: Job): Result<never, KeyReused> | null {
  const { key, tool } = job;
  const { tool: storedTool, argumentsJson, argumentsHash } = intent;
  const isSame = argumentsJson === job.argumentsJson && argumentsHash === job.argumentsHash;
  const differs = storedTool !== tool.name ? 'tool' : isSame ? null : 'arguments';
  return differs && fail({ type: 'KeyReused', key, tool: tool.name, storedTool, differs });
}

/**
 * Whether a second call is harmless: by the word that was stored with the intent, and by the tool's own of today. A word
 * that is not ours says no.
 */
export function mayRepeat(intent: Pick<Intent, 'safety'>, tool: Pick<OutsideTool, 'safety'> | null): boolean {
  const harmless: readonly Safety[] = ['read', 'idempotent'];
  return [intent.safety, tool?.safety].every((word) => harmless.some((one) => one === word));
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
