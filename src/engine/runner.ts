/**
 * Owns: doing a run's next action: take the run up, get the tool's result, save the next checkpoint.
 * Leaves: each of these to its own file; the pace to who calls.
 * Invariant: the next checkpoint is written only after the action's result is confirmed (R6).
 */
import { loadRun, saveCheckpoint } from './checkpoint.ts';
import type { Engine } from './engine.ts';
import { executeOnce } from './execute-once.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Run } from './records.ts';
import { isElsewhere, obstacleTo, resumeRun, usableContext } from './start.ts';
import { findAction } from './workflow.ts';

/** Does the next action of the run, whichever session left it. Everything is durable on return (R9). */
export async function step(engine: Engine, runId: string): Promise<Result<Run>> {
  const found = await engine.database.read((reader) => {
    const run = loadRun(reader, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId } as const);
    const obstacle = obstacleTo(reader, engine.workflow, run);
    if (obstacle !== null) return fail(obstacle);
    return succeed({ run, elsewhere: isElsewhere(reader, engine, runId) });
  });
  if (!found.ok) return found;
  const resumed = found.value.elsewhere ? await resumeRun(engine, runId) : succeed(found.value.run);
  if (!resumed.ok) return resumed;
  const run = resumed.value;

  const action = findAction(engine.workflow, run.nextAction);
  if (action === undefined) throw new Error('obstacleTo let an unknown action pass');
  const context = usableContext(engine.workflow, run);
  if (!context.ok) return context;
  const unusable = (reason: string) =>
    fail({ type: 'ContextUnusable', runId, action: action.name, reason } as const);

  let result = {};
  if (action.tool !== null) {
    const toolArguments = action.tool.arguments(context.value);
    if (!toolArguments.ok) return unusable(toolArguments.failure);
    const executed = await executeOnce(engine, run, action.name, action.tool.name, toolArguments.value);
    if (!executed.ok) return executed;
    result = executed.value;
  }
  const applied = action.apply(context.value, result);
  if (!applied.ok) return unusable(applied.failure);
  return saveCheckpoint(engine, run, action.name, {
    status: action.next === null ? 'completed' : 'running',
    nextAction: action.next,
    context: applied.value,
  });
}

/** Steps until the run completes or a step fails. */
export async function runToEnd(engine: Engine, runId: string): Promise<Result<Run>> {
  for (;;) {
    const result = await step(engine, runId);
    if (!result.ok || result.value.status !== 'running') return result;
  }
}
