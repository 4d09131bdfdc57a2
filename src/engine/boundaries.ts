/**
 * Owns: the list of a workflow's boundaries, in the order in which sessions reach them, with words for a person.
 * Leaves: announcing them to those who do the work; a test holds this list against what is announced.
 */
import type { Action, Workflow } from './workflow.ts';

export interface Boundary {
  readonly name: string;
  readonly words: string;
}

export interface BoundaryGroup {
  /** The part of the run: `start`, `resume`, or an action and a part of it, such as `tool` or `checkpoint`. */
  readonly name: string;
  /** Only a session that takes the run up gets here. */
  readonly afterRestart: boolean;
  /** Only when something happens that does not always happen: an error, a doubt, a decision. In words; null: always. */
  readonly onlyIf: string | null;
  readonly boundaries: readonly Boundary[];
}

const inWords: Readonly<Record<string, string>> = {
  called: 'the tool has answered, nothing is saved',
  begin: 'a transaction begins',
  session_drawn: 'the session has its label',
  run_inserted: 'the run is inserted',
  workflow_recorded: 'its workflow is recorded',
  recorded: 'the version is in the history',
  updated: 'the checkpoint is updated',
  inserted: 'the row is inserted',
  arguments_recorded: "the arguments' hash is recorded",
  event_appended: 'the event is appended',
  committed: 'COMMIT, in memory only',
  durable: 'durable in the browser',
  'approval.inserted': 'a yes is asked for',
  'approval.event_appended': 'the event of that is appended',
  claimed: 'the attempt has its owner, lease and fencing number',
  sent: 'the call has left, nobody has answered',
  answered: 'the answer is here, nothing is saved',
  intent_confirmed: 'the intent is confirmed',
  intent_updated: 'the intent is updated',
  decided: 'the decision is written',
  'named.event_appended': 'the event that names it is appended',
};

function group(name: string, instants: readonly string[], more: Partial<BoundaryGroup> = {}): BoundaryGroup {
  const boundaries = instants.map((instant) => ({
    name: `${name}.${instant}`,
    words: inWords[instant] ?? instant.replaceAll('_', ' '),
  }));
  return { name, afterRestart: false, onlyIf: null, boundaries, ...more };
}

const end = ['event_appended', 'committed', 'durable'];
const statusChange = [
  'begin',
  'updated',
  'recorded',
  'event_appended',
  'named.event_appended',
  ...end.slice(1),
];

/** Every boundary of a run of this workflow. Those of adopting a run from elsewhere are left out. */
export function boundariesOf(workflow: Workflow): readonly BoundaryGroup[] {
  return [
    group('start', ['begin', 'session_drawn', 'run_inserted', 'workflow_recorded', 'recorded', ...end]),
    group('resume', ['begin', 'session_drawn', ...end], { afterRestart: true }),
    ...workflow.actions.flatMap((action) => [
      ...(action.tool === null ? [] : toolGroups(action)),
      ...(action.calls === undefined ? [] : callGroups(action, workflow)),
      group(`${action.name}.checkpoint`, ['begin', 'updated', 'recorded', ...end]),
    ]),
  ];
}

function toolGroups({ name }: Action): readonly BoundaryGroup[] {
  return [
    group(`${name}.tool`, ['called', 'begin', 'inserted', 'arguments_recorded', ...end]),
    group(`${name}.reuse`, ['begin', ...end], { afterRestart: true }),
  ];
}

/** An action with several calls has these for each of them, under the call's own name; they are not listed. */
function callGroups({ name }: Action, { tools }: Workflow): readonly BoundaryGroup[] {
  const tool = tools?.find((one) => one.name === name);
  const person = 'a person has to say yes';
  const onceOnly = tool?.safety === 'at-most-once';
  return [
    group(`${name}.intent`, ['begin', 'inserted', ...end]),
    ...(onceOnly
      ? [
          group(`${name}.intent`, ['approval.inserted', 'approval.event_appended'], { onlyIf: person }),
          group(`${name}.wait`, statusChange, { onlyIf: 'a person has to decide' }),
        ]
      : []),
    group(`${name}.claim`, ['begin', 'claimed', 'committed', 'durable']),
    group(`${name}.call`, ['sent', 'answered']),
    group(`${name}.confirm`, ['begin', 'inserted', 'arguments_recorded', 'intent_confirmed', ...end]),
    group(`${name}.reuse`, ['begin', ...end], { afterRestart: true }),
    group(`${name}.failure`, ['begin', 'intent_updated', ...end], { onlyIf: 'an attempt ends badly' }),
    ...(onceOnly
      ? [
          group(`${name}.status`, ['answered'], { onlyIf: 'a session died before the answer was recorded' }),
          group(`${name}.doubt`, ['begin', 'intent_updated', ...end], {
            onlyIf: 'nobody knows whether it was done',
          }),
        ]
      : []),
    group(`${name}.fail`, statusChange, { onlyIf: 'no attempt is left' }),
  ];
}
