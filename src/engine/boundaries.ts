/**
 * Owns: the list of a workflow's boundaries, in the order in which sessions reach them, with words for a person.
 * Leaves: announcing them to those who do the work; a test holds this list against what is announced.
 */
import type { Workflow } from './workflow.ts';

export interface Boundary {
  readonly name: string;
  readonly words: string;
}

export interface BoundaryGroup {
  /** The part of the run: `start`, an action's `tool`, `reuse` or `checkpoint`, `resume`. */
  readonly name: string;
  /** Only a session that takes the run up gets here. */
  readonly afterRestart: boolean;
  readonly boundaries: readonly Boundary[];
}

const inWords: Readonly<Record<string, string>> = {
  called: 'the tool has answered, nothing is saved',
  begin: 'a transaction begins',
  session_drawn: 'the session has its label',
  run_inserted: 'the run is inserted',
  workflow_recorded: 'its workflow is recorded',
  updated: 'the checkpoint is updated',
  inserted: 'the result is inserted',
  arguments_recorded: "the arguments' hash is recorded",
  event_appended: 'the event is appended',
  committed: 'COMMIT, in memory only',
  durable: 'durable in the browser',
};

function group(name: string, afterRestart: boolean, instants: readonly string[]): BoundaryGroup {
  const boundaries = instants.map((instant) => ({
    name: `${name}.${instant}`,
    words: inWords[instant] ?? instant,
  }));
  return { name, afterRestart, boundaries };
}

const end = ['event_appended', 'committed', 'durable'];

/** Every boundary of a run of this workflow. Those of adopting a run from elsewhere are left out. */
export function boundariesOf(workflow: Workflow): readonly BoundaryGroup[] {
  return [
    group('start', false, ['begin', 'session_drawn', 'run_inserted', 'workflow_recorded', ...end]),
    group('resume', true, ['begin', 'session_drawn', ...end]),
    ...workflow.actions.flatMap(({ name, tool }) => [
      ...(tool === null
        ? []
        : [
            group(`${name}.tool`, false, ['called', 'begin', 'inserted', 'arguments_recorded', ...end]),
            group(`${name}.reuse`, true, ['begin', ...end]),
          ]),
      group(`${name}.checkpoint`, false, ['begin', 'updated', ...end]),
    ]),
  ];
}
