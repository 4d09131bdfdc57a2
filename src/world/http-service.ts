/**
 * Owns: calls to addresses, logged from the page's side: that they were sent, and what came back.
 * Leaves: the sending to http-tools.ts; keeping the log to the desk, which does so for all of the world outside.
 * Invariant: nothing is sent whose line is not in the log, durably.
 */
import type { KeyStatus, ToolAnswer, ToolRequest } from '../engine/ports.ts';
import type { LineEnd } from './call-log.ts';
import type { LogClient } from './desk-port.ts';
import type { HttpParts } from './http-tools.ts';
import { requestFor, send } from './http-tools.ts';
import { answerOf, lineOf, logged, received, whyNotLogged } from './log-lines.ts';

/** Sends one call of the lab's agent. The agent may be dead when the answer comes: it is logged all the same. */
export async function sendCall(
  parts: HttpParts,
  log: LogClient,
  lab: string,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const prepared = requestFor(parts, request, signal);
  if (!prepared.ok) return { type: 'failed', reason: prepared.failure, retryable: false };
  const call = received(lab, request, parts.clock.now());
  const line = await log.append(lineOf(call, { work: 'unknown', reply: 'awaited', answer: null }));
  if (!line.ok) {
    return { type: 'failed', reason: `not sent: ${whyNotLogged(line.failure)}`, retryable: true };
  }
  const answer = await send(parts, prepared.value);
  // If this can't be written the line goes on saying that the answer is awaited: that it was sent is in the log.
  await log.end(line.value, endOf(answer, signal));
  return answer;
}

function endOf(answer: ToolAnswer, signal: AbortSignal): LineEnd {
  const answerJson = logged(answerOf(answer));
  if (answer.type !== 'unknown') return { work: answer.type, reply: 'given', answerJson };
  return { work: 'unknown', reply: signal.aborted ? 'unheard' : 'lost', answerJson };
}

/** There is no way of asking that addresses have in common; a question of our own would be a call to them. */
export function statusAtAddress(): KeyStatus {
  return { type: 'cannot_tell', reason: 'an address can’t be asked what became of a key' };
}
