/**
 * Owns: the service desk, the first of the world outside the agent: it does a tool's work and logs every call.
 * Leaves: what the tools do to who makes the desk; the way to it to desk-port.ts.
 * Invariant: a call is in the log, durably, before it is answered. The desk never knows of the agent's crashes.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { encodeJson } from '../engine/json.ts';
import type { Clock, ToolRequest } from '../engine/ports.ts';
import type { CallLog } from './call-log.ts';

/** What a tool does with its arguments; the failure is its reason, in plain words. */
export type ToolHandler = (toolArguments: JsonObject) => Result<JsonObject, string>;

export interface Desk {
  readonly log: CallLog;
  readonly handlers: Readonly<Record<string, ToolHandler>>;
  readonly clock: Clock;
}

/** Logs and answers one call of the lab's agent. A tool's own error is an answer too, logged like any other. */
export async function receiveCall(
  desk: Desk,
  lab: string,
  request: ToolRequest,
): Promise<Result<JsonObject>> {
  const { key, tool } = request;
  const handler = Object.hasOwn(desk.handlers, tool) ? desk.handlers[tool] : undefined;
  const answer =
    handler === undefined ? fail(`the service desk has no tool ${tool}`) : handler(request.arguments);
  const logged = await desk.log.append({
    lab,
    key,
    tool,
    argumentsJson: textOf(request.arguments),
    answerJson: textOf(answer.ok ? answer.value : { error: answer.failure }),
    receivedAtUtc: desk.clock.now(),
  });
  // An unlogged call is not answered: it would be invisible.
  if (!logged.ok) return fail({ type: 'ToolFailed', tool, reason: whyNotLogged(logged.failure) });
  return answer.ok ? succeed(answer.value) : fail({ type: 'ToolFailed', tool, reason: answer.failure });
}

function whyNotLogged({ type }: Failure): string {
  return type === 'StorageFull'
    ? 'the browser gives the outside world’s log no more room'
    : `the outside world’s log was not written (${type})`;
}

function textOf(value: JsonObject): string {
  const text = encodeJson(value, 'value');
  return text.ok ? text.value : JSON.stringify({ error: text.failure.reason });
}
