/**
 * Owns: what a workflow, an action and a tool are, and the fingerprint that ties a run to its workflow (R13).
 * Leaves: the ticket agent's own workflow to triage/workflow.ts; carrying it out to runner.ts.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Result } from './failure.ts';
import type { JsonObject } from './json.ts';
import { encodeJson } from './json.ts';
import type { OutsideCall, OutsideTool } from './tool.ts';

/** Why the stored context does not fit, in plain words. */
export type Unfit = string;

/** One tool call of an action. Its result goes through the saved-result path (execute-once.ts). */
export interface ToolUse {
  readonly name: string;
  /** The call's arguments, from the context. */
  arguments(context: JsonObject): Result<JsonObject, Unfit>;
}

export interface Action {
  readonly name: string;
  /** The action after this one; null ends the run. */
  readonly next: string | null;
  /** A fast local lookup; null: none. */
  readonly tool: ToolUse | null;
  /** Calls of the world outside, from the context (effects.ts). An action has a tool, or calls, or neither. */
  calls?(context: JsonObject): Result<readonly OutsideCall[], Unfit>;
  /**
   * The next context. `result` is the saved result of the tool or of the one call; of several calls, an object of
   * results by the calls' ids; `{}` where there is nothing to call. Must be free of side effects. A call that was
   * skipped or denied has the result `{"skipped": true}` or `{"denied": true}`.
   */
  apply(context: JsonObject, result: JsonObject): Result<JsonObject, Unfit>;
}

export interface Workflow {
  readonly name: string;
  /** Raised by hand when the meaning of an action changes though its name does not. */
  readonly version: number;
  /** The first one starts the run. */
  readonly actions: readonly Action[];
  /** The tools of the world outside that its runs may call, and no others. */
  readonly tools?: readonly OutsideTool[];
  /** What a run may use. Stored with the run when it starts: resuming refills nothing. */
  readonly budgets?: Readonly<Partial<Record<Resource, number>>>;
}

/** What is counted. A step is a checkpoint of an action; a call counts when it is claimed, whatever becomes of it. */
export const resources = ['steps', 'tool_calls', 'tokens'] as const;
export type Resource = (typeof resources)[number];

export function findAction(workflow: Workflow, name: string | null): Action | undefined {
  return workflow.actions.find((action) => action.name === name);
}

/**
 * What is declared: names, version, order, tools. Not source text, which changes with every build (R13).
 * SHA-256, in hexadecimal.
 */
export function fingerprint(workflow: Workflow): string {
  return hashJson({
    name: workflow.name,
    version: workflow.version,
    actions: workflow.actions.map(({ name, next, tool }) => ({ name, next, tool: tool?.name ?? null })),
    ...(workflow.tools && { tools: workflow.tools.map(({ name, safety }) => ({ name, safety })) }),
  });
}

/** As people read it: `triage 1`. */
export function workflowName(workflow: Pick<Workflow, 'name' | 'version'>): string {
  return `${workflow.name} ${String(workflow.version)}`;
}

/** SHA-256 of the canonical JSON. The value must be JSON: whatever it comes from was encoded before. */
export function hashJson(value: JsonObject): string {
  const text = encodeJson(value, 'value');
  if (!text.ok) throw new Error(`hashing a value that is not JSON: ${text.failure.path}`);
  return hashText(text.value);
}

/** SHA-256 of the text in UTF-8, in hexadecimal. */
export function hashText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
