/**
 * Owns: the service desk, the first of the world outside the agent: it receives calls, does a tool's work and logs
 * every call; "work done" is a line of the log.
 * Leaves: what the tools do to who makes the desk; how it behaves to desk-settings.ts; the way to it to desk-port.ts.
 * Invariants: a call is in the log, durably, before it is answered. A key that is honoured is worked for once, in
 * whatever tab: the look at the log and the new line are one step. The desk never knows of the agent's crashes.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Clock, KeyStatus, Timer, ToolAnswer, ToolRequest } from '../engine/ports.ts';
import type { CallLog, CallWork, ReceivedCall } from './call-log.ts';
import type { DeskRules, DeskTrouble } from './desk-settings.ts';
import type { Received } from './log-lines.ts';
import { answerOf, isSameCall, lineOf, received, resultIn, whyNotLogged } from './log-lines.ts';

/** What a tool does with its arguments; the failure is its reason, in plain words. */
export type ToolHandler = (toolArguments: JsonObject) => Result<JsonObject, string>;
/** The same for a tool that is remote. `done`: how often this tool's work was done for the lab before. */
export type RemoteHandler = (toolArguments: JsonObject, done: number) => Result<JsonObject, string>;

export interface Desk {
  readonly log: CallLog;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The lesson's tools: fast lookups, whatever the rules. */
  readonly handlers: Readonly<Record<string, ToolHandler>>;
  /** The tools that the rules are for. */
  readonly remote: Readonly<Record<string, RemoteHandler>>;
  readonly rules: DeskRules;
}

interface Decision {
  readonly work: CallWork;
  readonly answer: ToolAnswer;
}

/**
 * Answers one call of the lab's agent. Null: it is never answered. A tool's own error is an answer too. The signal fires
 * when nobody waits for the answer any more: the work is done by then.
 */
export async function receiveCall(
  desk: Desk,
  lab: string,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolAnswer | null> {
  const call = received(lab, request, desk.clock.now());
  const remote = own(desk.remote, request.tool);
  if (remote !== undefined) return receiveRemote(desk, call, remote, signal);
  const handler = own(desk.handlers, request.tool);
  const { work, answer } = decided(
    handler?.(request.arguments) ?? fail(`the service desk has no tool ${request.tool}`),
  );
  const logged = await desk.log.append(lineOf(call, { work, reply: 'given', answer: answerOf(answer) }));
  return logged.ok ? answer : unlogged(logged.failure);
}

async function receiveRemote(
  desk: Desk,
  call: Received,
  handler: RemoteHandler,
  signal: AbortSignal,
): Promise<ToolAnswer | null> {
  const { honoursKeys, delayMs } = desk.rules.settings;
  const trouble = desk.rules.takeTrouble();
  const reply = trouble === 'loses_answer' ? 'lost' : delayMs > 0 ? 'awaited' : 'given';
  const logged = await desk.log.appendAfter(call.lab, (earlier) => {
    const { work, answer } = decide(earlier, call, handler, honoursKeys, trouble);
    return { line: lineOf(call, { work, reply, answer: answerOf(answer) }), value: answer };
  });
  if (!logged.ok) return unlogged(logged.failure);
  const { number, value: answer } = logged.value;
  if (reply === 'lost') return null;
  if (reply === 'given') return answer;
  const heard = await waited(desk.timer, delayMs, signal);
  // If this can't be written the line goes on saying that the answer is awaited: the call itself is in the log.
  await desk.log.end(number, { reply: heard ? 'given' : 'unheard' });
  return heard ? answer : null;
}

function decide(
  earlier: readonly ReceivedCall[],
  call: Received,
  handler: RemoteHandler,
  honoursKeys: boolean,
  trouble: DeskTrouble,
): Decision {
  if (trouble === 'fails_before') {
    const reason = 'the service desk failed before it did the work';
    return { work: 'failed', answer: { type: 'failed', reason, retryable: true } };
  }
  const { key, tool, arguments: toolArguments } = call.request;
  const done = workDone(earlier);
  const first = done.find((line) => line.key === key);
  if (!honoursKeys || first === undefined) {
    return decided(handler(toolArguments, done.filter((line) => line.tool === tool).length));
  }
  if (!isSameCall(first, call)) {
    const reason = `the key ${key} was used before, with another tool or other arguments`;
    return { work: 'refused', answer: { type: 'failed', reason, retryable: false } };
  }
  const result = resultIn(first);
  return {
    work: 'recognised',
    answer:
      result === null
        ? { type: 'unknown', reason: 'the work was done before, and its first answer can’t be read any more' }
        : { type: 'done', result },
  };
}

/** What became of the work under a key. The question is a line of the log, too. */
export async function receiveStatus(desk: Desk, lab: string, request: ToolRequest): Promise<KeyStatus> {
  const call = received(lab, request, desk.clock.now());
  const { answersStatus } = desk.rules.settings;
  const logged = await desk.log.appendAfter(lab, (earlier) => {
    const status = answersStatus
      ? statusOf(earlier, call)
      : cannotTell('the service desk does not say what became of a key');
    return { line: lineOf(call, { work: 'asked', reply: 'given', answer: status }), value: status };
  });
  return logged.ok ? logged.value.value : cannotTell(whyNotLogged(logged.failure));
}

function statusOf(earlier: readonly ReceivedCall[], call: Received): KeyStatus {
  const first = workDone(earlier).find((line) => line.key === call.request.key);
  if (first === undefined) return { type: 'not_received' };
  if (!isSameCall(first, call)) return cannotTell('the key was used with another tool or other arguments');
  const result = resultIn(first);
  return result === null ? cannotTell('the first answer can’t be read any more') : { type: 'done', result };
}

function workDone(lines: readonly ReceivedCall[]): readonly ReceivedCall[] {
  return lines.filter((line) => line.work === 'done' && line.destination === null);
}

function decided(result: Result<JsonObject, string>): Decision {
  return result.ok
    ? { work: 'done', answer: { type: 'done', result: result.value } }
    : { work: 'failed', answer: { type: 'failed', reason: result.failure, retryable: false } };
}

function cannotTell(reason: string): Extract<KeyStatus, { readonly type: 'cannot_tell' }> {
  return { type: 'cannot_tell', reason };
}

/** An unlogged call is not answered with its result: it would be invisible. No line, no work. */
function unlogged(failure: Failure): ToolAnswer {
  const reason = whyNotLogged(failure);
  return failure.type === 'OutcomeUnknown'
    ? { type: 'unknown', reason }
    : { type: 'failed', reason, retryable: true };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** True when the time has passed, false when the signal came first. Holds up nobody else. */
function waited(timer: Timer, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const callOff = timer.after(milliseconds, () => {
      signal.removeEventListener('abort', aborted);
      resolve(true);
    });
    const aborted = () => {
      callOff();
      resolve(false);
    };
    signal.addEventListener('abort', aborted, { once: true });
  });
}
