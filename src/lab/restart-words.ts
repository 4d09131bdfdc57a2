/**
 * Owns: the words about a death, about what was stored, and about what happens now.
 * Leaves: what is so to restart.ts.
 */
import type { ReceivedCall } from '../bridge/views.ts';
import type { Effect } from '../engine/records.ts';
import { counted } from '../ui/formats.ts';
import { sentenceFor } from '../ui/sentences.ts';
import type { Cause, Plan, Stored, WhyAsk } from './restart.ts';

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

export function causeSentence(cause: Cause): string {
  switch (cause.type) {
    case 'boundary':
      return `The worker was killed at ${cause.boundary}.`;
    case 'crash-now':
      return 'The worker was killed by “Crash now”, whatever it was doing.';
    case 'reload':
      return 'The tab was reloaded or died while the run was under way.';
    case 'earlier-visit':
      return 'This tab was opened while the run was under way: left so in an earlier visit, or at work in another tab.';
    case 'unplanned':
      return sentenceFor(cause.failure).says;
  }
}

export function whyAskSentence(why: WhyAsk): string {
  switch (why) {
    case 'setting-off':
      return '“Resume automatically” is off, so the run waits for you.';
    case 'earlier-visit':
      return 'This tab did not see the run begin, so it waits for you.';
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

/** What the card says of its plan, in one sentence or two; null: its buttons say it. */
export function planSentence(plan: Plan): string | null {
  switch (plan.type) {
    case 'nothing-stored':
      return 'The crash came before the run was saved. Nothing to resume. That is correct.';
    case 'none-under-way':
      return 'No run was under way, so nothing was interrupted.';
    case 'already-completed':
      return 'The next session finds status=completed and does nothing. That is correct.';
    case 'asks':
      return whyAskSentence(plan.why);
    case 'taken-up-elsewhere':
      return `${plan.session ?? 'A session'} went on with it in another tab; its commits appear here as they are saved. Should that tab close, “Step” goes on from here.`;
    case 'finished-elsewhere':
      return `A session in another tab brought it to status=${plan.status}. Nothing is left to do here.`;
    case 'countdown':
    case 'resumed':
      return null;
  }
}

export function planTitle(plan: Plan, status: string): string {
  switch (plan.type) {
    case 'nothing-stored':
      return 'Nothing to resume';
    case 'none-under-way':
      return 'No run was under way';
    case 'already-completed':
      return 'The run was complete already';
    case 'asks':
    case 'countdown':
      return 'An unfinished run was found';
    case 'taken-up-elsewhere':
      return 'Another tab took it up';
    case 'finished-elsewhere':
      return 'Finished in another tab';
    case 'resumed':
      return status === 'completed' ? 'Resumed and completed' : 'Resumed';
  }
}

/**
 * What happened outside more often than it is recorded: "The outside world was called twice for lookup_runbook; one
 * result is recorded." One sentence a key of the run.
 */
export function outsideSentences(
  runId: string,
  effects: readonly Effect[],
  calls: readonly ReceivedCall[],
): readonly string[] {
  const keys = [...new Set(calls.map((call) => call.key))].filter((key) => key.startsWith(`${runId}:`));
  return keys.flatMap((key) => {
    const received = calls.filter((call) => call.key === key).length;
    const recorded = effects.filter((effect) => effect.idempotencyKey === key).length;
    if (received <= recorded) return [];
    const times = ['once', 'twice'][received - 1] ?? `${received} times`;
    const results = recorded === 0 ? 'no result is recorded yet' : 'one result is recorded';
    return [`The outside world was called ${times} for ${key.slice(runId.length + 1)}; ${results}.`];
  });
}
