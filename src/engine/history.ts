/**
 * Owns: the history of checkpoints: one row a version, for looking back, comparing and forking.
 * Leaves: the current checkpoint, which alone a run continues from, to checkpoint.ts.
 * Invariant: a row keeps what changed since the version before it, so a step costs what it adds, however long the run.
 */
import type { Engine } from './engine.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import type { Run } from './records.ts';

/** A checkpoint as it was saved. `context` null: it was no JSON object. */
export interface PastCheckpoint {
  readonly version: number;
  readonly status: string;
  readonly nextAction: string | null;
  readonly context: JsonObject | null;
  /** Null: recorded when the run came into this database. */
  readonly savedAtUtc: string | null;
}

/** Records the run's version, and announces `<boundary>.recorded`. `before`: the run one version earlier; null: none. */
export function recordCheckpoint(
  engine: Pick<Engine, 'clock' | 'crash'>,
  transaction: Transaction,
  boundary: string,
  run: Run,
  before: Run | null,
): void {
  const known =
    before !== null &&
    transaction.get('SELECT 1 FROM agent_checkpoints WHERE run_id = ? AND version = ?', [
      run.runId,
      before.version,
    ]) !== undefined;
  const [changes, removed] = known
    ? difference(before.contextJson, run.contextJson)
    : [run.contextJson, null];
  transaction.run(
    `INSERT INTO agent_checkpoints (run_id, version, status, next_action, changes_json, removed_json, saved_at_utc)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, version) DO NOTHING`,
    [run.runId, run.version, run.status, run.nextAction, changes, removed, engine.clock.now()],
  );
  engine.crash.reach(`${boundary}.recorded`);
}

/** All recorded versions of the run, in order. The first recorded one is whole; each later one is put together. */
export function checkpointsOf(reader: Reader, runId: string): readonly PastCheckpoint[] {
  const rows = reader.all('SELECT * FROM agent_checkpoints WHERE run_id = ? ORDER BY version', [runId]);
  let context: JsonObject | null = null;
  return rows.map((row) => {
    const changes = decodeJson(String(row['changes_json']))?.value;
    const changed = isJsonObject(changes) ? changes : null;
    if (row['removed_json'] === null) context = changed;
    else context = context && changed && without({ ...context, ...changed }, String(row['removed_json']));
    return {
      version: Number(row['version']),
      status: String(row['status']),
      nextAction: row['next_action'] === null ? null : String(row['next_action']),
      context,
      savedAtUtc: row['saved_at_utc'] == null ? null : String(row['saved_at_utc']),
    };
  });
}

export function checkpointAt(reader: Reader, runId: string, version: number): PastCheckpoint | null {
  return checkpointsOf(reader, runId).find((checkpoint) => checkpoint.version === version) ?? null;
}

/** The members of `after` that `before` has not, as JSON, and the names of those that only `before` has. */
function difference(before: string, after: string): readonly [changes: string, removed: string | null] {
  const [old, now] = [decodeJson(before)?.value, decodeJson(after)?.value];
  if (!isJsonObject(old) || !isJsonObject(now)) return [after, null];
  const changed = Object.entries(now).filter(
    ([name, value]) => !Object.hasOwn(old, name) || text(old[name] ?? null) !== text(value),
  );
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  return [text(Object.fromEntries(changed)), text(removed)];
}

function without(context: JsonObject, removedJson: string): JsonObject {
  const removed = decodeJson(removedJson)?.value;
  const names = Array.isArray(removed) ? removed : [];
  return Object.fromEntries(Object.entries(context).filter(([name]) => !names.includes(name)));
}

/** Of what was JSON before. */
function text(value: JsonValue): string {
  const encoded = encodeJson(value, 'context');
  if (!encoded.ok) throw new Error(`a stored context is not JSON: ${encoded.failure.path}`);
  return encoded.value;
}
