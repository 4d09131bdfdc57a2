/**
 * Owns: which events of a run were written by one commit, and what that commit is called in few words.
 * Leaves: showing them to the lab.
 *
 * The tables keep no number of a commit. What the engine writes together (engine/status.ts, start.ts, intents.ts,
 * confirm.ts) follows one another in one session and is known by its types.
 */
import type { AgentEvent } from '../engine/records.ts';

export interface Commit<E extends AgentEvent = AgentEvent> {
  /** Never empty, in order. */
  readonly events: readonly [E, ...E[]];
  /** Sequence of its last event: with this one the commit is whole. */
  readonly last: number;
  /** Short, for a mark: `start`, `v1`, `saved`. */
  readonly mark: string;
  /** The boundary that its names begin with: `lookup_runbook.tool`. */
  readonly boundary: string;
  /** Is this the first commit of a session that is new to the run, or comes back? */
  readonly restarts: boolean;
}

/** The commits of a run, in order. Claims and attempts write no event, so they are not among them. */
export function commitsOf<E extends AgentEvent>(events: readonly E[]): readonly Commit<E>[] {
  const groups: [E, ...E[]][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && isOneCommit(before, event)) group.push(event);
    else groups.push([event]);
  }
  return groups.map((group, at): Commit<E> => ({
    events: group,
    last: group.at(-1)?.sequence ?? group[0].sequence,
    mark: markOf(group),
    boundary: boundaryOf(group),
    restarts: at > 0 && groups[at - 1]?.[0].session !== group[0].session,
  }));
}

/** The commit that wrote the event; null: there is no such event. */
export function commitAt<E extends AgentEvent>(
  commits: readonly Commit<E>[],
  sequence: number,
): Commit<E> | null {
  return commits.find(({ events }) => events.some((event) => event.sequence === sequence)) ?? null;
}

function isOneCommit(before: AgentEvent, event: AgentEvent): boolean {
  if (before.session !== event.session) return false;
  switch (event.eventType) {
    case 'run_waiting':
      return isCheckpoint(before, 'wait');
    case 'run_failed':
      return isCheckpoint(before, 'fail');
    case 'run_retried':
      return isCheckpoint(before, 'retry');
    case 'run_resumed':
      return before.eventType === 'run_adopted';
    case 'approval_requested':
      return before.eventType === 'tool_intended' && before.action === event.action;
    case 'tool_in_doubt':
      return before.eventType === 'tool_failed' && before.action === event.action;
    case 'checkpoint_saved':
      return (
        (event.action === 'go_on' &&
          ['doubt_resolved', 'approval_given', 'approval_denied'].includes(before.eventType)) ||
        (event.action === 'fail' && before.eventType === 'tool_refused')
      );
    default:
      return false;
  }
}

const isCheckpoint = (event: AgentEvent, action: string): boolean =>
  event.eventType === 'checkpoint_saved' && event.action === action;

/** `version 3` is `v3`. */
const versionIn = (event: AgentEvent): string => event.detail.replace(/^version /, 'v');

function markOf(group: readonly [AgentEvent, ...AgentEvent[]]): string {
  const checkpoint = group.find((event) => event.eventType === 'checkpoint_saved');
  if (checkpoint) return versionIn(checkpoint);
  return marks.get(group[0].eventType) ?? group[0].eventType.replaceAll('_', ' ');
}

const marks: ReadonlyMap<string, string> = new Map([
  ['run_started', 'start'],
  ['run_forked', 'fork'],
  ['run_adopted', 'adopted'],
  ['run_resumed', 'taken up'],
  ['tool_executed', 'saved'],
  ['tool_reused', 'reused'],
  ['tool_intended', 'intended'],
  ['tool_failed', 'failed'],
  ['tool_in_doubt', 'in doubt'],
  ['doubt_resolved', 'decided'],
  ['approval_given', 'yes'],
  ['approval_denied', 'no'],
  ['tool_refused', 'refused'],
]);

function boundaryOf(group: readonly [AgentEvent, ...AgentEvent[]]): string {
  const [{ eventType, action }] = group;
  const named = group.at(-1) ?? group[0];
  switch (eventType) {
    case 'run_started':
      return 'start';
    case 'run_forked':
      return 'fork';
    case 'run_adopted':
    case 'run_resumed':
      return 'resume';
    case 'checkpoint_saved':
      if (named.eventType === 'run_retried') return 'retry';
      if (named.eventType === 'run_waiting') return `${named.action}.wait`;
      if (named.eventType === 'run_failed') return `${named.action}.fail`;
      return `${action}.checkpoint`;
    case 'tool_executed':
      return `${action}.tool`;
    case 'tool_reused':
      return `${action}.reuse`;
    case 'tool_intended':
      return `${action}.intent`;
    case 'tool_failed':
      return `${action}.failure`;
    case 'tool_in_doubt':
      return `${action}.doubt`;
    case 'doubt_resolved':
      return 'resolve';
    case 'approval_given':
    case 'approval_denied':
      return 'approval';
    default:
      return `${action}.${eventType}`;
  }
}
