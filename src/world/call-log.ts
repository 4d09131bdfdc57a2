/**
 * Owns: the log of the calls that the outside world received, and its make in memory.
 * Leaves: the durable make to idb-call-log.ts; what goes into a line to log-lines.ts; answering calls to desk.ts.
 * Invariant: no crash of the agent changes a line. `lab` ties a line to one lab's database, so that a reset lab
 * starts with an empty log, in the same instant, and an undone reset has its lines back.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';

/**
 * What became of the work. `recognised`: the key was known, the first answer was given again and nothing was done.
 * `refused`: the key was known with other arguments. `failed`: an error instead of the work. `unknown`: it was sent to
 * an address, and what became of it there is not known (any more). `asked`: a question for a key's status, no work.
 */
export type CallWork = 'done' | 'recognised' | 'refused' | 'failed' | 'unknown' | 'asked';

/**
 * What became of the answer. `awaited`: not given yet, or whoever had to give it died meanwhile. `unheard`: nobody
 * waited for it any more. `lost`: on its way.
 */
export type CallReply = 'awaited' | 'given' | 'unheard' | 'lost';

export interface ReceivedCall {
  /** Grows by one a line, over all labs. */
  readonly number: number;
  readonly lab: string;
  readonly key: string;
  readonly tool: string;
  /** Where it was sent, as the page's side saw it; null: the service desk received it. */
  readonly destination: string | null;
  readonly argumentsJson: string;
  /** Tells other arguments from the same ones, also where something was redacted. Null in lines of older pages. */
  readonly argumentsHash: string | null;
  /** What was answered: the result, or `{"error": …}`; for a status, its type and result. `null` while awaited. */
  readonly answerJson: string;
  readonly receivedAtUtc: string;
  readonly work: CallWork;
  readonly reply: CallReply;
}

export type NewLine = Omit<ReceivedCall, 'number'>;
/** What is known of a call only after its line was written. */
export type LineEnd = Pick<ReceivedCall, 'reply'> & Partial<Pick<ReceivedCall, 'work' | 'answerJson'>>;

export interface Made<T> {
  readonly line: NewLine;
  readonly value: T;
}

export interface CallLog {
  /** Durable on return, where the make is durable at all; gives its number. */
  append(line: NewLine): Promise<Result<number, StorageFailure>>;
  /**
   * Looks at the lab's lines and appends the one made of them, in one step that nobody comes between, in whatever tab.
   * `make` only computes; its `value` is handed back.
   */
  appendAfter<T>(
    lab: string,
    make: (earlier: readonly ReceivedCall[]) => Made<T>,
  ): Promise<Result<{ readonly number: number; readonly value: T }, StorageFailure>>;
  /** Completes a line. One that is not there any more stays away. */
  end(number: number, end: LineEnd): Promise<Result<null, StorageFailure>>;
  /** The lines of this lab, in order. */
  list(lab: string): Promise<Result<readonly ReceivedCall[], StorageFailure>>;
  /** Deletes the lines of all labs but these: asked for when a reset can no longer be undone. */
  keepOnly(labs: readonly string[]): Promise<Result<null, StorageFailure>>;
}

/** Lives as long as its worker: the agent's worker may crash, a reload loses it. `earlier`: its lines so far. */
export function memoryCallLog(earlier: readonly ReceivedCall[] = []): CallLog {
  let calls = [...earlier];
  let last = earlier.at(-1)?.number ?? 0;
  const ofLab = (lab: string) => calls.filter((call) => call.lab === lab);
  const add = (line: NewLine): number => {
    last += 1;
    calls.push({ ...line, number: last });
    return last;
  };
  return {
    append: (line) => Promise.resolve(succeed(add(line))),
    appendAfter: (lab, make) => {
      const { line, value } = make(ofLab(lab));
      return Promise.resolve(succeed({ number: add(line), value }));
    },
    end: (number, end) => {
      calls = calls.map((call) => (call.number === number ? { ...call, ...end } : call));
      return Promise.resolve(succeed(null));
    },
    list: (lab) => Promise.resolve(succeed(ofLab(lab))),
    keepOnly: (labs) => {
      calls = calls.filter((call) => labs.includes(call.lab));
      return Promise.resolve(succeed(null));
    },
  };
}
