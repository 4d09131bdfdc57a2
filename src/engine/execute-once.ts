/**
 * Owns: the saved-result path. A tool that already has a saved result is not called again, in whatever session.
 * Leaves: the checkpoint that builds on the result to checkpoint.ts (R6); what a tool does to the Tools port.
 * Invariants: one saved row a key, the first row wins (R5); the row and its event are one transaction (R2); the
 * call itself is outside every transaction (R11).
 *
 * A crash after the call and before the durable row leads to a second call. Its result is recorded once (R14).
 */
import type { Engine } from './engine.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { JsonObject } from './json.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, ToolRequest } from './ports.ts';
import type { Run } from './records.ts';
import { effectFromRow } from './records.ts';
import { hashJson } from './workflow.ts';

/** The same on every retry and in every session (R4): the run and the logical action, nothing random. */
export function idempotencyKey(runId: string, action: string): string {
  return `${runId}:${action}`;
}

/**
 * The tool's result for this run and action: the saved one, or that of a call, durable on return (R9).
 * Fails with ToolFailed (nothing recorded), KeyReused (the key belongs to something else), or
 * StateConflict (the run is not what this worker took up).
 */
export async function executeOnce(
  engine: Engine,
  run: Run,
  action: string,
  tool: string,
  toolArguments: JsonObject,
): Promise<Result<JsonObject>> {
  const encoded = encodeJson(toolArguments, 'arguments');
  if (!encoded.ok) return encoded;
  const { runId } = run;
  const request: ToolRequest = { key: idempotencyKey(runId, action), tool, arguments: toolArguments };

  const saved = await engine.database.read((reader) => findSaved(reader, request));
  if (saved !== null) {
    if (!saved.ok) return saved;
    return engine.database.commit(`${action}.reuse`, (transaction) => {
      const session = labelFor(engine, transaction, run);
      if (session === null) return stateConflict(transaction, run);
      appendEvent(engine, transaction, `${action}.reuse`, session, reused(runId, action, request.key));
      return saved;
    });
  }

  const answer = await engine.tools.call(request);
  if (!answer.ok) return answer;
  const resultJson = encodeJson(answer.value, 'result');
  if (!resultJson.ok) return resultJson;
  const boundary = `${action}.tool`;
  engine.crash.reach(`${boundary}.called`);

  return engine.database.commit(boundary, (transaction) => {
    const session = labelFor(engine, transaction, run);
    if (session === null) return stateConflict(transaction, run);
    const inserted = transaction.run(
      `INSERT INTO tool_effects (idempotency_key, tool_name, result_json) VALUES (?, ?, ?)
       ON CONFLICT (idempotency_key) DO NOTHING`,
      [request.key, tool, resultJson.value],
    );
    engine.crash.reach(`${boundary}.inserted`);
    if (inserted === 0) {
      // Another worker saved first: its row is the result, ours is dropped (R5).
      const winner = findSaved(transaction, request);
      if (winner === null) throw new Error(`${request.key} is taken and not there`);
      if (winner.ok) appendEvent(engine, transaction, boundary, session, reused(runId, action, request.key));
      return winner;
    }
    transaction.run(
      `INSERT INTO effect_arguments (idempotency_key, arguments_hash) VALUES (?1, ?2)
       ON CONFLICT (idempotency_key) DO UPDATE SET arguments_hash = ?2`,
      [request.key, hashJson(toolArguments)],
    );
    engine.crash.reach(`${boundary}.arguments_recorded`);
    const event = { runId, type: 'tool_executed', action, detail: request.key } as const;
    appendEvent(engine, transaction, boundary, session, event);
    return answer;
  });
}

/** This worker's label, or null when the lab was reset or replaced since it took the run up: then nothing is written. */
function labelFor(engine: Engine, reader: Reader, run: Run): string | null {
  return loadRun(reader, run.runId) === undefined ? null : labelOf(engine, reader);
}

/** The saved result under the request's key; null if none. A row of another tool or other arguments fails. */
function findSaved(reader: Reader, request: ToolRequest): Result<JsonObject> | null {
  const { key, tool } = request;
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
        row['arguments_hash'] !== null && row['arguments_hash'] !== hashJson(request.arguments)
        ? 'arguments'
        : null;
  if (differs !== null) return fail({ type: 'KeyReused', key, tool, storedTool: effect.toolName, differs });
  const result = decodeJson(effect.resultJson)?.value;
  if (!isJsonObject(result)) {
    return fail({ type: 'ToolFailed', tool, reason: `the saved result under ${key} is not a JSON object` });
  }
  return succeed(result);
}

function reused(runId: string, action: string, key: string) {
  return { runId, type: 'tool_reused', action, detail: key } as const;
}
