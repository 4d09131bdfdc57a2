/**
 * Owns: what the page does about a run it finds after a restart; pure, so every case is one line of a test.
 * Leaves: the words to restart-words.ts; counting down and resuming to lab.svelte.ts.
 * Invariant: a crash loop is never endless: after two automatic resumes without a new checkpoint it asks.
 */
import type { IntentView, LabView, RunView } from '../bridge/views.ts';
import type { Failure } from '../engine/failure.ts';
import type { Kept, LastCrash } from './kept.ts';

/** What was stored before the restart, as the database had it when it was opened. */
export interface Stored {
  readonly runId: string;
  readonly status: string;
  readonly nextAction: string | null;
  readonly version: number;
  readonly effectRows: number;
  readonly nextUsesTool: boolean;
  /** The next action's result is saved, its checkpoint is not. */
  readonly resultSaved: boolean;
  /** The next action's call of the world outside, as far as it was; null: none was intended. */
  readonly intent: IntentView | null;
  readonly session: string | null;
  readonly events: number;
}

export type Cause =
  | { readonly type: 'boundary'; readonly boundary: string }
  /** By *Crash now*. */
  | { readonly type: 'crash-now' }
  | { readonly type: 'reload' }
  | { readonly type: 'earlier-visit' }
  | { readonly type: 'unplanned'; readonly failure: Failure };

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
  /** It died while starting a run, which was not saved. */
  | { readonly type: 'nothing-stored' }
  /** It died with a ticket on screen that has no run. */
  | { readonly type: 'none-under-way' }
  | { readonly type: 'already-completed' }
  /** It failed before, and nothing goes on with it by itself. */
  | { readonly type: 'has-failed' }
  /** A person decides, before the restart as after it: nothing is asked here. */
  | { readonly type: 'waits-for-person' }
  | { readonly type: 'countdown'; readonly seconds: number }
  | { readonly type: 'asks'; readonly why: WhyAsk }
  | { readonly type: 'resumed' }
  /** Since this session opened, `session` of another tab went on with it. */
  | { readonly type: 'taken-up-elsewhere'; readonly session: string | null }
  | { readonly type: 'finished-elsewhere'; readonly status: string };

/** A card and the run, or the ticket without one, that it belongs to: it is shown with that and never told of another. */
export interface Restart {
  readonly cause: Cause;
  readonly ticketId: string | null;
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
  const { run, effects, events, actions, intents } = selected;
  const next = actions.find(({ state }) => state === 'next');
  return {
    runId: run.runId,
    status: run.status,
    nextAction: run.nextAction,
    version: run.version,
    effectRows: effects.length,
    nextUsesTool: next?.usesTool === true,
    resultSaved: next?.resultSaved === true,
    intent: intents.find(({ action }) => action === next?.name) ?? null,
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
    const { ticketId } = lastCrash.starting;
    return { cause, ticketId, stored: null, plan: { type: 'nothing-stored' } };
  }
  const chosen = ticketWithoutRun(facts);
  if (lastCrash && (chosen !== null || selected === null)) {
    return { cause, ticketId: chosen, stored: null, plan: { type: 'none-under-way' } };
  }
  if (selected === null) return null;
  const { ticketId } = selected.run;
  const stored = storedOf(selected);
  if (!isUnfinished(selected)) {
    return lastCrash ? { cause, ticketId, stored, plan: standing(stored.status) } : null;
  }
  return { cause, ticketId, stored, plan: planFor(facts, cause, stored) };
}

function standing(status: string): Plan {
  if (status === 'waiting') return { type: 'waits-for-person' };
  return { type: status === 'failed' ? 'has-failed' : 'already-completed' };
}

/** The ticket that was chosen before, if it has no run still. */
export function ticketWithoutRun({ view, kept }: Pick<RestartFacts, 'view' | 'kept'>): string | null {
  const chosen = kept.lastCrash?.starting?.ticketId ?? kept.ticketWithoutRun;
  return view.runs.some((run) => run.ticketId === chosen) ? null : chosen;
}

/**
 * The card as it must read now that the database is as in `view`: another tab may have taken up the run or finished
 * it. Null: its run is gone.
 */
export function restartSeenIn(restart: Restart, view: LabView): Restart | null {
  const { stored } = restart;
  if (stored === null || restart.plan.type === 'already-completed') return restart;
  const run = view.runs.find((one) => one.runId === stored.runId);
  if (run === undefined) return null;
  const events = view.selected?.run.runId === stored.runId ? view.selected.events : null;
  const session = events?.at(-1)?.session ?? null;
  if (session !== null && session === view.session) {
    const tookUp = events?.some((event) => event.eventType === 'run_resumed' && event.session === session);
    return tookUp && restart.plan.type !== 'resumed' ? { ...restart, plan: { type: 'resumed' } } : restart;
  }
  const wentOn = run.version > stored.version || (events !== null && events.length > stored.events);
  if (run.status === stored.status && run.status !== 'running' && !wentOn) return restart;
  if (run.status !== 'running') {
    // Seen from another run, who ended it is not known: what this session did stays so.
    if (events === null && restart.plan.type === 'resumed') return restart;
    if (run.status === 'waiting') return { ...restart, plan: { type: 'waits-for-person' } };
    return { ...restart, plan: { type: 'finished-elsewhere', status: run.status } };
  }
  if (!wentOn || (events === null && restart.plan.type === 'resumed')) return restart;
  return { ...restart, plan: { type: 'taken-up-elsewhere', session } };
}

/** Is the card about the run, or the ticket without one, that is on screen? */
export function belongsTo(restart: Restart, runId: string | null, ticketId: string): boolean {
  if (restart.stored !== null) return restart.stored.runId === runId;
  return restart.ticketId === null || restart.ticketId === ticketId;
}

export function waits(restart: Restart | null): boolean {
  return restart?.plan.type === 'asks' || restart?.plan.type === 'countdown';
}

function planFor(facts: RestartFacts, cause: Cause, stored: Stored): Plan {
  const why = whyAsk(facts, cause, stored);
  return why === null ? { type: 'countdown', seconds: countdownSeconds } : { type: 'asks', why };
}

function whyAsk(facts: RestartFacts, cause: Cause, stored: Stored): WhyAsk | null {
  const { autoResumes, arms } = facts.kept;
  if (facts.view.selected?.obstacle) return 'obstacle';
  if (ticketWithoutRun(facts) !== null) return 'look-first';
  if (!facts.sameVisit && facts.after === null) return 'earlier-visit';
  if (cause.type === 'unplanned') return 'unplanned';
  if (arms.some((arm) => arm.every)) return 'armed-every-time';
  const sameSpot = autoResumes?.runId === stored.runId && autoResumes.version === stored.version;
  if (sameSpot && autoResumes.count >= resumesWithoutProgress) return 'no-progress';
  if (!facts.resumeAutomatically) return 'setting-off';
  if (facts.predictFirst) return 'predict-first';
  return null;
}

/** How this page killed the worker; without a record of that, nobody of ours did. */
export function causeOf(crash: LastCrash): Cause;
export function causeOf(crash: LastCrash | null): Cause | null;
export function causeOf(crash: LastCrash | null): Cause | null {
  if (crash === null) return null;
  return crash.boundary === null ? { type: 'crash-now' } : { type: 'boundary', boundary: crash.boundary };
}
