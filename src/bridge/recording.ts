/**
 * Owns: what of a run can be replayed from a checkpoint, taken from its rows; and comparing what came out.
 * Leaves: replaying to explorer/replay.ts.
 */
import type { AgentEvent } from '../engine/records.ts';
import type { Recording, Replayed } from '../explorer/replay.ts';
import type { PastRun } from './past.ts';
import type { RunView } from './views.ts';

/** Everything else is somebody's word: an answer of the world outside, a person's decision, a run from elsewhere. */
const replayable = ['run_resumed', 'checkpoint_saved', 'tool_executed', 'tool_reused'];

export type Recorded =
  | { readonly type: 'recording'; readonly recording: Recording }
  | { readonly type: 'not'; readonly why: string };

/** From the checkpoint that the run stood at then, to where it is now. */
export function recordingFrom(live: RunView, past: PastRun): Recorded {
  const not = (why: string): Recorded => ({ type: 'not', why });
  const { version } = past.run.run;
  const first = version === 0 ? 0 : live.events.findIndex((event) => isCheckpoint(event, version));
  const before = first + 1;
  const after = live.events.slice(before);
  if (live.workflow !== 'triage')
    return not('This run calls the world outside: its answers and decisions are not made again.');
  if (past.checkpoint === null || past.checkpoint.context === null)
    return not(`Version ${version} was not recorded here, so nothing can begin from it.`);
  if (first < 0 || after.length === 0) return not('Nothing was written after this checkpoint.');
  const other = after.find(({ eventType }) => !replayable.includes(eventType));
  if (other)
    return not(`Event ${other.sequence}, ${other.eventType}, is somebody’s decision: it is not made again.`);
  const odd = live.events.find(({ session }) => !/^session-\d{1,9}$/.test(session));
  if (odd) return not(`The session ${odd.session} is none of this page’s.`);
  const { runId, ticketId, status, nextAction, contextJson } = past.run.run;
  const run = { runId, ticketId, status, nextAction, contextJson, version };
  const events = live.events.map(withoutRowid);
  const effects = live.effects.map(({ idempotencyKey, toolName, resultJson }) => ({
    idempotencyKey,
    toolName,
    resultJson,
  }));
  return { type: 'recording', recording: { run, events, before, effects } };
}

const isCheckpoint = (event: AgentEvent, version: number): boolean =>
  event.eventType === 'checkpoint_saved' && event.detail === `version ${version}`;

function withoutRowid(event: AgentEvent): AgentEvent {
  const { runId, sequence, session, eventType, action, detail, createdAtUtc } = event;
  return { runId, sequence, session, eventType, action, detail, createdAtUtc };
}

/** Index of the first event that is not the same in both, by every column; null: all are. */
export function firstDifference(
  recorded: readonly AgentEvent[],
  replayed: readonly AgentEvent[],
): number | null {
  const length = Math.max(recorded.length, replayed.length);
  for (let at = 0; at < length; at += 1) if (eventText(recorded[at]) !== eventText(replayed[at])) return at;
  return null;
}

function eventText(event: AgentEvent | undefined): string {
  return event === undefined ? '' : JSON.stringify(Object.values(withoutRowid(event)));
}

/** Columns of the run's row, or keys of saved results, that are not as they are stored. */
export function otherDifferences(live: RunView, { run, effects }: Replayed): readonly string[] {
  const columns = (['status', 'nextAction', 'version', 'contextJson'] as const).filter(
    (name) => live.run[name] !== run[name],
  );
  const key = (effect: { readonly idempotencyKey: string; readonly resultJson: string }) =>
    `${effect.idempotencyKey} ${effect.resultJson}`;
  const replayed = new Set(effects.map(key));
  const results = live.effects.filter((effect) => !replayed.has(key(effect)));
  const words = {
    status: 'status',
    nextAction: 'next_action',
    version: 'version',
    contextJson: 'context_json',
  };
  return [
    ...columns.map((name) => `agent_runs.${words[name]}`),
    ...results.map(({ idempotencyKey }) => `tool_effects ${idempotencyKey}`),
  ];
}
