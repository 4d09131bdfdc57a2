/**
 * Owns: crashing a run at every boundary, and at every pair of boundaries, by running it.
 * Leaves: one session to session.ts, what became of the run to outcome.ts.
 *
 * A crash unwinds nothing: the next session finds what is durable and what the world outside has received, no more. So
 * boundaries between which neither changes lead to the same runs, and each such state is run once and counted for each of
 * its boundaries. tests/unit/explorer.test.ts crashes at every boundary for itself and compares.
 */
import type { ExplorerParts, Session, Subject } from './session.ts';
import { emptyLab, runSession } from './session.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import { correct } from '../mistakes/variant.ts';
import type { Left } from './world.ts';

export interface Point {
  /** One boundary, or two: the second one is reached by the session that follows the first crash. */
  readonly crashes: readonly string[];
  readonly outcome: Outcome;
}

export interface Exploration {
  /** Boundaries of the crash-free run, in order. */
  readonly boundaries: readonly string[];
  readonly crashFree: Outcome;
}

export interface Explorer {
  readonly exploration: Exploration;
  /** Every boundary, crashed once. Streams; stops where `signal` is aborted. */
  one(tell: (point: Point) => void, signal: AbortSignal): Promise<void>;
  /** Every pair. */
  two(tell: (point: Point) => void, signal: AbortSignal): Promise<void>;
}

/** A state that a crash may leave, and the boundaries at which it does. */
interface State {
  readonly boundaries: string[];
  readonly left: Left;
}

interface Watched {
  readonly last: Session;
  readonly states: readonly State[];
}

export async function explorer(parts: ExplorerParts, subject: Subject): Promise<Explorer> {
  const empty = await emptyLab(parts);
  const first = await watched(parts, subject, empty);
  const reference =
    subject.variant === correct
      ? first.last
      : await runSession(parts, { ...subject, variant: correct }, empty, null);
  const { reply } = await outcomeOf(parts, subject, null, reference, null);
  const crashFree = await outcomeOf(parts, subject, null, first.last, reply);
  const boundaries = first.states.flatMap((state) => state.boundaries);
  const inOrder = (crashed: readonly State[]) =>
    crashed.flatMap((state) => state.boundaries.map((boundary) => ({ boundary, state })));
  async function ending({ left }: State): Promise<Outcome> {
    return outcomeOf(parts, subject, left, await runSession(parts, subject, left, null), reply);
  }

  return {
    exploration: { boundaries, crashFree },
    one: async (tell, signal) => {
      const known = new Map<State, Outcome>();
      for (const { boundary, state } of inOrder(first.states)) {
        if (signal.aborted) return;
        const outcome = known.get(state) ?? (await ending(state));
        known.set(state, outcome);
        tell({ crashes: [boundary], outcome });
      }
    },
    two: async (tell, signal) => {
      for (const state of first.states) {
        const second = await watched(parts, subject, state.left);
        const known = new Map<State, Outcome>();
        for (const boundary of state.boundaries) {
          for (const { boundary: next, state: after } of inOrder(second.states)) {
            if (signal.aborted) return;
            const outcome = known.get(after) ?? (await ending(after));
            known.set(after, outcome);
            tell({ crashes: [boundary, next], outcome });
          }
        }
      }
    },
  };
}

/** A session to its end, with the states that a crash at each of its boundaries would leave. */
async function watched(parts: ExplorerParts, subject: Subject, from: Left): Promise<Watched> {
  const states: State[] = [];
  const last = await runSession(parts, subject, from, null, (boundary, now) => {
    if (boundary.startsWith('open.')) return;
    const left = now();
    const before = states.at(-1);
    if (before && isSame(before.left, left)) before.boundaries.push(boundary);
    else states.push({ boundaries: [boundary], left });
  });
  return { last, states };
}

function isSame(one: Left, other: Left): boolean {
  return one.durable === other.durable && one.calls.length === other.calls.length;
}
