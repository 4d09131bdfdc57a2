/**
 * Owns: the history of checkpoints: one row a version, for looking back, comparing and forking.
 * Leaves: the current checkpoint, which alone a run continues from, to checkpoint.ts; what changed to difference.ts.
 * Invariant: a row keeps what changed since the version before it, so a step costs what it adds, however long the run.
 */
import { applied, differenceOf } from './difference.ts';
import type { Engine } from './engine.ts';
import type { JsonObject } from './json.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, SqlValue, Transaction } from './ports.ts';
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

/** A row of the history, as it is stored. */
export interface CheckpointRow {
  readonly version: number;
  readonly status: string;
  readonly nextAction: string | null;
  /** What changed since the version before; with `removedJson` null, the whole context. */
  readonly changesJson: string;
  readonly removedJson: string | null;
  readonly savedAtUtc: string | null;
}

/** All recorded versions of the run, in order, as they are stored. */
export function checkpointRows(reader: Reader, runId: string): readonly CheckpointRow[] {
  return reader
    .all('SELECT * FROM agent_checkpoints WHERE run_id = ? ORDER BY version', [runId])
    .map((row) => ({
      version: Number(row['version']),
      status: String(row['status']),
      nextAction: textOrNull(row['next_action']),
      changesJson: String(row['changes_json']),
      removedJson: textOrNull(row['removed_json']),
      savedAtUtc: textOrNull(row['saved_at_utc']),
    }));
}

/** The checkpoints of these rows. The first recorded one is whole; each later one is put together. */
export function checkpointsFrom(rows: readonly CheckpointRow[]): readonly PastCheckpoint[] {
  let before: PastCheckpoint | null = null;
  return rows.map((row) => {
    const { version, status, nextAction, savedAtUtc } = row;
    const base = before?.version === version - 1 ? before.context : null;
    before = { version, status, nextAction, context: contextIn(row, base), savedAtUtc };
    return before;
  });
}

export function checkpointsOf(reader: Reader, runId: string): readonly PastCheckpoint[] {
  return checkpointsFrom(checkpointRows(reader, runId));
}

/** `base`: the context of the version before; null: not known, then only a whole one can be read. */
function contextIn({ changesJson, removedJson }: CheckpointRow, base: JsonObject | null): JsonObject | null {
  const changes = decodeJson(changesJson)?.value;
  if (!isJsonObject(changes)) return null;
  if (removedJson === null) return changes;
  const removed = decodeJson(removedJson)?.value;
  if (base === null || !Array.isArray(removed)) return null;
  return applied(base, { changes, removed: removed.map(String) });
}

function textOrNull(value: SqlValue | undefined): string | null {
  return value == null ? null : String(value);
}

export function checkpointAt(reader: Reader, runId: string, version: number): PastCheckpoint | null {
  return checkpointsOf(reader, runId).find((checkpoint) => checkpoint.version === version) ?? null;
}

/** What changed, as two JSON texts; or the whole context and null, where that is not longer, or not to be had. */
function difference(before: string, after: string): readonly [changes: string, removed: string | null] {
  const [old, now] = [decodeJson(before)?.value, decodeJson(after)?.value];
  if (!isJsonObject(old) || !isJsonObject(now)) return [after, null];
  const { changes, removed } = differenceOf(old, now);
  // A context from elsewhere may hold what is read as JSON, and not written as JSON.
  const [changed, gone] = [encodeJson(changes, 'changes'), encodeJson(removed, 'removed')];
  if (!changed.ok || !gone.ok) return [after, null];
  return changed.value.length + gone.value.length < after.length
    ? [changed.value, gone.value]
    : [after, null];
}
