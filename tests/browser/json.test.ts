/** A JSON column on screen: short as it is, long behind a summary, and never longer on screen than it is stored by much. */
import { mount, unmount } from 'svelte';
import { afterEach, expect, test } from 'vitest';
import Json from '../../src/ui/Json.svelte';

let shown: Record<string, unknown> | null = null;
afterEach(async () => {
  if (shown) await unmount(shown);
  document.body.replaceChildren();
});

function show(text: string): void {
  shown = mount(Json, { target: document.body, props: { text } });
}

const pretty = (): string => document.querySelector('pre')?.textContent ?? '';
const summary = (): string => document.querySelector('summary')?.textContent ?? '';

test('a short text is shown as it is stored, whatever it is', () => {
  show('{"a": [1]}');
  expect(document.body.textContent).toContain('{"a": [1]}');
  expect(document.querySelector('details')).toBe(null);
});

test('a long one is told by its names and indented behind them', () => {
  const value = {
    ticket: { area: 'cold storage', outage_minutes: 18 },
    priority: 'urgent',
    reply: 'x'.repeat(40),
  };
  show(JSON.stringify(value));
  expect(summary()).toBe('{ ticket, priority, reply }');
  expect(pretty()).toBe(JSON.stringify(value, null, 2));
});

test('a deep one is not indented once that would take many times its length', () => {
  const levels = 200;
  const deep = '['.repeat(levels) + ']'.repeat(levels);
  const text = `{"deep":[${Array.from({ length: 60 }, () => deep).join(',')}]}`;
  expect(JSON.stringify(JSON.parse(text), null, 2).length).toBeGreaterThan(50 * text.length);
  show(text);
  expect(summary()).toBe('{ deep }');
  expect(pretty()).toBe(text);
});

test('a text with a thousand names is told by the first ones', () => {
  show(JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`name-${at}`, at]))));
  expect(summary()).toMatch(/^\{ name-0, name-1, .*… \}$/);
  expect(summary().length).toBeLessThan(220);
});

test('a long text that is no JSON is shown as it is', () => {
  const text = '{"a": '.repeat(40);
  show(text);
  expect(summary()).toBe('not JSON');
  expect(pretty()).toBe(text);
});
