/**
 * Owns: reading the records from JSON, with the defaults that aisuite's reader has; what is wrong is told with its path.
 * Further keys are kept as they are.
 * Leaves: text to state-json.ts.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../engine/json.ts';
import {
  defaultMaxTurns,
  runStatuses,
  runStepTypes,
  type RunState,
  type RunStep,
  type StoredRunState,
} from './records.ts';

/** What in a document is not as it must be; `path` names it, as in `state.messages[3]`. */
export class Misread extends Error {
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/** Throws a Misread. */
export function parseStored(value: JsonValue): StoredRunState {
  const found = object(value, 'document');
  const at = (key: string): JsonValue | undefined => own(found, key);
  return {
    ...found,
    thread_id: text(at('thread_id'), 'thread_id'),
    state: parseState(at('state')),
    revision: count(at('revision'), 'revision', 1),
    created_at: text(at('created_at'), 'created_at'),
    updated_at: text(at('updated_at'), 'updated_at'),
    metadata: object(at('metadata') ?? {}, 'metadata'),
  };
}

/** Throws a Misread. `path`: where the state stands. */
export function parseState(value: JsonValue | undefined, path = 'state'): RunState {
  const found = object(value, path);
  const at = (key: string): JsonValue | undefined => own(found, key);
  return {
    ...found,
    agent_name: text(at('agent_name'), `${path}.agent_name`),
    messages: list(at('messages') ?? [], `${path}.messages`, object),
    status: oneOf(runStatuses, at('status') ?? 'completed', `${path}.status`),
    run_name: textOrNull(at('run_name'), `${path}.run_name`),
    trace_id: textOrNull(at('trace_id'), `${path}.trace_id`),
    parent_run_id: textOrNull(at('parent_run_id'), `${path}.parent_run_id`),
    group_id: textOrNull(at('group_id'), `${path}.group_id`),
    tags: list(at('tags') ?? [], `${path}.tags`, text),
    metadata: object(at('metadata') ?? {}, `${path}.metadata`),
    steps: list(at('steps') ?? [], `${path}.steps`, parseStep),
    max_turns: count(at('max_turns') ?? defaultMaxTurns, `${path}.max_turns`, 0),
  };
}

function parseStep(value: JsonValue, path: string): RunStep {
  const found = object(value, path);
  const at = (key: string): JsonValue | undefined => own(found, key);
  return {
    ...found,
    id: text(at('id'), `${path}.id`),
    type: oneOf(runStepTypes, at('type'), `${path}.type`),
    name: textOrNull(at('name'), `${path}.name`),
    trace_id: text(at('trace_id'), `${path}.trace_id`),
    parent_id: textOrNull(at('parent_id'), `${path}.parent_id`),
    started_at: text(at('started_at') ?? '', `${path}.started_at`),
    ended_at: textOrNull(at('ended_at'), `${path}.ended_at`),
    data: object(at('data') ?? {}, `${path}.data`),
  };
}

/** What stands under a key of the object itself: `constructor` and its like are keys like any other. */
function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function object(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrong(path, value, 'an object');
}

function text(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string') return value;
  throw wrong(path, value, 'a text');
}

function textOrNull(value: JsonValue | undefined, path: string): string | null {
  return value === undefined || value === null ? null : text(value, path);
}

function count(value: JsonValue | undefined, path: string, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw wrong(path, value, `a whole number from ${String(least)}`);
}

function oneOf<T extends string>(known: readonly T[], value: JsonValue | undefined, path: string): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw wrong(path, value, `one of ${known.join(', ')}`);
}

function list<T>(value: JsonValue, path: string, item: (value: JsonValue, path: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw wrong(path, value, 'a list');
  return value.map((one: JsonValue, index) => item(one, `${path}[${String(index)}]`));
}

function wrong(path: string, value: JsonValue | undefined, wanted: string): Misread {
  if (value === undefined) return new Misread(path, `is missing; ${wanted} belongs there`);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  const shown =
    typeof value === 'string' || typeof value === 'number' ? ` (${JSON.stringify(value).slice(0, 40)})` : '';
  return new Misread(path, `is ${kind}${shown} where ${wanted} belongs`);
}
