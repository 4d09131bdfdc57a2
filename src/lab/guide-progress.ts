/**
 * Owns: what is kept of a reader's way through the guided run: place, predictions, the run it follows, what was reached.
 * Leaves: texts and facts to guide-steps.ts, keeping to guide.svelte.ts. Pure, so every case is one line of a test.
 * Invariants: 1. a tick, once reached, stays until the reader begins again, whatever is on screen;
 * 2. a new tick comes from the facts of the guide's own run only.
 */
import { members } from '../ui/keep.ts';
import {
  guideSteps,
  guideTicketId,
  guideWorkflow,
  sessionCount,
  wasRestarted,
  type GuideFacts,
} from './guide-steps.ts';

export interface Progress {
  readonly at: number;
  /** One a step: the option locked in, or null. */
  readonly predictions: readonly (number | null)[];
  readonly left: boolean;
  /** The run that the guide follows; null: none yet, or it is gone from the database. */
  readonly runId: string | null;
  /** One a step: its facts were reached. */
  readonly ticks: readonly boolean[];
  /** Runs from before the reader began again: the guide does not take them up. */
  readonly passedOver: readonly string[];
}

export const beginning: Progress = {
  at: 0,
  predictions: guideSteps.map(() => null),
  left: false,
  runId: null,
  ticks: guideSteps.map(() => false),
  passedOver: [],
};

/** The progress after a look at the facts; the same object where they bring nothing new. */
export function observed(progress: Progress, facts: GuideFacts): Progress {
  const { runIds } = facts;
  if (runIds === null) return progress;
  const passedOver = progress.passedOver.filter((runId) => runIds.includes(runId));
  const runId = kept(progress.runId, runIds) ?? candidate(passedOver, facts);
  const own = ownFacts(runId, facts);
  const ticks = guideSteps.map((step, at) => progress.ticks[at] === true || step.done(own));
  const same =
    runId === progress.runId &&
    passedOver.length === progress.passedOver.length &&
    ticks.every((tick, at) => tick === progress.ticks[at]);
  return same ? progress : { ...progress, runId, ticks, passedOver };
}

/** From the beginning: what was reached is forgotten, and no run of before is taken for a new one. */
export function begunAgain(facts: Pick<GuideFacts, 'runIds'>): Progress {
  return { ...beginning, passedOver: facts.runIds ?? [] };
}

function kept(runId: string | null, runIds: readonly string[]): string | null {
  return runId !== null && runIds.includes(runId) ? runId : null;
}

function candidate(passedOver: readonly string[], { run }: GuideFacts): string | null {
  if (run === null || run.run.ticketId !== guideTicketId || run.workflow !== guideWorkflow) return null;
  return passedOver.includes(run.run.runId) ? null : run.run.runId;
}

function ownFacts(runId: string | null, facts: GuideFacts): GuideFacts {
  if (facts.run !== null && facts.run.run.runId === runId) return facts;
  return { ...facts, run: null, arms: [], interrupted: false, walked: false };
}

/** What stands in the way of a step, and the button that leads out of it. */
export interface Detour {
  readonly says: string;
  readonly way: 'start' | 'show';
}

export function detourFor(at: number, progress: Progress, facts: GuideFacts): Detour | null {
  if (facts.runIds === null || at >= guideSteps.length || progress.ticks[at] === true) return null;
  if (progress.runId === null) {
    if (at > 0)
      return { says: 'The run that the guide followed is not in this database any more.', way: 'start' };
    return facts.run === null
      ? null
      : { says: `The guide follows a new run of ${guideTicketId}.`, way: 'start' };
  }
  if (facts.run?.run.runId !== progress.runId) {
    return { says: `The guide follows ${progress.runId}; something else is shown now.`, way: 'show' };
  }
  const restarted = wasRestarted(facts);
  if (facts.run.run.status !== 'running') {
    const walksNext = at === guideSteps.length - 1 && sessionCount(facts.run) > 1;
    return walksNext ? null : { says: 'This run is finished, so this can’t be done in it.', way: 'start' };
  }
  if (facts.run.run.version > 1 && !restarted) {
    return { says: 'This run is past the lookup, so this can’t be done in it.', way: 'start' };
  }
  return null;
}

/** Whatever an older or broken page stored, every member comes out valid. */
export function progressFrom(stored: unknown): Progress {
  const kept = members(stored);
  const { at, runId } = kept;
  const [predictions, ticks, passedOver] = [kept['predictions'], kept['ticks'], kept['passedOver']].map(list);
  return {
    at: typeof at === 'number' && at >= 0 && at <= guideSteps.length ? Math.floor(at) : 0,
    predictions: guideSteps.map((step, index) => {
      const option = predictions?.[index];
      return typeof option === 'number' && option in step.options ? option : null;
    }),
    left: kept['left'] === true,
    runId: typeof runId === 'string' ? runId : null,
    ticks: guideSteps.map((_, index) => ticks?.[index] === true),
    passedOver: (passedOver ?? []).filter((one) => typeof one === 'string'),
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
