/**
 * Owns: one request, one answer, over a MessagePort, between who asks the world outside and the worker that is it. A
 * request can be called off; one that is never answered is the asker's to give up.
 * Leaves: what is asked and answered to desk-port.ts.
 * Invariant: the dead send nothing; what was sent before the crash is received all the same.
 */
import type { Result, StorageFailure } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { CrashPort, KeyStatus, ToolAnswer, ToolRequest } from '../engine/ports.ts';
import type { LineEnd, NewLine, ReceivedCall } from './call-log.ts';

interface Asks {
  call: { params: { readonly lab: string; readonly request: ToolRequest }; answer: ToolAnswer };
  status: { params: { readonly lab: string; readonly request: ToolRequest }; answer: KeyStatus };
  list: { params: { readonly lab: string }; answer: Result<readonly ReceivedCall[], StorageFailure> };
  keepOnly: { params: { readonly labs: readonly string[] }; answer: Result<null, StorageFailure> };
  append: { params: { readonly line: NewLine }; answer: Result<number, StorageFailure> };
  end: { params: { readonly number: number; readonly end: LineEnd }; answer: Result<null, StorageFailure> };
}
type AskName = keyof Asks;
type Message =
  | { [A in AskName]: { readonly id: number; readonly ask: A; readonly params: Asks[A]['params'] } }[AskName]
  /** The request of this id is called off: nobody waits for its answer any more. */
  | { readonly id: number; readonly ask: null };
type Reply =
  | { readonly id: number; readonly ok: true; readonly answer: Asks[AskName]['answer'] }
  | { readonly id: number; readonly ok: false; readonly reason: string };

/** What answers. Null: this request is never answered. The signal fires when nobody waits any more. */
export type Services = {
  readonly [A in AskName]?: (
    params: Asks[A]['params'],
    signal: AbortSignal,
  ) => Promise<Asks[A]['answer'] | null>;
};

/** Answers what comes in over the port, in any order. Attach before anything awaits. */
export function serveOutside(port: MessagePort, ready: Promise<Services>): void {
  // Each request sees the failure; without this line it would count as unhandled as well.
  ready.catch(() => undefined);
  const underWay = new Map<number, AbortController>();
  port.onmessage = ({ data }: MessageEvent<Message>) => {
    const { id } = data;
    if (data.ask === null) {
      underWay.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    underWay.set(id, controller);
    void answerTo(ready, data, controller.signal)
      .then(
        (answer) => {
          if (answer !== null) port.postMessage({ id, ok: true, answer } satisfies Reply);
        },
        (error: unknown) => {
          port.postMessage({ id, ok: false, reason: String(error) } satisfies Reply);
        },
      )
      .finally(() => underWay.delete(id));
  };
}

async function answerTo(
  ready: Promise<Services>,
  { ask, params }: Exclude<Message, { ask: null }>,
  signal: AbortSignal,
): Promise<Asks[AskName]['answer'] | null> {
  const service = (await ready)[ask] as
    ((params: unknown, signal: AbortSignal) => Promise<Asks[AskName]['answer'] | null>) | undefined;
  if (service === undefined) throw new Error(`${ask} is not served here`);
  return service(params, signal);
}

export interface AskOptions {
  /** The longest wait for an answer. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
}

/** Asks; a failure is the reason, in plain words, why there is no answer. */
export type Ask = <A extends AskName>(
  name: A,
  params: Asks[A]['params'],
  options: AskOptions,
) => Promise<Result<Asks[A]['answer'], string>>;

export function connectOutside(port: MessagePort, crash: CrashPort): Ask {
  const waiting = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  port.onmessage = (event: MessageEvent<Reply>) => {
    waiting.get(event.data.id)?.(event.data);
  };
  function callOff(id: number): void {
    try {
      crash.assertAlive();
    } catch {
      return;
    }
    port.postMessage({ id, ask: null } satisfies Message);
  }
  return <A extends AskName>(name: A, params: Asks[A]['params'], { seconds, signal }: AskOptions) => {
    crash.assertAlive();
    lastId += 1;
    const id = lastId;
    return new Promise<Result<Asks[A]['answer'], string>>((resolve) => {
      const settle = (result: Result<Asks[A]['answer'], string>) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        waiting.delete(id);
        resolve(result);
      };
      const giveUp = (reason: string) => {
        settle(fail(reason));
        callOff(id);
      };
      const aborted = () => {
        giveUp('no answer before its time was up');
      };
      const timer = setTimeout(() => {
        giveUp(`no answer within ${String(seconds)} seconds`);
      }, seconds * 1000);
      signal?.addEventListener('abort', aborted);
      waiting.set(id, (reply) => {
        settle(reply.ok ? succeed(reply.answer as Asks[A]['answer']) : fail(reply.reason));
      });
      port.postMessage({ id, ask: name, params });
    });
  };
}
