/**
 * Owns: what one call of one action asks for: its key, and its arguments as they are stored, approved and sent.
 * Leaves: how far it has come to intents.ts and effects.ts.
 * Invariant: the arguments' text is made here and nowhere else, so what is compared, shown and sent is one text.
 */
import { idempotencyKey } from './execute-once.ts';
import type { JsonRefused, Result } from './failure.ts';
import { succeed } from './failure.ts';
import { encodeJson } from './json.ts';
import type { Run } from './records.ts';
import { redactMembers, redactText } from './redaction.ts';
import type { OutsideCall, OutsideTool } from './tool.ts';
import { logicalAction } from './tool.ts';
import { hashText } from './workflow.ts';

export interface Job {
  readonly run: Run;
  readonly call: OutsideCall;
  readonly tool: OutsideTool;
  readonly key: string;
  /** The logical action: of several calls of one action, each has its own. */
  readonly action: string;
  /** Canonical, without what is secret. */
  readonly argumentsJson: string;
  readonly argumentsHash: string;
}

/** Fails with JsonRefused. */
export function jobOf(
  run: Run,
  actionName: string,
  call: OutsideCall,
  tool: OutsideTool,
): Result<Job, JsonRefused> {
  const whole = encodeJson(call.arguments, 'arguments');
  if (!whole.ok) return whole;
  const json = encodeJson(redactMembers(call.arguments, tool.secrets), 'arguments');
  if (!json.ok) return json;
  const action = logicalAction(actionName, call);
  const argumentsJson = redactText(json.value);
  return succeed({
    run,
    call,
    tool,
    action,
    key: idempotencyKey(run.runId, action),
    argumentsJson,
    argumentsHash: hashText(argumentsJson),
  });
}
