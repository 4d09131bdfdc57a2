/** Owns: when a call that ended badly is due again; pure. Leaves: the words to why-waiting.ts. */
import type { IntentView, RunView } from '../bridge/views.ts';

/** Before this time, UTC, a step would do nothing: an attempt ended badly, and no other call is due. Null: it would. */
export function notDueUntil(run: Pick<RunView, 'run' | 'intents'> | null): string | null {
  if (run?.run.status !== 'running') return null;
  const pending = run.intents.filter(({ state }) => state === 'pending');
  const times = pending.map((intent) =>
    intent.attempts.at(-1)?.outcome == null ? null : intent.nextAttemptAtUtc,
  );
  const known = times.filter((time) => time !== null);
  if (known.length === 0 || known.length < times.length) return null;
  return known.reduce((one, other) => (Date.parse(one) <= Date.parse(other) ? one : other));
}

export function millisecondsUntil(utc: string, now: string): number {
  return Math.max(0, Date.parse(utc) - Date.parse(now));
}

/** As a countdown shows them: 1 until the time has come. */
export function secondsUntil(utc: string, now: string): number {
  return Math.ceil(millisecondsUntil(utc, now) / 1000);
}

/** Another worker's attempt, of which nobody has recorded what became. */
export function isElsewhere({ state, isOut, attempts }: IntentView): boolean {
  return state === 'pending' && !isOut && attempts.at(-1)?.outcome === null;
}
