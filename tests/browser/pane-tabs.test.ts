/** The tabs of the lab's panes by keyboard, and the keys of the cursor: one stop, arrows, Home, End, numbers. */
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import type { Lab } from '../../src/lab/lab.svelte.ts';
import { panes as all } from '../../src/lab/panes.ts';
import PaneTabs from '../../src/lab/panes/PaneTabs.svelte';
import { Panes } from '../../src/lab/panes/panes.svelte.ts';
import { commandFor, type KeyCommand } from '../../src/ui/keys.ts';
import { Settings } from '../../src/ui/settings.svelte.ts';

const written: Record<string, unknown> = {};
const keep = {
  read: (key: string) => Promise.resolve(written[key]),
  write: (key: string, value: unknown) => {
    written[key] = value;
    return Promise.resolve(true);
  },
};
/** Nothing is read yet: each pane says so. */
const past = { run: null, current: null, earlier: null, at: null, commits: [] };
const lab = { pending: 'Reading the database…', run: null, view: null, past } as unknown as Lab;

let shown: Record<string, unknown> | null = null;
afterEach(async () => {
  if (shown) await unmount(shown);
  shown = null;
  document.body.replaceChildren();
  for (const key of Object.keys(written)) Reflect.deleteProperty(written, key);
});

async function show(): Promise<Panes> {
  const settings = new Settings(keep);
  await settings.load();
  const panes = new Panes(settings);
  shown = mount(PaneTabs, { target: document.body, props: { lab, panes } });
  flushSync();
  return panes;
}

const tabs = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[role=tab]')];
const selected = (): string[] =>
  tabs()
    .filter((tab) => tab.ariaSelected === 'true')
    .map((tab) => tab.textContent);

async function press(key: string, expected: string): Promise<void> {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  );
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe(expected));
  expect(selected()).toEqual([expected]);
  expect(tabs().filter((tab) => tab.tabIndex === 0)).toEqual([document.activeElement]);
}

test('the tabs are one stop; arrows go round, Home and End to the ends, and the open one is kept', async () => {
  await show();
  expect(tabs().map((tab) => tab.textContent)).toEqual(all.map(({ name }) => name));
  expect(selected()).toEqual(['Timeline']);
  tabs()[0]?.focus();
  await press('ArrowRight', 'Table');
  await press('ArrowRight', 'Diff');
  await press('Home', 'Timeline');
  await press('ArrowLeft', 'Raw JSON');
  await press('ArrowRight', 'Timeline');
  await press('End', 'Raw JSON');
  expect(written['preferences']).toMatchObject({ pane: 'json' });
});

test('the panel has the name of its tab, and the region of its pane', async () => {
  const panes = await show();
  await panes.show('diff');
  const panel = document.querySelector('[role=tabpanel]');
  expect(document.getElementById(panel?.getAttribute('aria-labelledby') ?? '')?.textContent).toBe('Diff');
  expect(tabs().every((tab) => tab.getAttribute('aria-controls') === panel?.id)).toBe(true);
  expect(panel?.querySelector('section')?.ariaLabel).toBe('Diff');
});

test('an address opens the pane that it names', async () => {
  const panes = await show();
  panes.showNamed('#/lab?view=json');
  await vi.waitFor(() => expect(selected()).toEqual(['Raw JSON']));
  panes.showNamed('#/lab?view=nothing');
  expect(panes.open).toBe('json');
});

function commandIn(html: string, key: string): KeyCommand | null {
  document.body.innerHTML = html;
  let command: KeyCommand | null = null;
  const listen = (event: KeyboardEvent): void => {
    command = commandFor(event);
  };
  addEventListener('keydown', listen, { once: true });
  document.body
    .querySelector('*')
    ?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  return command;
}

test('numbers open panes, arrows move the cursor, and neither is taken from a control that needs it', () => {
  expect(commandIn('<p>', '3')).toBe('pane-3');
  expect(commandIn('<p>', '8')).toBe(null);
  expect(commandIn('<p>', 'ArrowLeft')).toBe('back');
  expect(commandIn('<button>', 'ArrowRight')).toBe('forward');
  expect(commandIn('<p>', 'l')).toBe('live');
  expect(commandIn('<input>', '3')).toBe(null);
  expect(commandIn('<textarea>', 'l')).toBe(null);
  expect(commandIn('<input type="range">', 'ArrowLeft')).toBe(null);
  expect(commandIn('<button role="tab">', 'ArrowLeft')).toBe(null);
  expect(commandIn('<div role="toolbar">', 'ArrowLeft')).toBe(null);
  expect(commandIn('<div tabindex="0">', 'ArrowLeft')).toBe(null);
});
