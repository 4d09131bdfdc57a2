/**
 * Owns: the nouns of a durable run, as they stand in the three tables, and the mapping of rows to them.
 * Leaves: the tables' SQL to static/schema.sql; who writes which row to checkpoint.ts, events.ts, execute-once.ts.
 */
import type { Row } from './ports.ts';

/** The words this engine writes. A file from elsewhere may hold others: they are shown as they are. */
export type RunStatus = 'running' | 'waiting' | 'completed' | 'failed';

/** Where a run continues: one current checkpoint a run (R1). `version` counts checkpoints, from 0. */
export interface Run {
  readonly runId: string;
  readonly ticketId: string;
  readonly status: string;
  readonly nextAction: string | null;
  readonly contextJson: string;
  readonly version: number;
}

export type EventType =
  // The nine events of the lesson's run are of these types.
  | 'run_started'
  | 'run_resumed'
  | 'run_adopted'
  | 'checkpoint_saved'
  | 'tool_executed'
  | 'tool_reused'
  // The world outside (effects.md).
  | 'tool_intended'
  | 'tool_failed'
  | 'tool_refused'
  | 'tool_in_doubt'
  | 'doubt_resolved'
  | 'approval_requested'
  | 'approval_given'
  | 'approval_denied'
  | 'run_waiting'
  | 'run_failed'
  | 'run_retried'
  | 'run_forked';

/** What stands in an event's `action` where no action of the workflow is meant. No workflow may use these names. */
export const reservedActions = [
  'start',
  'resume',
  'adopt',
  'wait',
  'go_on',
  'fail',
  'retry',
  'fork',
] as const;

/** How it got there. `sequence` is per run, from 1, without gaps; order is sequence, never time (R7). */
export interface AgentEvent {
  readonly runId: string;
  readonly sequence: number;
  readonly session: string;
  readonly eventType: string;
  readonly action: string;
  readonly detail: string;
  readonly createdAtUtc: string;
}

/** Has this operation already happened? One saved result an idempotency key (R4, R5). */
export interface Effect {
  readonly idempotencyKey: string;
  readonly toolName: string;
  readonly resultJson: string;
}

export function runFromRow(row: Row): Run {
  return {
    runId: String(row['run_id']),
    ticketId: String(row['ticket_id']),
    status: String(row['status']),
    nextAction: row['next_action'] == null ? null : String(row['next_action']),
    contextJson: String(row['context_json']),
    version: Number(row['version']),
  };
}

export function eventFromRow(row: Row): AgentEvent {
  return {
    runId: String(row['run_id']),
    sequence: Number(row['sequence']),
    session: String(row['session']),
    eventType: String(row['event_type']),
    action: String(row['action']),
    detail: String(row['detail']),
    createdAtUtc: String(row['created_at_utc']),
  };
}

export function effectFromRow(row: Row): Effect {
  return {
    idempotencyKey: String(row['idempotency_key']),
    toolName: String(row['tool_name']),
    resultJson: String(row['result_json']),
  };
}
