import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson } from '../../src/engine/json.ts';

function refusedPath(value: unknown): string {
  const result = encodeJson(value, 'context');
  return result.ok ? 'accepted' : result.failure.path;
}

describe('canonical JSON (R10)', () => {
  test('keys are sorted at every depth', () => {
    expect(encodeJson({ b: 1, a: { d: [{ z: 0, y: null }], c: '' } }, 'context')).toEqual({
      ok: true,
      value: '{"a":{"c":"","d":[{"y":null,"z":0}]},"b":1}',
    });
  });

  test('what is falsy survives', () => {
    const value = { no: false, zero: 0, empty: '', nothing: null };
    const text = encodeJson(value, 'context');
    expect(text.ok && decodeJson(text.value)?.value).toEqual(value);
  });

  test.each([
    ['undefined', { a: undefined }, 'context.a'],
    ['NaN', { readings: [1, 2, 3, NaN] }, 'context.readings[3]'],
    ['Infinity', [Infinity], 'context[0]'],
    ['BigInt', { a: { b: 1n } }, 'context.a.b'],
    ['a Date', { at: new Date(0) }, 'context.at'],
    ['a Map', new Map(), 'context'],
    ['a function', { toJSON: () => 'x' }, 'context.toJSON'],
    ['an object of a nameless kind', Object.create(Object.create(null)), 'context'],
    ['a symbol', [Symbol('x')], 'context[0]'],
    ['a hole in an array', { list: Object.assign(new Array(3), { 0: 1, 2: 3 }) }, 'context.list[1]'],
    ['a lone surrogate', { text: 'a\ud800b' }, 'context.text'],
    ['a lone surrogate in a key', { '\udc00': 1 }, 'context.\udc00'],
  ])('%s is refused with its path', (_, value, path) => {
    expect(refusedPath(value)).toBe(path);
  });

  test('a cycle is refused, the same object twice is not', () => {
    const shared = { a: 1 };
    const cycle: Record<string, unknown> = { shared, again: shared };
    expect(refusedPath(cycle)).toBe('accepted');
    cycle['self'] = [cycle];
    expect(refusedPath(cycle)).toBe('context.self[0]');
  });

  test('a key named __proto__ is data like any other', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}');
    const text = encodeJson(value, 'context');
    expect(text).toEqual({ ok: true, value: '{"__proto__":{"a":1},"b":2}' });
    const copied = { ...(value as Record<string, unknown>) };
    expect(encodeJson(copied, 'context')).toEqual(text);
  });

  test('any JSON value comes back as it was, and its text does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = encodeJson(value, 'value');
        if (!text.ok) return text.failure.reason.includes('surrogate');
        const back = decodeJson(text.value)?.value;
        expect(back).toEqual(JSON.parse(JSON.stringify(value)));
        expect(encodeJson(back, 'value')).toEqual(text);
        return true;
      }),
    );
  });

  test('text that is not JSON is seen, not thrown', () => {
    expect(decodeJson('{')).toBeNull();
    expect(decodeJson('null')).toEqual({ value: null });
  });
});
