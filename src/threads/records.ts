/**
 * Owns: the nouns of a stored conversation, with the keys that the stored JSON has: those of aisuite's agents.
 * Leaves: reading them from JSON to parse-records.ts, their text to state-json.ts.
 *
 * A key that is not named here is data of another program: what was read is kept with all its keys, so spread a state to
 * change it.
 */
import type { JsonObject } from '../engine/json.ts';

export const runStatuses = ['completed', 'requires_input', 'max_turns_exceeded', 'failed'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const runStepTypes = [
  'agent',
  'model_response',
  'tool_call',
  'tool_result',
  'handoff',
  'custom',
] as const;
export type RunStepType = (typeof runStepTypes)[number];

export interface RunStep {
  /** `step_` and hexadecimal digits. */
  readonly id: string;
  readonly type: RunStepType;
  readonly name: string | null;
  readonly trace_id: string;
  readonly parent_id: string | null;
  /** UTC, ISO 8601; may be empty. Order never depends on it. */
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly data: JsonObject;
}

export interface RunState {
  readonly agent_name: string;
  /** As a chat completions endpoint takes them. */
  readonly messages: readonly JsonObject[];
  readonly status: RunStatus;
  readonly run_name: string | null;
  readonly trace_id: string | null;
  readonly parent_run_id: string | null;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly steps: readonly RunStep[];
  /** How many answers of the model a turn may take. */
  readonly max_turns: number;
}

export const defaultMaxTurns = 5;

export interface StoredRunState {
  readonly thread_id: string;
  readonly state: RunState;
  /** 1 at first, one more with each save, never the same twice. The order of saves is this, never a time. */
  readonly revision: number;
  readonly created_at: string;
  /** Never before that of an earlier revision. */
  readonly updated_at: string;
  readonly metadata: JsonObject;
}
