/**
 * Owns: what changed from one JSON object to another, as small as what was added; and putting the later one together.
 * Leaves: keeping it to history.ts.
 *
 * Places are JSON Pointers (RFC 6901): `/messages/12` is the thirteenth item of the list `messages`.
 */
import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './json.ts';

export interface Difference {
  /** What stands at these places now. */
  readonly changes: JsonObject;
  /** Places that are gone; of a list, all from there on. */
  readonly removed: readonly string[];
}

export function differenceOf(before: JsonObject, after: JsonObject): Difference {
  const changes: [pointer: string, value: JsonValue][] = [];
  const removed: string[] = [];

  function compare(old: JsonValue, now: JsonValue, at: string): void {
    if (isJsonObject(old) && isJsonObject(now)) {
      for (const name of Object.keys(old)) if (!Object.hasOwn(now, name)) removed.push(at + step(name));
      for (const [name, value] of Object.entries(now)) {
        if (Object.hasOwn(old, name)) compare(old[name] ?? null, value, at + step(name));
        else changes.push([at + step(name), value]);
      }
    } else if (isList(old) && isList(now)) {
      if (old.length > now.length) removed.push(at + step(String(now.length)));
      for (const [index, value] of now.entries()) {
        if (index < old.length) compare(old[index] ?? null, value, at + step(String(index)));
        else changes.push([at + step(String(index)), value]);
      }
    } else if (old !== now) {
      changes.push([at, now]);
    }
  }
  compare(before, after, '');
  return { changes: Object.fromEntries(changes), removed };
}

/** `before` with the difference. Null where a place leads nowhere: a file from elsewhere may hold anything. */
export function applied(before: JsonObject, { changes, removed }: Difference): JsonObject | null {
  const most = Object.keys(changes).length;
  const steps: (readonly [place: string, value: JsonValue | undefined])[] = [
    ...removed.map((place) => [place, undefined] as const),
    ...Object.entries(changes),
  ];
  let now: JsonValue | undefined = before;
  for (const [place, value] of steps) now = now && changed(now, stepsOf(place), value, most);
  return isJsonObject(now) ? now : null;
}

/**
 * With this value at the place, or, for undefined, without what stands there. Undefined: the place leads nowhere. `most`:
 * how far beyond its end a list may be added to, since its items come in the order of their pointers' text.
 */
function changed(
  holder: JsonValue,
  [name, ...rest]: readonly string[],
  value: JsonValue | undefined,
  most: number,
): JsonValue | undefined {
  if (name === undefined) return value;
  const isThere = rest.length === 0;
  if (isList(holder)) {
    const index = /^\d{1,9}$/.test(name) ? Number(name) : Infinity;
    if (index > holder.length + most) return undefined;
    if (isThere && value === undefined) return holder.slice(0, index);
    const item = changed(holder[index] ?? null, rest, value, most);
    if (item === undefined) return undefined;
    const items = [...holder];
    items[index] = item;
    return items;
  }
  if (!isJsonObject(holder)) return undefined;
  if (isThere && value === undefined)
    return Object.fromEntries(Object.entries(holder).filter(([member]) => member !== name));
  if (!isThere && !Object.hasOwn(holder, name)) return undefined;
  const member = changed(holder[name] ?? null, rest, value, most);
  return member === undefined ? undefined : { ...holder, [name]: member };
}

const step = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A pointer that does not begin with a slash leads nowhere in any object of ours. */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(pointer.startsWith('/') ? 1 : 0)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
