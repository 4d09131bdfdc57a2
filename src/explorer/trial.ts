/**
 * Owns: one variant, one ticket, at most one crash, and then a session to the end: everything that a person would look at
 * afterwards to judge it.
 * Leaves: every crash at once to explore.ts; two workers to race.ts.
 */
import type { Failure } from '../engine/failure.ts';
import type { AgentEvent, Effect } from '../engine/records.ts';
import { correct } from '../mistakes/variant.ts';
import type { Violation } from './evidence.ts';
import { priorityIn, readLeft, replyOf } from './evidence.ts';
import type { ExplorerParts, Subject } from './session.ts';
import { emptyLab, runIdOf, runSession } from './session.ts';
import type { Reached } from './world.ts';

export interface Trial {
  /** Null: no crash was wanted. */
  readonly crashedAt: string | null;
  /** What stood in the tables when the crash had happened; null: there was none, or nothing was stored. */
  readonly found: { readonly nextAction: string | null; readonly version: number } | null;
  readonly status: string;
  readonly version: number;
  readonly priority: string | null;
  readonly reply: string | null;
  /** What the reply would be without a crash and without a mistake. */
  readonly expectedReply: string | null;
  readonly events: readonly AgentEvent[];
  readonly effects: readonly Effect[];
  /** The log of the world outside. */
  readonly calls: readonly Reached[];
  /** Broken in what the crash left, or at the end; each once. */
  readonly violated: readonly Violation[];
  /** Those of them that hold again at the end, by their ids. */
  readonly brokenAtCrash: readonly string[];
  /** Why the last session went no further. */
  readonly stuck: Failure | null;
}

/** `crashAt` must be a boundary that the variant reaches: else it throws. */
export async function trial(parts: ExplorerParts, subject: Subject, crashAt: string | null): Promise<Trial> {
  const runId = runIdOf(subject.ticket);
  const empty = await emptyLab(parts);
  const reference = await runSession(parts, { ...subject, variant: correct }, empty, null);
  const expected = await readLeft(parts, reference.left, runId);
  const crashed = crashAt === null ? null : await runSession(parts, subject, empty, crashAt);
  if (crashed && crashed.crashedAt !== crashAt) throw new Error(`${String(crashAt)} is never reached`);
  const last = await runSession(parts, subject, crashed?.left ?? empty, null);
  const found = crashed && (await readLeft(parts, crashed.left, runId));
  const { run, events, effects, violated } = await readLeft(parts, last.left, runId);
  const left = (found?.violated ?? []).filter((one) => violated.every(({ id }) => id !== one.id));
  return {
    crashedAt: crashAt,
    found: found?.run ? { nextAction: found.run.nextAction, version: found.run.version } : null,
    status: run?.status ?? 'none',
    version: run?.version ?? 0,
    priority: priorityIn(run),
    reply: replyOf(run),
    expectedReply: replyOf(expected.run),
    events,
    effects,
    calls: last.left.calls,
    violated: [...left, ...violated],
    brokenAtCrash: left.map(({ id }) => id),
    stuck: last.failure,
  };
}
