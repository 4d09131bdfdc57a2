/**
 * Owns: how far a call of the world outside is: intended, claimed, out, confirmed; or what keeps it. Pure.
 * Leaves: showing it to the diagram and the intents; why the whole run waits to why-waiting.ts.
 */
import type { ActionView, Attempt, IntentView, WorkflowView } from '../bridge/views.ts';
import { clockTime, counted } from '../ui/formats.ts';

/** Of intent, claim, call and confirmation: `now` is under way, `bad` ended without a good answer. */
export type Part = 'done' | 'now' | 'bad' | 'ahead';

export const partNames = ['intent', 'claim', 'call', 'confirm'] as const;

export interface CallStage {
  readonly parts: readonly [Part, Part, Part, Part];
  /** A few words: "out, attempt 2". */
  readonly words: string;
  readonly tone: 'plain' | 'ok' | 'warn' | 'danger';
}

const notYet = ['done', 'ahead', 'ahead', 'ahead'] as const;
const badly = ['done', 'done', 'bad', 'ahead'] as const;
const withoutCall = ['done', 'ahead', 'ahead', 'done'] as const;

export function stageOf(intent: IntentView): CallStage {
  const { state, attempts } = intent;
  switch (state) {
    case 'waiting':
      return { parts: notYet, words: 'waits for a yes', tone: 'warn' };
    case 'pending':
      return pendingStage(intent, attempts.at(-1));
    case 'in_doubt':
      return { parts: badly, words: 'in doubt', tone: 'danger' };
    case 'failed':
      return { parts: badly, words: `failed after ${counted(attempts.length, 'attempt')}`, tone: 'danger' };
    case 'confirmed':
      return { parts: ['done', 'done', 'done', 'done'], words: 'confirmed', tone: 'ok' };
    case 'skipped':
      return { parts: withoutCall, words: 'no result: a person went on without', tone: 'warn' };
    case 'denied':
      return { parts: withoutCall, words: 'not called: a person said no', tone: 'warn' };
    default:
      return { parts: notYet, words: state, tone: 'plain' };
  }
}

function pendingStage({ isOut, nextAttemptAtUtc }: IntentView, last: Attempt | undefined): CallStage {
  if (last === undefined) return { parts: notYet, words: 'intended, not sent', tone: 'plain' };
  if (last.outcome === null) {
    const number = `attempt ${last.fence}`;
    const words = isOut ? `out, ${number}` : `claimed by ${last.session}, ${number}`;
    return { parts: ['done', 'done', 'now', 'ahead'], words, tone: isOut ? 'plain' : 'warn' };
  }
  const next = `attempt ${last.fence + 1}`;
  const words = nextAttemptAtUtc === null ? `${next} is next` : `${next} at ${clockTime(nextAttemptAtUtc)}`;
  return { parts: badly, words, tone: 'warn' };
}

/** What a second call under the same key does, as the tool declares it. A word that is not ours is shown as it is. */
export function safetyInWords(safety: string): string {
  switch (safety) {
    case 'read':
      return 'read: calling again is harmless';
    case 'idempotent':
      return 'idempotent: called again under the same key, which the other side recognises';
    case 'at-most-once':
      return 'at most once: never called again by itself';
    default:
      return safety;
  }
}

/** The actions of a workflow before there is a run of it. */
export function actionsAhead({
  actions,
  boundaries,
}: Pick<WorkflowView, 'actions' | 'boundaries'>): readonly ActionView[] {
  const has = (part: string): boolean => boundaries.some(({ name }) => name === part);
  return actions.map((name) => {
    const callsOutside = has(`${name}.call`);
    const usesTool = callsOutside || has(`${name}.tool`);
    return { name, usesTool, callsOutside, state: 'ahead', resultSaved: false, version: null };
  });
}
