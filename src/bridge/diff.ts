/**
 * Owns: what one commit of a run changed, row by row and, inside JSON, place by place.
 * Leaves: what was stored before and after to past.ts, showing it to the lab.
 */
import { differenceOf } from '../engine/difference.ts';
import type { JsonObject, JsonValue } from '../engine/json.ts';
import { decodeJson, isJsonObject } from '../engine/json.ts';
import type { PastRun } from './past.ts';

/** One place. `before` or `after` null: nothing stands there. Both as JSON text, or as the column's own text. */
export interface Change {
  /** A column, or a place in one: `context.ticket.area`, `context.readings[3]`. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface RowDiff {
  readonly table: string;
  /** Which row, in words. */
  readonly row: string;
  readonly operation: 'added' | 'changed';
  readonly changes: readonly Change[];
}

/** `before`: the run one commit earlier; null: the commit at the cursor is the run's first. */
export function diffOf(before: PastRun | null, after: PastRun): readonly RowDiff[] {
  const [old, now] = [before?.run ?? null, after.run];
  const rows: RowDiff[] = [];
  if (old === null || old.run.version !== now.run.version) {
    const changes = [
      ...(['status', 'nextAction', 'version'] as const).flatMap((name) =>
        changeOf(columns[name], old && textOf(old.run[name]), textOf(now.run[name])),
      ),
      ...contextChanges(old?.run.contextJson ?? null, now.run.contextJson),
    ];
    rows.push(
      { table: 'agent_runs', row: now.run.runId, operation: old ? 'changed' : 'added', changes },
      {
        table: 'agent_checkpoints',
        row: `version ${now.run.version}`,
        operation: 'added',
        changes: [{ place: 'the version', before: null, after: 'kept for looking back' }],
      },
    );
  }
  for (const event of after.commit.events) {
    const { sequence, session, eventType, action, detail, createdAtUtc } = event;
    const values = { session, event_type: eventType, action, detail, created_at_utc: createdAtUtc };
    rows.push(added('agent_events', `sequence ${sequence}`, Object.entries(values)));
  }
  const intended = new Set(old?.intents.map(({ key }) => key));
  for (const { key, tool, safety, argumentsJson } of now.intents) {
    if (intended.has(key)) continue;
    const values = { tool_name: tool, safety, arguments_json: argumentsJson };
    rows.push(added('tool_intents', key, Object.entries(values)));
  }
  const known = new Set(old?.effects.map(({ rowid }) => rowid));
  for (const { rowid, idempotencyKey, toolName, resultJson } of now.effects) {
    if (known.has(rowid)) continue;
    const columns = { tool_name: toolName, result_json: resultJson };
    rows.push(added('tool_effects', idempotencyKey, Object.entries(columns)));
  }
  return rows;
}

const columns = { status: 'status', nextAction: 'next_action', version: 'version' } as const;
const textOf = (value: string | number | null): string => (value === null ? 'NULL' : String(value));

function added(table: string, row: string, values: readonly (readonly [string, string])[]): RowDiff {
  const changes = values.map(([place, after]) => ({ place, before: null, after }));
  return { table, row, operation: 'added', changes };
}

function changeOf(place: string, before: string | null, after: string): readonly Change[] {
  return before === after ? [] : [{ place, before, after }];
}

function contextChanges(before: string | null, after: string): readonly Change[] {
  const [old, now] = [before === null ? {} : decodeJson(before)?.value, decodeJson(after)?.value];
  if (isJsonObject(old) && isJsonObject(now)) return jsonChanges('context', old, now);
  return changeOf('context', before, after);
}

/** The places that differ, in the order of the later object; what is gone comes first. */
export function jsonChanges(name: string, before: JsonObject, after: JsonObject): readonly Change[] {
  const { changes, removed } = differenceOf(before, after);
  const gone = removed.map((pointer) => pointerIn(name, before, pointer));
  const pointers = Object.keys(changes);
  return [
    ...gone.map(({ place, value }) => ({ place, before: jsonText(value), after: null })),
    ...pointers.map((pointer) => ({
      place: pointerIn(name, after, pointer).place,
      before: jsonText(pointerIn(name, before, pointer).value),
      after: jsonText(pointerIn(name, after, pointer).value),
    })),
  ];
}

const jsonText = (value: JsonValue | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** What stands at the pointer; undefined: nothing. */
export function valueAt(holder: JsonObject, pointer: string): JsonValue | undefined {
  return pointerIn('', holder, pointer).value;
}

/** The place that a pointer names, as a person writes it, and what stands there. */
function pointerIn(name: string, holder: JsonObject, pointer: string) {
  let place = name;
  let value: JsonValue | undefined = holder;
  for (const step of stepsOf(pointer)) {
    place += Array.isArray(value)
      ? `[${step}]`
      : /^[\w$]+$/.test(step)
        ? `.${step}`
        : `[${JSON.stringify(step)}]`;
    value = memberOf(value, step);
  }
  return { place, value };
}

function memberOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(step)];
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
