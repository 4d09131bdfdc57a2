/**
 * Owns: how a run begins, how a session takes up a run that another one left, how a run changes its workflow.
 * Leaves: the actions in between to runner.ts; what fits to run-workflow.ts; a run that begins in the middle of another
 * to fork.ts.
 * Invariants: the run and its first event are one transaction (R2); a run keeps its workflow (R13).
 */
import { openBudgets } from './budgets.ts';
import type { Engine } from './engine.ts';
import { loadRun } from './checkpoint.ts';
import { appendEvent, drawLabel, labelOf, lastTakenUpBy } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import { recordCheckpoint } from './history.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import type { Run } from './records.ts';
import { redactText } from './redaction.ts';
import { freeRunId } from './run-ids.ts';
import { ableToGoOn, recordedWorkflow, recordWorkflow, whyUnfit, workflowOf } from './run-workflow.ts';
import type { Workflow } from './workflow.ts';
import { workflowName } from './workflow.ts';

/**
 * Starts a run for the ticket at version 0: `run-T104`, then `run-T104-2`, `-3`. Without a workflow named: the engine's
 * first. Durable on return (R9). Fails with JsonRefused.
 */
export async function startRun(
  engine: Engine,
  ticketId: string,
  context: JsonObject,
  workflow = engine.workflows[0],
): Promise<Result<Run>> {
  if (workflow === undefined) throw new Error('an engine without workflows');
  const contextJson = encodeJson(context, 'context');
  if (!contextJson.ok) return contextJson;
  // The id is stored, and found again by it: what looks like a secret is no part of it.
  const ticket = redactText(ticketId);
  return engine.database.commit<Run>('start', (transaction) => {
    const session = drawLabel(engine, transaction);
    engine.crash.reach('start.session_drawn');
    const run: Run = {
      runId: freeRunId(transaction, ticket),
      ticketId: ticket,
      status: 'running',
      nextAction: workflow.actions[0]?.name ?? null,
      contextJson: contextJson.value,
      version: 0,
    };
    insertRun(engine, transaction, 'start', run, workflow);
    const event = { runId: run.runId, type: 'run_started', action: 'start', detail: ticket } as const;
    appendEvent(engine, transaction, 'start', session, event);
    return succeed(run);
  });
}

/** The rows of a run at version 0, but for its first event. */
export function insertRun(
  engine: Engine,
  transaction: Transaction,
  boundary: string,
  run: Run,
  workflow: Workflow,
): void {
  transaction.run(
    `INSERT INTO agent_runs (run_id, ticket_id, status, next_action, context_json, version)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [run.runId, run.ticketId, run.status, run.nextAction, run.contextJson, run.version],
  );
  engine.crash.reach(`${boundary}.run_inserted`);
  recordWorkflow(engine, transaction, boundary, run.runId, workflow);
  openBudgets(transaction, run.runId, workflow);
  recordCheckpoint(engine, transaction, boundary, run, null);
}

/**
 * Takes the run up in this session: `run_resumed`, after `run_adopted` for a run from elsewhere that has no
 * workflow recorded. Nothing is written when it was this session that took the run up last. Durable on return (R9).
 */
export async function resumeRun(engine: Engine, runId: string): Promise<Result<Run>> {
  return engine.database.commit<Run>('resume', (transaction) => {
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    const workflow = ableToGoOn(transaction, engine, run);
    if (!workflow.ok) return workflow;
    if (!isElsewhere(transaction, engine, runId)) return succeed(run);
    const session = drawLabel(engine, transaction);
    engine.crash.reach('resume.session_drawn');
    if (recordedWorkflow(transaction, runId) === null)
      adopt(engine, transaction, session, run, workflow.value);
    const event = { runId, type: 'run_resumed', action: 'resume', detail: 'loaded durable state' } as const;
    appendEvent(engine, transaction, 'resume', session, event);
    return succeed(run);
  });
}

/**
 * A person lets the run go on under the workflow as it is now, which is not the one it was started with. Fails with
 * UnknownAction or ContextUnusable, nothing written, where that does not fit. Durable on return (R9).
 */
export function adoptRun(engine: Engine, runId: string): Promise<Result<Run>> {
  return engine.database.commit<Run>('resume', (transaction) => {
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    const workflow = workflowOf(transaction, engine, runId) ?? engine.workflows[0];
    if (workflow === undefined) throw new Error('an engine without workflows');
    const misfit = whyUnfit(transaction, workflow, run);
    if (misfit !== null) return fail(misfit);
    const session = drawLabel(engine, transaction);
    engine.crash.reach('resume.session_drawn');
    adopt(engine, transaction, session, run, workflow);
    return succeed(run);
  });
}

function adopt(
  engine: Engine,
  transaction: Transaction,
  session: string,
  run: Run,
  workflow: Workflow,
): void {
  const { runId } = run;
  recordWorkflow(engine, transaction, 'resume', runId, workflow);
  const adopted = { runId, type: 'run_adopted', action: 'adopt', detail: workflowName(workflow) } as const;
  appendEvent(engine, transaction, 'resume.adoption', session, adopted);
}

/** Does the run belong to another session: one that stopped, or that works in another tab? */
export function isElsewhere(reader: Reader, engine: Pick<Engine, 'workerId'>, runId: string): boolean {
  const label = labelOf(engine, reader);
  return label === null || lastTakenUpBy(reader, runId) !== label;
}
