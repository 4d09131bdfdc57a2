/**
 * Owns: the saved results: looking one up under its key, and saving one, where the first row wins (R5).
 * Leaves: the calls, and the events beside a row, to execute-once.ts, effects.ts, approvals.ts and doubt.ts.
 */
import type { Engine } from './engine.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { JsonObject } from './json.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import { effectFromRow } from './records.ts';
import { redactMembers } from './redaction.ts';

/** The saved result under the key; null if none. A row of another tool or other arguments fails with KeyReused. */
export function findEffect(
  reader: Reader,
  key: string,
  tool: string,
  argumentsHash: string,
): Result<JsonObject> | null {
  const row = reader.get(
    `SELECT tool_effects.*, arguments_hash FROM tool_effects
     LEFT JOIN effect_arguments USING (idempotency_key) WHERE idempotency_key = ?`,
    [key],
  );
  if (row === undefined) return null;
  const effect = effectFromRow(row);
  const differs =
    effect.toolName !== tool
      ? 'tool'
      : // A file from elsewhere has no hash: then only the tool can be compared.
        row['arguments_hash'] !== null && row['arguments_hash'] !== argumentsHash
        ? 'arguments'
        : null;
  if (differs !== null) return fail({ type: 'KeyReused', key, tool, storedTool: effect.toolName, differs });
  const result = decodeJson(effect.resultJson)?.value;
  if (!isJsonObject(result)) {
    return fail({ type: 'ToolFailed', tool, reason: `the saved result under ${key} is not a JSON object` });
  }
  return succeed(result);
}

/**
 * Inserts a row and its arguments' hash, unless the key has one. False: it has. Announces `.inserted` and
 * `.arguments_recorded`.
 */
export function insertEffect(
  engine: Pick<Engine, 'crash'>,
  transaction: Transaction,
  boundary: string,
  row: { key: string; tool: string; resultJson: string; argumentsHash: string },
): boolean {
  const inserted = transaction.run(
    `INSERT INTO tool_effects (idempotency_key, tool_name, result_json) VALUES (?, ?, ?)
     ON CONFLICT (idempotency_key) DO NOTHING`,
    [row.key, row.tool, row.resultJson],
  );
  engine.crash.reach(`${boundary}.inserted`);
  if (inserted === 0) return false;
  transaction.run(
    `INSERT INTO effect_arguments (idempotency_key, arguments_hash) VALUES (?1, ?2)
     ON CONFLICT (idempotency_key) DO UPDATE SET arguments_hash = ?2`,
    [row.key, row.argumentsHash],
  );
  engine.crash.reach(`${boundary}.arguments_recorded`);
  return true;
}

/**
 * Saves a result for a stored intent, whatever it came from: an answer, or a person. The values of the members that are
 * `secrets` are left out. Fails for what JSON cannot hold.
 */
export function saveEffect(
  engine: Pick<Engine, 'crash'>,
  transaction: Transaction,
  boundary: string,
  key: string,
  result: JsonObject,
  secrets: readonly string[] = [],
): Result<{ readonly first: boolean }> {
  const intent = transaction.get('SELECT * FROM tool_intents WHERE idempotency_key = ?', [key]);
  if (intent === undefined) throw new Error(`no intent under ${key}`);
  const whole = encodeJson(result, 'result');
  if (!whole.ok) return whole;
  const resultJson = encodeJson(redactMembers(result, secrets), 'result');
  if (!resultJson.ok) return resultJson;
  const [tool, argumentsHash] = [String(intent['tool_name']), String(intent['arguments_hash'])];
  const row = { key, tool, resultJson: resultJson.value, argumentsHash };
  return succeed({ first: insertEffect(engine, transaction, boundary, row) });
}
