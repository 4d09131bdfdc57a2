/** Owns: what the mistakes share with the engine's own step: the arguments of an action's tool, and what comes next. */
import type { Checkpoint } from '../engine/checkpoint.ts';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Run } from '../engine/records.ts';
import type { Action } from '../engine/workflow.ts';

/** The result of the action's tool, by this way of calling it; `{}` for an action without one. */
export async function actionResult(
  action: Action,
  context: JsonObject,
  call: (tool: string, toolArguments: JsonObject) => Promise<Result<JsonObject>>,
): Promise<Result<JsonObject>> {
  if (action.tool === null) return succeed({});
  const toolArguments = action.tool.arguments(context);
  if (!toolArguments.ok)
    return fail({ type: 'ToolFailed', tool: action.tool.name, reason: toolArguments.failure });
  return call(action.tool.name, toolArguments.value);
}

export function nextCheckpoint(
  { runId }: Run,
  action: Action,
  context: JsonObject,
  result: JsonObject,
): Result<Checkpoint> {
  const applied = action.apply(context, result);
  if (!applied.ok) {
    return fail({ type: 'ContextUnusable', runId, action: action.name, reason: applied.failure });
  }
  const status = action.next === null ? 'completed' : 'running';
  return succeed({ status, nextAction: action.next, context: applied.value });
}
