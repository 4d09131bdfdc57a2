/**
 * Owns: which workflow a run has, and whether it can go on under it (R13).
 * Leaves: what a workflow is to workflow.ts; starting and taking up to start.ts.
 */
import type { Engine } from './engine.ts';
import type { EngineFailure, Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { JsonObject } from './json.ts';
import { decodeJson, isJsonObject } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import type { Run } from './records.ts';
import { reservedActions } from './records.ts';
import type { OutsideTool } from './tool.ts';
import type { Workflow } from './workflow.ts';
import { findAction, fingerprint, workflowName } from './workflow.ts';

type Workflows = Pick<Engine, 'workflows'>;

/** The workflow that the run was started with; the first one for a run without one recorded. Null: not one of ours. */
export function workflowOf(reader: Reader, { workflows }: Workflows, runId: string): Workflow | null {
  const recorded = recordedWorkflow(reader, runId);
  const named = recorded ? workflows.find((workflow) => workflow.name === recorded.name) : workflows[0];
  return named ?? null;
}

/** The tool of that name which the run's workflow declares; null: none. */
export function toolOf(reader: Reader, engine: Workflows, runId: string, name: string): OutsideTool | null {
  return workflowOf(reader, engine, runId)?.tools?.find((tool) => tool.name === name) ?? null;
}

/** Why this run can't be continued, or null. The run can always be shown. */
export function obstacleTo(reader: Reader, engine: Workflows, run: Run): EngineFailure | null {
  const going = ableToGoOn(reader, engine, run);
  return going.ok ? null : going.failure;
}

/** The workflow under which the run goes on, or why it can't. */
export function ableToGoOn(reader: Reader, engine: Workflows, run: Run): Result<Workflow, EngineFailure> {
  const { runId, status } = run;
  if (status !== 'running') return fail({ type: 'RunNotRunning', runId, status });
  const recorded = recordedWorkflow(reader, runId);
  const workflow = workflowOf(reader, engine, runId);
  if (recorded !== null && recorded.fingerprint !== (workflow && fingerprint(workflow))) {
    const current = workflow ? workflowName(workflow) : engine.workflows.map(workflowName).join(', ');
    return fail({ type: 'WorkflowChanged', runId, stored: workflowName(recorded), current });
  }
  if (workflow === null) throw new Error('an engine without workflows');
  const misfit = whyUnfit(reader, workflow, run);
  return misfit === null ? succeed(workflow) : fail(misfit);
}

/** Why the workflow does not fit what is stored of the run, or null. */
export function whyUnfit(reader: Reader, workflow: Workflow, run: Run): EngineFailure | null {
  const { runId, nextAction } = run;
  const saved = reader
    .all(`SELECT DISTINCT action FROM agent_events WHERE run_id = ? AND event_type = 'checkpoint_saved'`, [
      runId,
    ])
    .map((row) => String(row['action']))
    .filter((action) => !reservedActions.some((reserved) => reserved === action));
  const unknown = [...saved, nextAction].find((action) => findAction(workflow, action) === undefined);
  if (unknown !== undefined) {
    const known = workflow.actions.map((action) => action.name);
    return { type: 'UnknownAction', runId, action: unknown ?? 'none', known };
  }
  const context = usableContext(workflow, run);
  return context.ok ? null : context.failure;
}

/**
 * The stored context, if the next action can work with it; looked at before anything is written for the run.
 * A file from elsewhere may hold any text there.
 */
export function usableContext(workflow: Workflow, run: Run): Result<JsonObject, EngineFailure> {
  const { runId, nextAction } = run;
  const action = findAction(workflow, nextAction);
  const context = decodeJson(run.contextJson)?.value;
  const unusable = (reason: string) =>
    fail({ type: 'ContextUnusable', runId, action: nextAction ?? 'none', reason } as const);
  if (!isJsonObject(context)) return unusable('the stored context is not a JSON object');
  const fits = action?.calls
    ? action.calls(context)
    : action?.tool
      ? action.tool.arguments(context)
      : action?.apply(context, {});
  return fits?.ok === false ? unusable(fits.failure) : succeed(context);
}

export function recordedWorkflow(
  reader: Reader,
  runId: string,
): { readonly name: string; readonly version: number; readonly fingerprint: string } | null {
  const row = reader.get('SELECT * FROM run_details WHERE run_id = ?', [runId]);
  if (row === undefined) return null;
  const [name, version] = [String(row['workflow']), Number(row['workflow_version'])];
  return { name, version, fingerprint: String(row['fingerprint']) };
}

/** Ties the run to the workflow, inside the transaction that starts or adopts it. */
export function recordWorkflow(
  engine: Pick<Engine, 'clock' | 'crash'>,
  transaction: Transaction,
  boundary: string,
  runId: string,
  workflow: Workflow,
): void {
  transaction.run(
    `INSERT INTO run_details (run_id, workflow, workflow_version, fingerprint, started_at_utc) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (run_id) DO UPDATE SET workflow = ?2, workflow_version = ?3, fingerprint = ?4`,
    [runId, workflow.name, workflow.version, fingerprint(workflow), engine.clock.now()],
  );
  engine.crash.reach(`${boundary}.workflow_recorded`);
}
