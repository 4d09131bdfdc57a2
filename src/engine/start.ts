/**
 * Owns: how a run begins, and how a session takes up a run that another one left.
 * Leaves: the actions in between to runner.ts.
 * Invariants: the run and its first event are one transaction (R2); a run keeps its workflow (R13).
 */
import type { Engine } from './engine.ts';
import { loadRun } from './checkpoint.ts';
import { appendEvent, drawLabel, labelOf, lastSession } from './events.ts';
import type { EngineFailure, Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { JsonObject } from './json.ts';
import { decodeJson, encodeJson, isJsonObject } from './json.ts';
import type { Reader, Transaction } from './ports.ts';
import type { Run } from './records.ts';
import type { Workflow } from './workflow.ts';
import { findAction, fingerprint } from './workflow.ts';

/** Starts a run for the ticket at version 0: `run-T104`, then `run-T104-2`, `-3`. Durable on return (R9). */
export async function startRun(engine: Engine, ticketId: string, context: JsonObject): Promise<Result<Run>> {
  const contextJson = encodeJson(context, 'context');
  if (!contextJson.ok) return contextJson;
  return engine.database.commit<Run>('start', (transaction) => {
    const session = drawLabel(engine, transaction);
    engine.crash.reach('start.session_drawn');
    const run: Run = {
      runId: freeRunId(transaction, ticketId),
      ticketId,
      status: 'running',
      nextAction: engine.workflow.actions[0]?.name ?? null,
      contextJson: contextJson.value,
      version: 0,
    };
    transaction.run(
      `INSERT INTO agent_runs (run_id, ticket_id, status, next_action, context_json, version)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [run.runId, run.ticketId, run.status, run.nextAction, run.contextJson, run.version],
    );
    engine.crash.reach('start.run_inserted');
    recordWorkflow(engine, transaction, 'start', run.runId);
    const event = { runId: run.runId, type: 'run_started', action: 'start', detail: ticketId } as const;
    appendEvent(engine, transaction, 'start', session, event);
    return succeed(run);
  });
}

/**
 * Takes the run up in this session: `run_resumed`, after `run_adopted` for a run from elsewhere that has no
 * workflow recorded. Nothing is written when this session wrote the run's last event. Durable on return (R9).
 */
export async function resumeRun(engine: Engine, runId: string): Promise<Result<Run>> {
  return engine.database.commit<Run>('resume', (transaction) => {
    const run = loadRun(transaction, runId);
    if (run === undefined) return fail({ type: 'RunNotFound', runId });
    const obstacle = obstacleTo(transaction, engine.workflow, run);
    if (obstacle !== null) return fail(obstacle);
    if (!isElsewhere(transaction, engine, runId)) return succeed(run);
    const session = drawLabel(engine, transaction);
    engine.crash.reach('resume.session_drawn');
    if (recordedWorkflow(transaction, runId) === null) {
      recordWorkflow(engine, transaction, 'resume', runId);
      const detail = workflowName(engine.workflow);
      const adopted = { runId, type: 'run_adopted', action: 'adopt', detail } as const;
      appendEvent(engine, transaction, 'resume.adoption', session, adopted);
    }
    const event = { runId, type: 'run_resumed', action: 'resume', detail: 'loaded durable state' } as const;
    appendEvent(engine, transaction, 'resume', session, event);
    return succeed(run);
  });
}

/** Does the run belong to another session: one that stopped, or that works in another tab? */
export function isElsewhere(reader: Reader, engine: Pick<Engine, 'workerId'>, runId: string): boolean {
  const label = labelOf(engine, reader);
  return label === null || lastSession(reader, runId) !== label;
}

/** Why this run can't be continued under this workflow, or null. The run can always be shown. */
export function obstacleTo(reader: Reader, workflow: Workflow, run: Run): EngineFailure | null {
  const { runId, status, nextAction } = run;
  if (status !== 'running') return { type: 'RunNotRunning', runId, status };
  const recorded = recordedWorkflow(reader, runId);
  if (recorded !== null && recorded.fingerprint !== fingerprint(workflow)) {
    return { type: 'WorkflowChanged', runId, stored: recorded.name, current: workflowName(workflow) };
  }
  const saved = reader
    .all(`SELECT DISTINCT action FROM agent_events WHERE run_id = ? AND event_type = 'checkpoint_saved'`, [
      runId,
    ])
    .map((row) => String(row['action']));
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
  const fits = action?.tool ? action.tool.arguments(context) : action?.apply(context, {});
  return fits?.ok === false ? unusable(fits.failure) : succeed(context);
}

function recordedWorkflow(reader: Reader, runId: string): { name: string; fingerprint: string } | null {
  const row = reader.get('SELECT * FROM run_details WHERE run_id = ?', [runId]);
  if (row === undefined) return null;
  const name = `${String(row['workflow'])} ${String(row['workflow_version'])}`;
  return { name, fingerprint: String(row['fingerprint']) };
}

function recordWorkflow(engine: Engine, transaction: Transaction, boundary: string, runId: string): void {
  const { workflow } = engine;
  transaction.run(
    `INSERT INTO run_details (run_id, workflow, workflow_version, fingerprint) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (run_id) DO UPDATE SET workflow = ?2, workflow_version = ?3, fingerprint = ?4`,
    [runId, workflow.name, workflow.version, fingerprint(workflow)],
  );
  engine.crash.reach(`${boundary}.workflow_recorded`);
}

function workflowName(workflow: Workflow): string {
  return `${workflow.name} ${String(workflow.version)}`;
}

function freeRunId(reader: Reader, ticketId: string): string {
  for (let number = 1; ; number += 1) {
    const runId = number === 1 ? `run-${ticketId}` : `run-${ticketId}-${String(number)}`;
    // Events and results that another program left without their run are not a new run's (R4, R7). What begins
    // with a colon comes before a semicolon.
    const taken = reader.get(
      `SELECT 1 FROM agent_runs WHERE run_id = ?1 UNION ALL
       SELECT 1 FROM agent_events WHERE run_id = ?1 UNION ALL
       SELECT 1 FROM tool_effects WHERE idempotency_key >= ?1 || ':' AND idempotency_key < ?1 || ';'`,
      [runId],
    );
    if (taken === undefined) return runId;
  }
}
