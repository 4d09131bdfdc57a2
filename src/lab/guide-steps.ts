/**
 * Owns: the first guided run: six steps of predict, do, look, why, and the facts that tick each.
 * Leaves: which run it follows and what was reached to guide-progress.ts, showing to Guide.svelte.
 * Invariant: a tick comes from the database and the restart, whichever way the reader got there.
 */
import type { RunView } from '../bridge/views.ts';
import type { Arm } from '../engine/crash.ts';

export interface GuideFacts {
  /** The run on screen. */
  readonly run: RunView | null;
  /** Every run in the database; null: it is not open yet, so nothing is known. */
  readonly runIds: readonly string[] | null;
  readonly arms: readonly Arm[];
  /** A worker of this run has died and the next has not acted yet. */
  readonly interrupted: boolean;
  readonly suggestedBoundary: string;
  /** The reader moved the cursor away from where it stands by itself. */
  readonly walked: boolean;
}

/** The control that the step asks for: it gets a ring on screen. */
export type Pointer = 'start' | 'step' | 'crash-at' | 'run' | 'resume' | 'timeline' | null;

export interface GuideStep {
  readonly title: string;
  readonly story: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly right: number;
  /** The answer shows only with the next step's tick, so the prediction is judged there. */
  readonly judgedLater?: true;
  readonly task: string;
  /** The task as something done. */
  readonly did: string;
  readonly pointer: Pointer;
  readonly look: string;
  readonly why: string;
  readonly done: (facts: GuideFacts) => boolean;
}

/** The ticket and the workflow that the texts speak of. */
export const guideTicketId = 'T104';
export const guideWorkflow = 'triage';

export const sessionCount = (run: RunView): number => new Set(run.events.map((event) => event.session)).size;
export const wasRestarted = ({ run, interrupted }: GuideFacts): boolean =>
  interrupted || (run !== null && sessionCount(run) > 1);

export const guideSteps: readonly GuideStep[] = [
  {
    title: 'Three records',
    story:
      'Ticket T104: the temperature sensor of a cold store fell silent. An agent works on it in four actions. No language model is at work here: a fixed rule stands in for it, so that every crash can be repeated. The process may die at any instant.',
    question: 'What must be on disk so that another process can go on?',
    options: [
      'The conversation so far',
      'Where to go on, how it got there, and what is already done',
      'The final answer, once there is one',
    ],
    right: 1,
    task: 'Press “Start T104”.',
    did: 'you started the run.',
    pointer: 'start',
    look: 'One row in agent_runs (version 0), one event, and no saved result yet.',
    why: 'Three questions, three tables: agent_runs says where to go on, agent_events how it got there, tool_effects what has already happened.',
    done: ({ run }) => run !== null,
  },
  {
    title: 'A step and its checkpoint',
    story:
      'The first action, classify_priority, needs no tool. It applies a rule: safety or 45 minutes means urgent.',
    question: 'What will its commit write?',
    options: [
      'Nothing: a run is written when it ends',
      'The new row in agent_runs; the event follows later',
      'The row at version 1 and its event, together or not at all',
    ],
    right: 2,
    task: 'Press “Step” once.',
    did: 'you pressed “Step”, and the first checkpoint is saved.',
    pointer: 'step',
    look: 'version 0 → 1 and next_action → lookup_runbook, with event 2 beside it.',
    why: 'Checkpoint and event are one transaction. No crash can keep one of them and lose the other.',
    done: ({ run }) => run !== null && run.run.version >= 1,
  },
  {
    title: 'Arm the crash',
    story:
      'Next, lookup_runbook calls a function, saves its result, and then saves the checkpoint. We kill the worker between the last two.',
    question: 'What will be lost?',
    options: ['The saved result', 'Only what was in the worker’s memory', 'The whole run'],
    right: 1,
    judgedLater: true,
    task: 'Press “Crash at…” and arm the suggested boundary.',
    did: 'you armed the crash.',
    pointer: 'crash-at',
    look: 'Under the buttons a yellow chip says where the crash is armed.',
    why: 'A boundary is a named instant between two statements. This is the lesson’s own: the result is durable, the checkpoint is not.',
    done: (facts) =>
      wasRestarted(facts) || facts.arms.some((arm) => arm.boundary === facts.suggestedBoundary),
  },
  {
    title: 'The tab dies',
    story:
      'The armed step runs until the boundary. Then the worker really is terminated, and the tab reloads.',
    question: 'What will agent_runs say after the crash?',
    options: ['version 1, next lookup_runbook', 'version 2, next draft_reply', 'Nothing: the row is gone'],
    right: 0,
    task: 'Press “Step” and watch it die.',
    did: 'the worker died, and its memory with it.',
    pointer: 'step',
    look: 'After the reload the card says what was stored: version 1, next lookup_runbook, and one saved result.',
    why: 'The database holds exactly what was acknowledged. Memory is gone; the last checkpoint and the saved result are not.',
    done: wasRestarted,
  },
  {
    title: 'What session 2 does',
    story: 'A new worker opens the database. It knows nothing but what is stored.',
    question: 'What will it do about lookup_runbook?',
    options: [
      'Call the function again',
      'Skip to draft_reply',
      'Reuse the saved result, then save the checkpoint',
    ],
    right: 2,
    task: 'Lock in your prediction, then press “Resume”.',
    did: 'another session took the run up.',
    pointer: 'resume',
    look: 'Event tool_reused by session-2, and still one lookup call in the outside world’s log.',
    why: 'The key run-T104:lookup_runbook is the same in every session. A saved result under that key is returned instead of a call.',
    done: ({ run }) => run !== null && sessionCount(run) > 1 && actedAfterResume(run),
  },
  {
    title: 'The trace',
    story: 'The run goes to its end. The final status looks like that of a run that never crashed.',
    question: 'Where can you see that it did crash?',
    options: ['In agent_runs: status and version', 'In agent_events: the order and the session', 'Nowhere'],
    right: 1,
    task: 'Let the run complete. Then press “Go to the timeline” and walk through it with ← and →.',
    did: 'the run is complete, and you walked through it.',
    pointer: 'run',
    look: 'A dashed line stands between the last event of session-1 and run_resumed.',
    why: '“completed, version 4” says nothing of it. The trace shows the crash; the invariants show that nothing broke; the outside world’s log shows how often each function was really called.',
    done: ({ run, walked }) =>
      walked && run !== null && run.run.status === 'completed' && sessionCount(run) > 1,
  },
];

function actedAfterResume(run: RunView): boolean {
  const resumed = run.events.findIndex((event) => event.eventType === 'run_resumed');
  return resumed >= 0 && resumed < run.events.length - 1;
}
