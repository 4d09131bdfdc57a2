/** Owns: the calls of one run among all that the outside world received, counted beside the results recorded; pure. */
import type { ReceivedCall } from '../bridge/views.ts';
import type { Effect } from '../engine/records.ts';

export interface OwnCall {
  readonly call: ReceivedCall;
  /** Which call under its key it is, from 1: 2 and more is a repetition. A question for a key's status is no call. */
  readonly time: number;
  /** How often the work was done under its key, this time included; 0: it was not done this time. */
  readonly doneTime: number;
}

export interface ToolCalls {
  readonly tool: string;
  readonly received: number;
  /** How often the work was really done. */
  readonly done: number;
  readonly recorded: number;
  /** The work was done more than once under one key. */
  readonly doubled: boolean;
}

export interface CallsOfRun {
  /** In the order received. */
  readonly own: readonly OwnCall[];
  readonly tools: readonly ToolCalls[];
  /** How many calls were received for other runs. */
  readonly others: number;
}

export function callsOfRun(
  calls: readonly ReceivedCall[],
  runId: string | null,
  effects: readonly Effect[],
): CallsOfRun {
  const lines = runId === null ? [] : calls.filter((call) => call.key.startsWith(`${runId}:`));
  const own = lines.map((call, at): OwnCall => {
    const soFar = lines.slice(0, at + 1).filter((other) => other.key === call.key);
    return {
      call,
      time: soFar.filter(isCall).length,
      doneTime: call.work === 'done' ? soFar.filter(isDone).length : 0,
    };
  });
  const tools = [...new Set(lines.map((call) => call.tool))];
  return {
    own,
    tools: tools.map((tool) => {
      const ofTool = lines.filter((call) => call.tool === tool);
      return {
        tool,
        received: ofTool.filter(isCall).length,
        done: ofTool.filter(isDone).length,
        recorded: effects.filter((effect) => effect.toolName === tool).length,
        doubled: own.some(({ call, doneTime }) => call.tool === tool && doneTime > 1),
      };
    }),
    others: calls.length - lines.length,
  };
}

const isCall = (line: ReceivedCall): boolean => line.work !== 'asked';
const isDone = (line: ReceivedCall): boolean => line.work === 'done';
