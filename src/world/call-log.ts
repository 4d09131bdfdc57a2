/**
 * Owns: the log of the calls that the outside world received, and its make in memory.
 * Leaves: the durable make to idb-call-log.ts; answering calls to desk.ts.
 * Invariant: no crash of the agent changes a line. `lab` ties a line to one lab's database, so that a reset lab
 * starts with an empty log, in the same instant, and an undone reset has its lines back.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';

export interface ReceivedCall {
  /** Grows by one a call, over all labs. */
  readonly number: number;
  readonly lab: string;
  readonly key: string;
  readonly tool: string;
  readonly argumentsJson: string;
  /** What was answered: the result, or `{"error": …}`. */
  readonly answerJson: string;
  readonly receivedAtUtc: string;
}

export interface CallLog {
  /** Durable on return, where the make is durable at all. */
  append(call: Omit<ReceivedCall, 'number'>): Promise<Result<null, StorageFailure>>;
  /** The calls of this lab, in order. */
  list(lab: string): Promise<Result<readonly ReceivedCall[], StorageFailure>>;
  /** Deletes the lines of all labs but these: asked for when a reset can no longer be undone. */
  keepOnly(labs: readonly string[]): Promise<Result<null, StorageFailure>>;
}

/** Lives as long as its worker: the agent's worker may crash, a reload loses it. */
export function memoryCallLog(): CallLog {
  let calls: ReceivedCall[] = [];
  let last = 0;
  return {
    append: (call) => {
      last += 1;
      calls.push({ ...call, number: last });
      return Promise.resolve(succeed(null));
    },
    list: (lab) => Promise.resolve(succeed(calls.filter((call) => call.lab === lab))),
    keepOnly: (labs) => {
      calls = calls.filter((call) => labs.includes(call.lab));
      return Promise.resolve(succeed(null));
    },
  };
}
