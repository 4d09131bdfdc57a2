/**
 * Owns: a run as one JSON document, and its lines with what a commit changed in them.
 * Leaves: which moment it is of to past.ts, showing it to the lab.
 */
import { differenceOf } from '../engine/difference.ts';
import type { JsonObject, JsonValue } from '../engine/json.ts';
import { decodeJson, isJsonObject } from '../engine/json.ts';
import { valueAt } from './diff.ts';
import type { RunView } from './views.ts';

/** The rows as they are stored; JSON columns as what they hold. */
export function rawOf({ run, workflow, parent, events, effects }: RunView): JsonObject {
  const { runId, ticketId, status, nextAction, version, contextJson } = run;
  return {
    run: { run_id: runId, ticket_id: ticketId, status, next_action: nextAction, version },
    workflow,
    ...(parent ? { parent: { run_id: parent.runId, version: parent.version } } : {}),
    context: held(contextJson),
    events: events.map((event) => ({
      sequence: event.sequence,
      session: event.session,
      event_type: event.eventType,
      action: event.action,
      detail: event.detail,
      created_at_utc: event.createdAtUtc,
    })),
    effects: effects.map((effect) => ({
      idempotency_key: effect.idempotencyKey,
      tool_name: effect.toolName,
      result: held(effect.resultJson),
    })),
  };
}

/** Intents are told as they are: when an attempt was made, no event tells. */
export function rawIntents({ intents }: RunView): readonly JsonObject[] {
  return intents.map((intent) => ({
    idempotency_key: intent.key,
    action: intent.action,
    tool_name: intent.tool,
    safety: intent.safety,
    arguments: held(intent.argumentsJson),
    destination: intent.destination,
    state: intent.state,
    failures: intent.failures,
    attempts: intent.attempts.length,
  }));
}

/** What is no JSON is shown as the text that it is. */
function held(text: string): JsonValue {
  return decodeJson(text)?.value ?? text;
}

export interface RawLine {
  readonly text: string;
  readonly mark: 'added' | 'changed' | null;
}

/** The document in lines. Marked are the places that differ from `before`; null: nothing is marked. */
export function rawLines(document: JsonObject, before: JsonObject | null): readonly RawLine[] {
  const changes = before === null ? {} : differenceOf(before, document).changes;
  const lines: RawLine[] = [];

  function put(
    value: JsonValue,
    indent: string,
    name: string,
    at: string,
    marked: RawLine['mark'],
    comma: string,
  ) {
    const mark =
      marked ??
      (Object.hasOwn(changes, at)
        ? before && valueAt(before, at) !== undefined
          ? 'changed'
          : 'added'
        : null);
    const entries = entriesOf(value);
    if (entries === null || entries.length === 0) {
      lines.push({ text: `${indent}${name}${JSON.stringify(value)}${comma}`, mark });
      return;
    }
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    lines.push({ text: `${indent}${name}${open ?? ''}`, mark });
    for (const [index, [key, item]] of entries.entries()) {
      const label = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
      const place = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      put(item, `${indent}  `, label, place, mark, index < entries.length - 1 ? ',' : '');
    }
    lines.push({ text: `${indent}${close ?? ''}${comma}`, mark });
  }
  put(document, '', '', '', null, '');
  return lines;
}

function entriesOf(value: JsonValue): readonly (readonly [string, JsonValue])[] | null {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item, index) => [String(index), item]);
  return isJsonObject(value) ? Object.entries(value) : null;
}
