/**
 * Owns: the sentences about a death and of the card after a restart: what killed it, what was stored, what happens now, what happened outside.
 * Leaves: what is so to restart.ts; what is also said without the card to restart-words.ts.
 */
import type { IntentView, ReceivedCall } from '../bridge/views.ts';
import type { Effect } from '../engine/records.ts';
import { counted } from '../ui/formats.ts';
import { sentenceFor } from '../ui/sentences.ts';
import type { Cause, Plan, Stored, WhyAsk } from './restart.ts';

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

/** What was stored, for a reader who does not know the columns yet. */
export function storedSentence(stored: Stored): string {
  const checkpoint =
    stored.version === 0
      ? 'was started and has no checkpoint of an action yet'
      : `has ${counted(stored.version, 'checkpoint')} saved`;
  if (stored.status !== 'running') return `${stored.runId} is ${stored.status} and ${checkpoint}.`;
  const { resultSaved, nextUsesTool, intent } = stored;
  const result = resultSaved
    ? 'Its result is saved already, its checkpoint is not.'
    : intent !== null
      ? callSentence(intent)
      : 'No result is saved for it yet.';
  return `${stored.runId} ${checkpoint}. Next is ${stored.nextAction ?? 'nothing'}. ${
    nextUsesTool ? result : ''
  }`.trim();
}

/** What a session that comes after finds of a call of the world outside, and does about it. */
function callSentence({ state, attempts, safety }: IntentView): string {
  const last = attempts.at(-1);
  if (state === 'waiting') return 'Its call waits for a person’s yes.';
  if (state === 'in_doubt') return 'Its call is in doubt: a person decides.';
  if (last === undefined) return 'Its call is intended and was never sent.';
  if (last.outcome !== null) return 'The last attempt of its call ended badly; another one follows.';
  const next = {
    read: 'It is called again, which is harmless',
    idempotent: 'It is called again under the same key, which the other side recognises',
  }[safety];
  return `Its call was out in ${last.session}, and no answer is recorded: it may have been done. ${
    next ?? 'It is not called again: the other side is asked, and if that can’t tell, you are'
  }.`;
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
      return 'Part 5 of the guided run asks what session 2 will do: go on to it, if you are not there. Lock in your prediction, then resume.';
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
    case 'has-failed':
      return 'The next session finds status=failed and does nothing by itself. It can be tried again below.';
    case 'waits-for-person':
      return 'The run waits for a person, as before, and nothing that was asked is lost: it stands below.';
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

/**
 * What happened outside more often than it is recorded: "The outside world was called twice for lookup_runbook; one
 * result is recorded." A sentence or two a key of the run.
 */
export function outsideSentences(
  runId: string,
  effects: readonly Effect[],
  calls: readonly ReceivedCall[],
): readonly string[] {
  const keys = [...new Set(calls.map((call) => call.key))].filter((key) => key.startsWith(`${runId}:`));
  return keys.flatMap((key) => {
    const own = calls.filter((call) => call.key === key && call.work !== 'asked');
    const recorded = effects.filter((effect) => effect.idempotencyKey === key).length;
    if (own.length <= recorded) return [];
    const name = key.slice(runId.length + 1);
    const results = recorded === 0 ? 'no result is recorded yet' : 'one result is recorded';
    const done = own.filter(({ work }) => work === 'done').length;
    const recognised = own.some(({ work }) => work === 'recognised');
    return [
      `The outside world was called ${times(own.length)} for ${name}; ${results}.`,
      ...(recognised && done === 1 ? [`It recognised the key, so the work of ${name} was done once.`] : []),
    ];
  });
}

function times(count: number): string {
  return ['once', 'twice'][count - 1] ?? `${count} times`;
}
