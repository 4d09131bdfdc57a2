/**
 * Owns: what the page and the explorer's worker tell each other, and answering in the worker: one exploration at a time,
 * streamed, ended by the next one or by a word.
 * Leaves: exploring to explorer/; the page's side to explorer-client.ts.
 */
import type { Exploration, Explorer, Point } from '../explorer/explore.ts';
import { explorer } from '../explorer/explore.ts';
import type { ExplorerParts } from '../explorer/session.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { mistakes } from '../mistakes/mistakes.ts';
import { correct, type Variant } from '../mistakes/variant.ts';
import type { Ticket } from '../triage/ticket.ts';
import { triage } from '../triage/workflow.ts';
import { workflows } from '../triage/workflows.ts';
import { whyStopped } from './stopped.ts';

export type { Exploration, Point };

export interface Wanted {
  readonly ticketId: string;
  /** A workflow's name. */
  readonly workflow: string;
  /** `correct`, or the id of a mistake. */
  readonly variant: string;
  readonly crashes: 'one' | 'two';
}

export type ToExplorer =
  { readonly type: 'explore'; readonly id: number; readonly wanted: Wanted } | { readonly type: 'stop' };

/** What can be explored: the correct engine comes first. */
export type VariantView = Pick<Variant, 'id' | 'title'>;

export interface Choices {
  readonly variants: readonly VariantView[];
  /** `hasMistakes`: else only the correct engine runs it. The lesson's own comes first. */
  readonly workflows: readonly { readonly name: string; readonly hasMistakes: boolean }[];
}

export type FromExplorer =
  | { readonly type: 'choices'; readonly choices: Choices }
  | { readonly type: 'begun'; readonly id: number; readonly exploration: Exploration }
  | { readonly type: 'points'; readonly id: number; readonly points: readonly Point[] }
  | { readonly type: 'ended'; readonly id: number; readonly milliseconds: number }
  | { readonly type: 'failed'; readonly id: number; readonly failure: Failure };

export interface ExplorerHost {
  readonly tickets: readonly Ticket[];
  parts(): Promise<Result<ExplorerParts>>;
  tell(message: FromExplorer): void;
  /** Milliseconds, growing. */
  now(): number;
}

/** So many points a message: the screen fills while it goes on, and is not redrawn for each of them. */
const batch = 60;

/** Attach to the worker's messages before anything awaits. */
export function explorerMessages(host: ExplorerHost): (message: ToExplorer) => void {
  host.tell({
    type: 'choices',
    choices: {
      variants: explored.map(({ id, title }) => ({ id, title })),
      workflows: workflows.map((workflow) => ({ name: workflow.name, hasMistakes: workflow === triage })),
    },
  });
  let parts: Promise<Result<ExplorerParts>> | null = null;
  let current = new AbortController();

  async function explore(id: number, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const began = host.now();
    parts ??= host.parts();
    const ready = await parts;
    if (!ready.ok) {
      parts = null;
      host.tell({ type: 'failed', id, failure: ready.failure });
      return;
    }
    const ticket = host.tickets.find((one) => one.ticketId === wanted.ticketId);
    if (ticket === undefined) {
      host.tell({ type: 'failed', id, failure: { type: 'TicketNotFound', ticketId: wanted.ticketId } });
      return;
    }
    const workflow = workflows.find(({ name }) => name === wanted.workflow) ?? triage;
    const variant = workflow === triage ? variantOf(wanted.variant) : correct;
    const made: Explorer = await explorer(ready.value, { ticket, variant, workflow });
    if (signal.aborted) return;
    host.tell({ type: 'begun', id, exploration: made.exploration });
    let points: Point[] = [];
    const flush = (): void => {
      if (points.length > 0 && !signal.aborted) host.tell({ type: 'points', id, points });
      points = [];
    };
    await made[wanted.crashes]((point) => {
      points.push(point);
      if (points.length >= batch) flush();
    }, signal);
    flush();
    if (!signal.aborted) host.tell({ type: 'ended', id, milliseconds: host.now() - began });
  }

  return (message) => {
    current.abort();
    if (message.type === 'stop') return;
    const { id, wanted } = message;
    current = new AbortController();
    const { signal } = current;
    explore(id, wanted, signal).catch((error: unknown) => {
      host.tell({ type: 'failed', id, failure: whyStopped(String(error)) });
    });
  };
}

/** The version guard is no matter of crashes. */
const explored: readonly Variant[] = [correct, ...mistakes.filter(({ id }) => id !== 'e5')];

function variantOf(id: string): Variant {
  return explored.find((one) => one.id === id) ?? correct;
}
