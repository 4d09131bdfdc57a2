/**
 * Owns: what an address asks of the lab: `#/lab?t=T104&crash=lookup_runbook.tool.durable&cursor=5&view=timeline`. It only
 * chooses and arms: what is stored stays as it is.
 * Leaves: `view` to panes.ts.
 */
import type { LabView } from '../bridge/views.ts';
import type { Lab } from './lab.svelte.ts';
import { paneInHash } from './panes.ts';

const names = ['t', 'run', 'crash', 'cursor'] as const;

/** Does the address ask for more than the lab, or for something unknown? */
export function asksSomething(hash: string): boolean {
  return new URLSearchParams(hash.split('?')[1] ?? '').size > 0;
}

export interface Asked {
  readonly runId: string | null;
  readonly ticketId: string | null;
  /** In their order. */
  readonly boundaries: readonly string[];
  /** Sequence of the event to look at. */
  readonly cursor: number | null;
  /** What is asked for and there is none of, in words. */
  readonly unknown: readonly string[];
}

export function readLabLink(hash: string, view: Pick<LabView, 'runs' | 'tickets' | 'workflows'>): Asked {
  const asked = new URLSearchParams(hash.split('?')[1] ?? '');
  const unknown: string[] = [];
  const known = (name: (typeof names)[number], what: string, all: readonly string[]): string | null => {
    const value = asked.get(name);
    if (value === null || all.includes(value)) return value;
    unknown.push(`there is no ${what} “${value}”`);
    return null;
  };
  const runId = known(
    'run',
    'run',
    view.runs.map((run) => run.runId),
  );
  const ticketId = known(
    't',
    'ticket',
    view.tickets.map((ticket) => ticket.ticketId),
  );
  const all = view.workflows.flatMap(({ boundaries }) => boundaries.flatMap((group) => group.boundaries));
  const boundaries = (asked.get('crash')?.split(',') ?? []).filter((boundary) => {
    const isKnown = all.some(({ name }) => name === boundary);
    if (!isKnown) unknown.push(`there is no boundary “${boundary}”`);
    return isKnown;
  });
  const place = asked.get('cursor');
  const cursor = place !== null && /^\d{1,9}$/.test(place) ? Number(place) : null;
  if (place !== null && cursor === null) unknown.push(`“${place}” is no event’s number`);
  if (asked.has('view') && paneInHash(hash) === null)
    unknown.push(`there is no pane “${asked.get('view') ?? ''}”`);
  for (const name of new Set(asked.keys())) {
    if (name !== 'view' && !names.some((one) => one === name)) unknown.push(`“${name}” says nothing here`);
  }
  return { runId, ticketId, boundaries, cursor, unknown };
}

/** Carries out what the address asks of an open lab, and says what it could not. */
export async function follow(lab: Lab, view: LabView, hash: string): Promise<void> {
  const { runId, ticketId, boundaries, cursor, unknown } = readLabLink(hash, view);
  const untold = [...unknown];
  if (runId !== null) await lab.choose(runId);
  else if (ticketId !== null) await lab.chooseTicket(ticketId);
  if (boundaries.length > 0) await lab.arm(boundaries.map((boundary) => ({ boundary, every: false })));
  if (cursor !== null) {
    if (lab.run?.events.some(({ sequence }) => sequence === cursor)) lab.past.choose(cursor);
    else untold.push(`the run on screen has no event ${String(cursor)}`);
  }
  if (untold.length > 0) {
    lab.note = `The address was not understood in full: ${untold.join('; ')}. What is shown is the nearest to it.`;
  }
}
