/**
 * Owns: which boundaries a run has passed for good, and which one to suggest next; pure.
 * Leaves: the list of boundaries to the engine, arming to the picker.
 */
import type { ActionView, BoundaryGroup, RunView } from '../bridge/views.ts';

type Stands = Pick<RunView, 'run' | 'actions'>;

/** Names of the boundaries that no session of this run gets to any more. Without a run: none. */
export function behindRun(groups: readonly BoundaryGroup[], run: Stands | null): ReadonlySet<string> {
  return new Set(
    groups
      .filter((group) => run !== null && isBehind(group.name, run))
      .flatMap((group) => group.boundaries.map((boundary) => boundary.name)),
  );
}

/** Names of the boundaries that the run is sure to come to, crash or not. `behind`: what `behindRun` gave. */
export function surelyAhead(
  groups: readonly BoundaryGroup[],
  behind: ReadonlySet<string>,
): readonly string[] {
  return groups
    .filter((group) => group.onlyIf === null && !group.afterRestart)
    .flatMap((group) => group.boundaries.map(({ name }) => name))
    .filter((name) => !behind.has(name));
}

/** Of a call, everything before its result is saved. */
const partsOfACall = [
  'tool',
  'intent',
  'claim',
  'call',
  'confirm',
  'failure',
  'wait',
  'status',
  'doubt',
  'fail',
];

function isBehind(group: string, { run, actions }: Stands): boolean {
  // A run that waits goes on, and one that has failed may be tried again.
  if (!['running', 'waiting', 'failed'].includes(run.status) || group === 'start') return true;
  return actions.some(
    (action) =>
      (action.state === 'done' && group.startsWith(`${action.name}.`)) ||
      (toolIsDone(action) && partsOfACall.some((part) => group === `${action.name}.${part}`)),
  );
}

const toolIsDone = (action: ActionView): boolean => action.state === 'done' || action.resultSaved;

export interface Suggestion {
  /** Null: there is nothing to suggest for this run. */
  readonly boundary: string | null;
  readonly why: string;
}

/**
 * The workflow's own boundary (`usual`) while the run has it before it; then the next tool's, then the next checkpoint's.
 * Without a run: the lesson's own.
 */
export function suggestionFor(usual: string, run: Stands | null): Suggestion {
  const isOver = !['running', 'waiting', 'failed'].includes(run?.run.status ?? 'running');
  const ahead = isOver ? [] : (run?.actions.filter(({ state }) => state !== 'done') ?? []);
  if (run !== null && ahead.length === 0) {
    return { boundary: null, why: 'This run is past every boundary. What you arm waits for another run.' };
  }
  const tools = ahead.filter((action) => action.usesTool && !toolIsDone(action));
  const call = tools.find(({ name }) => usual === `${name}.call.answered`) ?? tools[0];
  if (call?.callsOutside) {
    return {
      boundary: `${call.name}.call.answered`,
      why: `The work of ${call.name} is done outside, its answer is here, and nothing of that is saved. Claims, keys and questions exist for this gap.`,
    };
  }
  const tool = tools[0]?.name;
  if (run === null || tool !== undefined) {
    const isLesson = run === null || `${tool ?? ''}.tool.durable` === usual;
    const boundary = isLesson ? usual : `${tool ?? ''}.tool.durable`;
    const action = boundary.split('.')[0] ?? boundary;
    const why = `The result of ${action} is safely stored and the next checkpoint is not.`;
    return { boundary, why: isLesson ? `${why} This is the gap that saved results exist for.` : why };
  }
  const next = ahead[0]?.name ?? '';
  return {
    boundary: `${next}.checkpoint.committed`,
    why: `No tool is left to call. The checkpoint of ${next} is committed in memory and not yet stored, so the next session finds the one before it.`,
  };
}
