/**
 * Owns: why a run does not go on by itself, in one sentence. Pure, so every case is one line of a test.
 * Leaves: the ways on to the cards.
 */
import type { IntentView, RunView } from '../bridge/views.ts';
import type { Failure } from '../engine/failure.ts';
import { reasonIn } from '../ui/event-words.ts';
import { clockTime } from '../ui/formats.ts';
import { isElsewhere, notDueUntil, secondsUntil } from './due.ts';

type Stands = Pick<RunView, 'run' | 'intents' | 'events'>;

/** Null: it goes on by itself, or by a step. `now`: UTC. */
export function whyWaiting(stands: Stands, now: string): string | null {
  const { run, intents } = stands;
  const inState = (state: string) => intents.filter((intent) => intent.state === state);
  if (run.status === 'completed') return 'The run is completed: nothing is left to do in it.';
  if (run.status === 'failed')
    return `The run has failed in ${run.nextAction ?? 'the end'}: ${failureReason(stands)}.`;
  const [asks, doubts] = [inState('waiting'), inState('in_doubt')];
  const persons = [
    ...(asks.length > 0 ? [`your yes or no to ${named(asks)}`] : []),
    ...(doubts.length > 0 ? [`your word on ${named(doubts)}: nobody knows whether it was done`] : []),
  ];
  if (persons.length > 0) return `The run waits for ${persons.join(', and for ')}.`;
  if (run.status !== 'running') return `The run is ${run.status}: nothing is left to do in it.`;
  const out = intents.find(({ isOut }) => isOut);
  if (out) {
    const lease = clockTime(out.attempts.at(-1)?.leaseUntilUtc ?? '');
    return `The run waits for the answer to ${out.action}: the call is out, until ${lease} at the latest.`;
  }
  const elsewhere = intents.find(isElsewhere);
  const attempt = elsewhere?.attempts.at(-1);
  if (elsewhere && attempt) {
    const lease = clockTime(attempt.leaseUntilUtc);
    return `The call ${elsewhere.action} was claimed by ${attempt.session}, with a lease until ${lease}, and has no answer recorded. A live session is not robbed; for a dead one nobody waits.`;
  }
  const due = notDueUntil(stands);
  const seconds = due === null ? 0 : secondsUntil(due, now);
  if (due === null || seconds === 0) return null;
  const next = intents.find((intent) => intent.nextAttemptAtUtc === due);
  return `The run waits until ${clockTime(due)} (${seconds} s) to call ${next?.action ?? ''} again: attempt ${(next?.attempts.length ?? 0) + 1}.`;
}

/** Of the last time that the run failed; without a full stop. */
export function failureReason({ events }: Pick<Stands, 'events'>): string {
  const failed = events.findLast(({ eventType }) => eventType === 'run_failed');
  return failed === undefined ? 'its events do not say why' : reasonIn(failed);
}

/** A failure that was true when it was told, and is not any more: what it speaks of has changed since. */
export function isOver(failure: Failure, run: Pick<RunView, 'intents'> | null): boolean {
  const intentOf = (key: string) => run?.intents.find((intent) => intent.key === key);
  switch (failure.type) {
    case 'AttemptNotDue':
      return intentOf(failure.key)?.nextAttemptAtUtc !== failure.dueAtUtc;
    case 'ClaimedElsewhere': {
      const intent = intentOf(failure.key);
      return intent === undefined || !isElsewhere(intent);
    }
    case 'CallInFlight':
      return intentOf(failure.key)?.isOut !== true;
    default:
      return false;
  }
}

/** "a", "a and b". */
function named(intents: readonly IntentView[]): string {
  return intents.map(({ action }) => action).join(' and ');
}
