/** Owns: which workflows the ticket agent can carry out, and where each is most worth crashing. */
import type { Workflow } from '../engine/workflow.ts';
import { dispatch } from './dispatch.ts';
import { lessonBoundary, triage } from './workflow.ts';

/** The lesson's own comes first: a run from elsewhere is taken for one of it. */
export const workflows: readonly Workflow[] = [triage, dispatch];

/** The boundary that is suggested to crash at. For Dispatch: the work order is opened, and nobody here knows it yet. */
export function suggestedBoundaryOf(workflow: Workflow): string {
  return workflow === dispatch ? 'open_work_order.call.answered' : lessonBoundary;
}
