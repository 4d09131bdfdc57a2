/**
 * Owns: the panes below the tables: their order, names, places in the address, and how each is loaded when it is first
 * opened.
 * Leaves: which one is open to panes/panes.svelte.ts, the tabs to panes/PaneTabs.svelte.
 */
import type { Component } from 'svelte';
import { paneIds, type PaneId } from '../ui/pane-ids.ts';
import type { Lab } from './lab.svelte.ts';

export type PaneComponent = Component<{ lab: Lab }>;

export interface Pane {
  /** As it stands in the address: `#/lab?view=diff`. */
  readonly id: PaneId;
  /** On its tab. */
  readonly name: string;
  /** What it is good for, in one line. */
  readonly title: string;
  readonly load: () => Promise<{ readonly default: PaneComponent }>;
}

const parts: Readonly<Record<PaneId, Omit<Pane, 'id'>>> = {
  timeline: {
    name: 'Timeline',
    title: 'The events in order, a shape a session',
    load: () => import('./panes/TimelinePane.svelte'),
  },
  table: {
    name: 'Table',
    title: 'The same events as rows, with the time between them',
    load: () => import('./panes/TablePane.svelte'),
  },
  diff: {
    name: 'Diff',
    title: 'What the commit at the cursor changed, row by row',
    load: () => import('./panes/DiffPane.svelte'),
  },
  console: {
    name: 'SQL console',
    title: 'Ask the database yourself',
    load: () => import('./console/ConsolePane.svelte'),
  },
  log: {
    name: 'SQL log',
    title: 'The statements that the engine ran, commit by commit',
    load: () => import('./panes/SqlLogPane.svelte'),
  },
  code: {
    name: 'Code',
    title: 'The engine’s own source',
    load: () => import('./code/CodePane.svelte'),
  },
  json: {
    name: 'Raw JSON',
    title: 'The run as it is stored, as JSON',
    load: () => import('./panes/RawPane.svelte'),
  },
};

export const panes: readonly Pane[] = paneIds.map((id) => ({ id, ...parts[id] }));

/** The pane that an address asks for, `#/lab?view=diff`; null: it asks for none that there is. */
export function paneInHash(hash: string): PaneId | null {
  const wanted = new URLSearchParams(hash.split('?')[1] ?? '').get('view');
  return paneIds.find((id) => id === wanted) ?? null;
}

/** Where a key leads within a list of tabs (WAI-ARIA tabs): the tab's index; null: nowhere. */
export function tabAfter(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
