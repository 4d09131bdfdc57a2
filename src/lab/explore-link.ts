/** Owns: what an address says of an exploration: which one it is, and which of its crashes is looked at. Pure. */
import type { Choices, Wanted } from '../bridge/explorer-client.ts';

export interface Linked {
  readonly wanted: Wanted;
  /** The crashes of the point that is looked at; empty: none. */
  readonly at: readonly string[];
  /** What the address names and there is none of, in words. */
  readonly unknown: readonly string[];
}

export const usual: Wanted = { ticketId: 'T104', workflow: 'triage', variant: 'correct', crashes: 'one' };

/** `#/explore?t=T104&w=triage&engine=e2&crashes=one&at=lookup_runbook.tool.durable` */
export function linkOf(wanted: Wanted, at: readonly string[]): string {
  const said = new URLSearchParams({
    t: wanted.ticketId,
    w: wanted.workflow,
    engine: wanted.variant,
    crashes: wanted.crashes,
    ...(at.length > 0 ? { at: at.join(',') } : {}),
  });
  return `#/explore?${said.toString()}`;
}

/** Null: the address names nothing in particular. What it does not say is as usual. */
export function readLink(hash: string, choices: Choices, tickets: readonly string[]): Linked | null {
  const said = new URLSearchParams(hash.split('?')[1] ?? '');
  if (said.size === 0) return null;
  const unknown: string[] = [];
  function oneOf<T extends string>(name: string, what: string, known: readonly T[], otherwise: T): T {
    const value = said.get(name);
    const found = known.find((one) => one === value);
    if (value !== null && found === undefined) unknown.push(`no ${what} is called “${value}”`);
    return found ?? otherwise;
  }
  const ids = choices.variants.map(({ id }) => id);
  const names = choices.workflows.map(({ name }) => name);
  const workflow = oneOf('w', 'workflow', names, usual.workflow);
  const asked = oneOf('engine', 'mistake, and no engine,', ids, usual.variant);
  const variant =
    choices.workflows.find(({ name }) => name === workflow)?.hasMistakes === false ? 'correct' : asked;
  if (variant !== asked) unknown.push(`${workflow} has no mistake “${asked}”`);
  const crashes = oneOf('crashes', 'kind of exploration', ['one', 'two'] as const, usual.crashes);
  const ticketId = oneOf('t', 'ticket', tickets, usual.ticketId);
  return { wanted: { ticketId, workflow, variant, crashes }, at: said.get('at')?.split(',') ?? [], unknown };
}
