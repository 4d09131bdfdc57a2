/**
 * Owns: what the page says and does about a run it finds after a restart; pure, so every case is one line of a test.
 * Leaves: counting down and resuming to lab.svelte.ts.
 * Invariant: a crash loop is never endless: after two automatic resumes without a new checkpoint it asks.
 */
import type { LabView, RunView } from '../bridge/views.ts';
import { counted } from '../ui/formats.ts';
import type { Kept, LastCrash } from './kept.ts';

/** What was stored before the restart, as the database had it when it was opened. */
export interface Stored {
  readonly runId: string;
  readonly status: string;
  readonly nextAction: string | null;
  readonly version: number;
  readonly effectRows: number;
  /** The next action's result is saved, its checkpoint is not. */
  readonly resultSaved: boolean;
  readonly session: string | null;
  readonly events: number;
}

export type Cause =
  | { readonly type: 'boundary'; readonly boundary: string }
  /** By *Crash now*. */
  | { readonly type: 'crash-now' }
  | { readonly type: 'reload' }
  | { readonly type: 'earlier-visit' }
  | { readonly type: 'unplanned'; readonly reason: string };

export type WhyAsk =
  | 'setting-off'
  | 'earlier-visit'
  | 'no-progress'
  | 'armed-every-time'
  | 'predict-first'
  | 'cancelled'
  | 'unplanned'
  | 'look-first'
  | 'obstacle';

export type Plan =
  | { readonly type: 'nothing-stored' }
  | { readonly type: 'already-completed' }
  | { readonly type: 'countdown'; readonly seconds: number }
  | { readonly type: 'asks'; readonly why: WhyAsk }
  | { readonly type: 'resumed' };

export interface Restart {
  readonly cause: Cause;
  readonly stored: Stored | null;
  readonly plan: Plan;
}

export interface RestartFacts {
  readonly view: LabView;
  /** What the page remembers of the time before, beside the database. */
  readonly kept: Kept;
  /** How the last worker of this page died; null when the page has just been loaded. */
  readonly after: Cause | null;
  /** This tab was here before in this visit. */
  readonly sameVisit: boolean;
  readonly resumeAutomatically: boolean;
  /** The guided run wants a prediction before session 2 acts. */
  readonly predictFirst: boolean;
}

export const countdownSeconds = 5;
const resumesWithoutProgress = 2;

export function storedOf(selected: RunView): Stored {
  const { run, effects, events, actions } = selected;
  return {
    runId: run.runId,
    status: run.status,
    nextAction: run.nextAction,
    version: run.version,
    effectRows: effects.length,
    resultSaved: actions.some((action) => action.state === 'next' && action.resultSaved),
    session: events.at(-1)?.session ?? null,
    events: events.length,
  };
}

export function isUnfinished(selected: RunView | null): boolean {
  return selected !== null && selected.run.status === 'running' && selected.run.nextAction !== null;
}

/** The card to show after opening, or null: nothing was interrupted. */
export function restartAfter(facts: RestartFacts): Restart | null {
  const { view, after } = facts;
  const { lastCrash } = facts.kept;
  const { selected } = view;
  const cause = after ?? causeOf(lastCrash) ?? { type: facts.sameVisit ? 'reload' : 'earlier-visit' };
  if (lastCrash?.starting && view.counts.runs <= lastCrash.starting.runs) {
    return { cause, stored: null, plan: { type: 'nothing-stored' } };
  }
  if (selected === null) {
    return lastCrash ? { cause, stored: null, plan: { type: 'nothing-stored' } } : null;
  }
  const stored = storedOf(selected);
  if (!isUnfinished(selected)) {
    return lastCrash ? { cause, stored, plan: { type: 'already-completed' } } : null;
  }
  return { cause, stored, plan: planFor(facts, cause, stored) };
}

function planFor(facts: RestartFacts, cause: Cause, stored: Stored): Plan {
  const why = whyAsk(facts, cause, stored);
  return why === null ? { type: 'countdown', seconds: countdownSeconds } : { type: 'asks', why };
}

function whyAsk(facts: RestartFacts, cause: Cause, stored: Stored): WhyAsk | null {
  const { autoResumes, arms } = facts.kept;
  if (facts.view.selected?.obstacle) return 'obstacle';
  if (!facts.sameVisit && facts.after === null) return 'earlier-visit';
  if (cause.type === 'unplanned') return 'unplanned';
  if (arms.some((arm) => arm.every)) return 'armed-every-time';
  const sameSpot = autoResumes?.runId === stored.runId && autoResumes.version === stored.version;
  if (sameSpot && autoResumes.count >= resumesWithoutProgress) return 'no-progress';
  if (!facts.resumeAutomatically) return 'setting-off';
  if (facts.predictFirst) return 'predict-first';
  return null;
}

/** "status=running next_action=lookup_runbook version=1 tool_effect_rows=1" */
export function storedLine(stored: Stored): string {
  return `status=${stored.status} next_action=${stored.nextAction ?? 'none'} version=${stored.version} tool_effect_rows=${stored.effectRows}`;
}

/** The same for a reader who does not know the columns yet. */
export function storedSentence(stored: Stored): string {
  const checkpoint =
    stored.version === 0
      ? 'was started and has no checkpoint of an action yet'
      : `has ${counted(stored.version, 'checkpoint')} saved`;
  if (stored.status !== 'running') return `${stored.runId} is ${stored.status} and ${checkpoint}.`;
  const result = stored.resultSaved
    ? 'Its result is saved already, its checkpoint is not.'
    : 'No result is saved for it yet.';
  return `${stored.runId} ${checkpoint}. Next is ${stored.nextAction ?? 'nothing'}. ${
    stored.nextAction === 'lookup_runbook' || stored.nextAction === 'draft_reply' ? result : ''
  }`.trim();
}

/** How this page killed the worker; without a record of that, nobody of ours did. */
export function causeOf(crash: LastCrash): Cause;
export function causeOf(crash: LastCrash | null): Cause | null;
export function causeOf(crash: LastCrash | null): Cause | null {
  if (crash === null) return null;
  return crash.boundary === null ? { type: 'crash-now' } : { type: 'boundary', boundary: crash.boundary };
}

export function causeSentence(cause: Cause): string {
  switch (cause.type) {
    case 'boundary':
      return `The worker was killed at ${cause.boundary}.`;
    case 'crash-now':
      return 'The worker was killed by “Crash now”, whatever it was doing.';
    case 'reload':
      return 'The tab was reloaded or died while the run was under way.';
    case 'earlier-visit':
      return 'It was left under way in an earlier visit, or another tab is at work on it.';
    case 'unplanned':
      return `The worker stopped by itself: ${cause.reason}.`;
  }
}

export function whyAskSentence(why: WhyAsk): string {
  switch (why) {
    case 'setting-off':
      return '“Resume automatically” is off, so the run waits for you.';
    case 'earlier-visit':
      return 'The run is from an earlier visit, so it waits for you.';
    case 'no-progress':
      return 'Two automatic resumes brought no new checkpoint: this looks like a crash loop, so the run waits for you.';
    case 'armed-every-time':
      return 'A crash is armed for every time a session gets there. Resuming by itself would loop, so the run waits for you.';
    case 'predict-first':
      return 'The guided run asks what session 2 will do. Lock in your prediction, then resume.';
    case 'cancelled':
      return 'The countdown was cancelled. Look around; the run waits for you.';
    case 'unplanned':
      return 'This stop was not planned, so the run waits for you.';
    case 'look-first':
      return 'Look around; the run waits for you.';
    case 'obstacle':
      return 'This run cannot go on as it is; the reason stands below.';
  }
}
