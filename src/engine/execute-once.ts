/**
 * Owns: the saved-result path. A tool that already has a saved result is not called again, in whatever session.
 * Leaves: the checkpoint that builds on the result to checkpoint.ts (R6); what a tool does to the Tools port; slow
 * and remote calls to effects.ts; the row itself to tool-effects.ts.
 * Invariants: one saved row a key, the first row wins (R5); the row and its event are one transaction (R2); the
 * call itself is outside every transaction (R11).
 *
 * A crash after the call and before the durable row leads to a second call. Its result is recorded once (R14).
 */
import type { Engine } from './engine.ts';
import { loadRun, stateConflict } from './checkpoint.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail } from './failure.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { Reader, ToolRequest } from './ports.ts';
import type { Run } from './records.ts';
import { redactText } from './redaction.ts';
import { findEffect, insertEffect } from './tool-effects.ts';
import { hashJson } from './workflow.ts';

/** The same on every retry and in every session (R4): the run and the logical action, nothing random. */
export function idempotencyKey(runId: string, action: string): string {
  return `${runId}:${action}`;
}

/**
 * The tool's result for this run and action as it is saved, before or after a call now; durable on return (R9).
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
  const key = idempotencyKey(runId, action);
  const request: ToolRequest = { key, tool, arguments: toolArguments, destination: null, scope: '' };

  const argumentsHash = hashJson(toolArguments);
  const find = (reader: Reader) => findEffect(reader, key, tool, argumentsHash);

  const saved = await engine.database.read(find);
  if (saved !== null) {
    if (!saved.ok) return saved;
    return engine.database.commit(`${action}.reuse`, (transaction) => {
      const session = labelFor(engine, transaction, run);
      if (session === null) return stateConflict(transaction, run);
      appendEvent(engine, transaction, `${action}.reuse`, session, reused(runId, action, key));
      return saved;
    });
  }

  const answer = await engine.tools.call(request, new AbortController().signal);
  if (answer.type !== 'done') {
    return fail({ type: 'ToolFailed', tool, reason: redactText(answer.reason) });
  }
  const resultJson = encodeJson(answer.result, 'result');
  if (!resultJson.ok) return resultJson;
  const boundary = `${action}.tool`;
  engine.crash.reach(`${boundary}.called`);

  return engine.database.commit(boundary, (transaction) => {
    const session = labelFor(engine, transaction, run);
    if (session === null) return stateConflict(transaction, run);
    const row = { key, tool, resultJson: resultJson.value, argumentsHash };
    const isFirst = insertEffect(engine, transaction, boundary, row);
    // Another worker may have saved first: then its row is the result, and ours is dropped (R5).
    const stored = find(transaction);
    if (stored === null) throw new Error(`${key} was saved and is not there`);
    const executed = { runId, type: 'tool_executed', action, detail: key } as const;
    const event = isFirst ? executed : reused(runId, action, key);
    if (stored.ok) appendEvent(engine, transaction, boundary, session, event);
    return stored;
  });
}

/** This worker's label, or null when the lab was reset or replaced since it took the run up: then nothing is written. */
function labelFor(engine: Engine, reader: Reader, run: Run): string | null {
  return loadRun(reader, run.runId) === undefined ? null : labelOf(engine, reader);
}

function reused(runId: string, action: string, key: string) {
  return { runId, type: 'tool_reused', action, detail: key } as const;
}
