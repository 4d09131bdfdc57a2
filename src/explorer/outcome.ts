/**
 * Owns: what became of a run after its crashes: read from its database and the outside world's log, and how bad it is.
 * Leaves: crashing it to explore.ts.
 */
import type { AgentEvent } from '../engine/records.ts';
import { readLeft, replyOf } from './evidence.ts';
import type { ExplorerParts, Session, Subject } from './session.ts';
import { runIdOf } from './session.ts';
import type { Left } from './world.ts';

/**
 * From harmless to bad. `not stored`: the crash came before the first durable commit; the run was started again.
 * `in doubt`: a person had to say what became of a call.
 */
export const kinds = ['plain', 'not stored', 'reused', 'called twice', 'in doubt', 'broken'] as const;
export type Kind = (typeof kinds)[number];

export interface Outcome {
  readonly kind: Kind;
  readonly status: string;
  readonly version: number;
  readonly reply: string | null;
  readonly events: readonly AgentEvent[];
  readonly effects: number;
  /** Calls that the outside world received, by tool. */
  readonly calls: Readonly<Record<string, number>>;
  readonly reused: number;
  /** Ids of the invariants that do not hold, in what the crash left or at the end; `reply` where the final reply is another one than without a crash; `work` where the desk did a tool's work twice. */
  readonly broken: readonly string[];
  /** Why the last session went no further. */
  readonly stuck: string | null;
}

/**
 * `crashed`: what the last crash left; null: there was none. `reply`: of the crash-free run of the correct engine; null: not
 * compared.
 */
export async function outcomeOf(
  parts: ExplorerParts,
  { ticket }: Subject,
  crashed: Left | null,
  last: Session,
  reply: string | null,
): Promise<Outcome> {
  const runId = runIdOf(ticket);
  const { events, run, effects, violated } = await readLeft(parts, last.left, runId);
  const found = crashed && (await readLeft(parts, crashed, runId));
  const final = replyOf(run);
  const calls: Record<string, number> = {};
  for (const { tool } of last.left.calls) calls[tool] = (calls[tool] ?? 0) + 1;
  const reused = events.filter(({ eventType }) => eventType === 'tool_reused').length;
  const differs = reply !== null && final !== reply;
  const violations = [...(found?.violated ?? []), ...violated].map(({ id }) => id);
  const work = last.left.calls.filter((call) => call.work === 'done' && call.tool in parts.remote);
  const worked = new Set(work.map(({ tool }) => tool)).size < work.length;
  const broken = [...new Set(violations), ...(differs ? ['reply'] : []), ...(worked ? ['work'] : [])];
  const doubted = events.some(({ eventType }) => eventType === 'tool_in_doubt');
  const calledTwice = Object.values(calls).some((times) => times > 1);
  const kind: Kind =
    broken.length > 0
      ? 'broken'
      : doubted
        ? 'in doubt'
        : calledTwice
          ? 'called twice'
          : reused > 0
            ? 'reused'
            : found && found.run === undefined
              ? 'not stored'
              : 'plain';
  return {
    kind,
    status: run?.status ?? 'none',
    version: run?.version ?? 0,
    reply: final,
    events,
    effects: effects.length,
    calls,
    reused,
    broken,
    stuck: last.failure?.type ?? null,
  };
}
