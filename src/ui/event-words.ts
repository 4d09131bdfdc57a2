/**
 * Owns: events in words, and the session's number, shape and mark, the same in table, chart and announcements.
 * Leaves: the colours to theme.css (`--session-0` …).
 */
import type { AgentEvent } from '../engine/records.ts';

/** Shapes, one a session, so that colour never speaks alone. Chart.js knows them by these names. */
export const shapes = ['circle', 'triangle', 'rect', 'rectRot', 'star'] as const;
export type Shape = (typeof shapes)[number];

const marks: Readonly<Record<Shape, string>> = {
  circle: '●',
  triangle: '▲',
  rect: '■',
  rectRot: '◆',
  star: '✳',
};

export interface SessionMark {
  readonly session: string;
  readonly index: number;
  readonly shape: Shape;
  readonly mark: string;
}

/**
 * The run's sessions in the order of their first event. Shape and colour come from the session's number, so that
 * a session looks the same in every run that it worked on. One without a number takes its place in the order.
 */
export function sessionsOf(events: readonly AgentEvent[]): readonly SessionMark[] {
  const names = [...new Set(events.map((event) => event.session))];
  return names.map((session, at) => {
    const number = Number(/^session-(\d+)$/.exec(session)?.[1] ?? at + 1);
    const turn = Math.max(0, number - 1);
    const shape = shapes[turn % shapes.length] ?? 'circle';
    // The colours are one further each time the shapes begin anew: session 6 is not drawn like session 1.
    const index = (turn + Math.floor(turn / shapes.length)) % shapes.length;
    return { session, index, shape, mark: marks[shape] };
  });
}

/** Where another session goes on: one that is new to the run, or one that comes back, which only a tab can. */
export interface Restart {
  /** Of its first event: a dashed line stands before it. */
  readonly before: number;
  readonly kind: 'restart' | 'other tab';
}

export function restartsOf(events: readonly AgentEvent[]): readonly Restart[] {
  const known = new Set<string>();
  return events.flatMap((event, at): Restart[] => {
    const kind = known.has(event.session) ? 'other tab' : 'restart';
    known.add(event.session);
    const goesOn = at === 0 || events[at - 1]?.session === event.session;
    return goesOn ? [] : [{ before: event.sequence, kind }];
  });
}

/** "restart before event 4, 7; other tab before event 9", or "". */
export function restartsInWords(restarts: readonly Restart[]): string {
  return (['restart', 'other tab'] as const)
    .map((kind) => [kind, restarts.filter((one) => one.kind === kind).map((one) => one.before)] as const)
    .filter(([, before]) => before.length > 0)
    .map(([kind, before]) => `${kind} before event ${before.join(', ')}`)
    .join('; ');
}

/** "Session 2 reused the saved result for lookup_runbook." */
export function eventSentence(event: AgentEvent): string {
  const who = event.session.replace(/^session-/, 'Session ');
  switch (event.eventType) {
    case 'run_started':
      return `${who} started ${event.runId} for ticket ${event.detail}.`;
    case 'run_resumed':
      return `${who} loaded the durable state and took up ${event.runId}.`;
    case 'run_adopted':
      return `${who} adopted ${event.runId}, which was made elsewhere.`;
    case 'checkpoint_saved':
      return `${who} saved the checkpoint of ${event.action}, ${event.detail}.`;
    case 'tool_executed':
      return `${who} called ${event.action} and saved its result.`;
    case 'tool_reused':
      return `${who} reused the saved result for ${event.action}: no second call.`;
    case 'tool_intended':
      return `${who} wrote down that ${event.action} shall be called.`;
    case 'tool_failed':
      return `${who} had no good answer from ${event.action}: ${reasonIn(event)}.`;
    case 'tool_refused':
      return `${who} refused a call in ${event.action}, and nothing left: ${reasonIn(event)}.`;
    case 'tool_in_doubt':
      return `${who} does not know whether ${event.action} was done: a person decides.`;
    case 'doubt_resolved':
      return `In ${event.session} a person decided the doubt of ${event.action}: ${reasonIn(event)}.`;
    case 'approval_requested':
      return `${who} asked a person for a yes to ${event.action}.`;
    case 'approval_given':
      return `In ${event.session} a person said yes to ${event.action}.`;
    case 'approval_denied':
      return `In ${event.session} a person said no to ${event.action}.`;
    case 'run_waiting':
      return `${who}: the run waits for ${event.detail.replace(`${event.runId}:`, '')}.`;
    case 'run_failed':
      return `${who}: the run has failed in ${event.action}: ${reasonIn(event)}.`;
    case 'run_retried':
      return `In ${event.session} the run was tried again ${event.detail}.`;
    case 'run_forked':
      return `${who} forked ${event.runId} from ${event.detail}.`;
    default:
      return `${who}: ${event.eventType}, ${event.action}.`;
  }
}

/** The reason that stands in an event's detail, after the call's key where there is one; without a full stop. */
export function reasonIn({ runId, action, detail }: AgentEvent): string {
  const key = `${runId}:${action}: `;
  return (detail.startsWith(key) ? detail.slice(key.length) : detail).replace(/\.$/, '');
}

/** What the last restart's session did so far: "Session 2 reused the saved result of lookup_runbook, …" */
export function sinceRestart(events: readonly AgentEvent[]): string | null {
  const resumed = events.findLastIndex((event) => event.eventType === 'run_resumed');
  const who = events[resumed]?.session.replace(/^session-/, 'Session ');
  if (who === undefined) return null;
  const actions = (type: string) =>
    events
      .slice(resumed)
      .filter((event) => event.eventType === type)
      .map((event) => event.action)
      .join(' and ');
  const [reused, called] = [actions('tool_reused'), actions('tool_executed')];
  const parts = [
    ...(reused === '' ? [] : [`reused the saved result of ${reused} instead of calling it again`]),
    ...(called === '' ? [] : [`called ${called}`]),
  ];
  return parts.length === 0 ? null : `${who} ${parts.join(', and ')}.`;
}

/** "event 5 of 9, tool_reused, lookup_runbook, session 2" */
export function eventPosition(event: AgentEvent, position: number, of: number): string {
  return `event ${position} of ${of}, ${event.eventType}, ${event.action}, ${event.session.replace('-', ' ')}`;
}
