/**
 * Owns: where each action of a run stands, from its row, its events and its saved results.
 * Leaves: which moment they are of to lab-view.ts (now) and past.ts.
 */
import type { AgentEvent, Run } from '../engine/records.ts';
import type { ActionView } from './views.ts';

type Named = Pick<ActionView, 'name' | 'usesTool' | 'callsOutside'>;

/** `isSaved`: is the result of this action's tool saved? */
export function actionViews(
  named: readonly Named[],
  run: Pick<Run, 'status' | 'nextAction'>,
  events: readonly AgentEvent[],
  isSaved: (name: string) => boolean,
): readonly ActionView[] {
  const nextIndex = named.findIndex(({ name }) => name === run.nextAction);
  return named.map(({ name, usesTool, callsOutside }, index): ActionView => {
    const checkpoint = events.find(
      (event) => event.eventType === 'checkpoint_saved' && event.action === name,
    );
    const isNext = index === nextIndex && run.status !== 'completed';
    // A run from elsewhere may have lost events: what the checkpoint says has been done, has been done.
    const isDone =
      checkpoint !== undefined || (nextIndex >= 0 && index < nextIndex) || run.status === 'completed';
    const version = Number(checkpoint?.detail.replace('version ', ''));
    return {
      name,
      usesTool,
      callsOutside,
      state: isNext ? 'next' : isDone ? 'done' : 'ahead',
      resultSaved: isNext && isSaved(name),
      version: Number.isInteger(version) ? version : null,
    };
  });
}
