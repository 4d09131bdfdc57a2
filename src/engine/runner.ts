/**
 * Owns: doing a run's next action: take the run up, get the results it needs, save the next checkpoint.
 * Leaves: each of these to its own file; the pace to who calls.
 * Invariant: the next checkpoint is written only after the action's results are confirmed (R6).
 */
import { budgetReason, exhausted } from './budgets.ts';
import type { Results } from './calls.ts';
import { settleAll } from './calls.ts';
import { loadRun, saveCheckpoint } from './checkpoint.ts';
import { openAttemptOfRun } from './attempts.ts';
import { heldElsewhere } from './claims.ts';
import type { Engine } from './engine.ts';
import { executeOnce } from './execute-once.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { JsonObject } from './json.ts';
import type { Run } from './records.ts';
import { ableToGoOn, usableContext } from './run-workflow.ts';
import { isElsewhere, resumeRun } from './start.ts';
import { failRun } from './status.ts';
import type { Action, Workflow } from './workflow.ts';
import { findAction } from './workflow.ts';

/**
 * Does the next action of the run, whichever session left it, as far as that goes now. Everything is durable on return
 * (R9). The run that is returned is the stored one: a later version; or the same, when a call is to be tried again; or
 * one that waits, or has failed.
 */
export async function step(engine: Engine, runId: string): Promise<Result<Run>> {
  const ready = await takeUp(engine, runId);
  if (!ready.ok) return ready;
  const { run, workflow, action, context } = ready.value;
  const spent = await engine.database.read((reader) => exhausted(reader, runId, ['steps']));
  if (spent !== null) return failRun(engine, run, action.name, budgetReason(spent));

  const results = await resultsOf(engine, run, workflow, action, context);
  if (!results.ok) return results;
  if (results.value.type === 'left') return succeed(results.value.run);
  const applied = action.apply(context, results.value.result);
  if (!applied.ok) return unusable(run, action, applied.failure);
  return saveCheckpoint(engine, run, action.name, {
    status: action.next === null ? 'completed' : 'running',
    nextAction: action.next,
    context: applied.value,
  });
}

/** A run that this session has taken up, with what its next action works on. */
export interface AtHand {
  readonly run: Run;
  readonly workflow: Workflow;
  readonly action: Action;
  readonly context: JsonObject;
}

/** Loads the run, and takes it up if another session had it last. Fails, nothing written, where it can't go on. */
export async function takeUp(engine: Engine, runId: string): Promise<Result<AtHand>> {
  const found = await engine.database.read((reader) => {
    const run = loadRun(reader, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId } as const);
    const workflow = ableToGoOn(reader, engine, run);
    if (!workflow.ok) return workflow;
    const elsewhere = isElsewhere(reader, engine, runId);
    const open = elsewhere ? openAttemptOfRun(reader, runId) : null;
    return succeed({ run, workflow: workflow.value, elsewhere, open });
  });
  if (!found.ok) return found;
  const { workflow, elsewhere, open } = found.value;
  // Who is in the middle of a call is not disturbed, not even by an event.
  const held = open && (await heldElsewhere(engine, open));
  if (held) return fail(held);
  const resumed = elsewhere ? await resumeRun(engine, runId) : succeed(found.value.run);
  if (!resumed.ok) return resumed;
  const run = resumed.value;
  const action = findAction(workflow, run.nextAction);
  if (action === undefined) throw new Error('ableToGoOn let an unknown action pass');
  const context = usableContext(workflow, run);
  return context.ok ? succeed({ run, workflow, action, context: context.value }) : context;
}

/** Steps until the run is running no more, or a step fails: then nothing is left to do by itself now. */
export async function runToEnd(engine: Engine, runId: string): Promise<Result<Run>> {
  for (;;) {
    const result = await step(engine, runId);
    if (!result.ok || result.value.status !== 'running') return result;
  }
}

async function resultsOf(
  engine: Engine,
  run: Run,
  workflow: Workflow,
  action: Action,
  context: JsonObject,
): Promise<Result<Results>> {
  if (action.calls) {
    const calls = action.calls(context);
    return calls.ok
      ? settleAll(engine, run, workflow, action.name, calls.value)
      : unusable(run, action, calls.failure);
  }
  if (action.tool === null) return succeed({ type: 'ready', result: {} });
  const toolArguments = action.tool.arguments(context);
  if (!toolArguments.ok) return unusable(run, action, toolArguments.failure);
  const executed = await executeOnce(engine, run, action.name, action.tool.name, toolArguments.value);
  return executed.ok ? succeed({ type: 'ready', result: executed.value }) : executed;
}

function unusable({ runId }: Run, { name }: Action, reason: string) {
  return fail({ type: 'ContextUnusable', runId, action: name, reason } as const);
}
