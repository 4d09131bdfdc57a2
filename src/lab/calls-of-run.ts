/** Owns: the calls of one run among all that the outside world received, counted beside the results recorded; pure. */
import type { ReceivedCall } from '../bridge/views.ts';
import type { Effect } from '../engine/records.ts';

export interface CallsOfRun {
  /** In the order received; `time`: which call under its key it is, so 2 and more is a repetition. */
  readonly own: readonly { readonly call: ReceivedCall; readonly time: number }[];
  readonly tools: readonly { readonly tool: string; readonly received: number; readonly recorded: number }[];
  /** How many calls were received for other runs. */
  readonly others: number;
}

export function callsOfRun(
  calls: readonly ReceivedCall[],
  runId: string | null,
  effects: readonly Effect[],
): CallsOfRun {
  const own = runId === null ? [] : calls.filter((call) => call.key.startsWith(`${runId}:`));
  const tools = [...new Set(own.map((call) => call.tool))];
  return {
    own: own.map((call, at) => ({
      call,
      time: own.slice(0, at + 1).filter((other) => other.key === call.key).length,
    })),
    tools: tools.map((tool) => ({
      tool,
      received: own.filter((call) => call.tool === tool).length,
      recorded: effects.filter((effect) => effect.toolName === tool).length,
    })),
    others: calls.length - own.length,
  };
}
