/**
 * Owns: what is written into a line of the outside world's log, and what it still says later.
 * Leaves: writing it to the log's makes.
 * Invariant: what looks like a secret is in no line (R12); whether arguments were the same is told by their hash.
 */
import type { Failure } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { decodeJson, encodeJson, isJsonObject } from '../engine/json.ts';
import type { ToolAnswer, ToolRequest } from '../engine/ports.ts';
import { redactText } from '../engine/redaction.ts';
import { hashJson } from '../engine/workflow.ts';
import type { CallReply, CallWork, NewLine, ReceivedCall } from './call-log.ts';

/** One request, as it came in. */
export interface Received {
  readonly lab: string;
  readonly request: ToolRequest;
  readonly atUtc: string;
  /** Null where the arguments are not JSON. */
  readonly argumentsHash: string | null;
}

export function received(lab: string, request: ToolRequest, atUtc: string): Received {
  const isJson = encodeJson(request.arguments, 'arguments').ok;
  return { lab, request, atUtc, argumentsHash: isJson ? hashJson(request.arguments) : null };
}

export interface Outcome {
  readonly work: CallWork;
  readonly reply: CallReply;
  /** Null: not known yet. */
  readonly answer: JsonObject | null;
}

export function lineOf(call: Received, { work, reply, answer }: Outcome): NewLine {
  const { key, tool, arguments: toolArguments, destination } = call.request;
  return {
    lab: call.lab,
    key,
    tool,
    destination: destination === null ? null : redactText(destination),
    argumentsJson: logged(toolArguments),
    argumentsHash: call.argumentsHash,
    answerJson: logged(answer),
    receivedAtUtc: call.atUtc,
    work,
    reply,
  };
}

/** The answer of a call, as its line holds it. */
export function answerOf(answer: ToolAnswer): JsonObject {
  return answer.type === 'done' ? answer.result : { error: answer.reason };
}

/** What a line holds of a value. */
export function logged(value: JsonObject | null): string {
  const text = encodeJson(value, 'value');
  return redactText(text.ok ? text.value : JSON.stringify({ error: text.failure.reason }));
}

/** Was the line's call this request, arguments and all? */
export function isSameCall(line: ReceivedCall, call: Received): boolean {
  return (
    line.tool === call.request.tool &&
    line.argumentsHash !== null &&
    line.argumentsHash === call.argumentsHash
  );
}

/** The first answer again, as far as the line still has it; null: it is no JSON object any more. */
export function resultIn(line: ReceivedCall): JsonObject | null {
  const result = decodeJson(line.answerJson)?.value;
  return isJsonObject(result) ? result : null;
}

export function whyNotLogged({ type }: Failure): string {
  return type === 'StorageFull'
    ? 'the browser gives the outside world’s log no more room'
    : `the outside world’s log was not written (${type})`;
}
