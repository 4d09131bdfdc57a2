/**
 * Owns: the way from the agent's worker to the desk's worker: one request, one answer, over a MessagePort.
 * Leaves: the work to desk.ts. The desk outlives the agent: it answers into the void when the agent is dead.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import type { CrashPort, ToolRequest } from '../engine/ports.ts';
import type { WaitWatch } from '../storage/waits.ts';
import type { ReceivedCall } from './call-log.ts';
import type { Desk } from './desk.ts';
import { receiveCall } from './desk.ts';

interface Asks {
  call: { params: { readonly lab: string; readonly request: ToolRequest }; answer: Result<JsonObject> };
  list: { params: { readonly lab: string }; answer: Result<readonly ReceivedCall[]> };
  keepOnly: { params: { readonly labs: readonly string[] }; answer: Result<null> };
}
type Ask = {
  [A in keyof Asks]: { readonly id: number; readonly ask: A; readonly params: Asks[A]['params'] };
}[keyof Asks];
type Answer =
  | { readonly id: number; readonly ok: true; readonly answer: Asks[keyof Asks]['answer'] }
  | { readonly id: number; readonly ok: false; readonly reason: string };

/** The desk as the agent's worker sees it. */
export interface DeskClient {
  call(lab: string, request: ToolRequest): Promise<Result<JsonObject>>;
  list(lab: string): Promise<Result<readonly ReceivedCall[]>>;
  keepOnly(labs: readonly string[]): Promise<Result<null>>;
}

/** Answers what comes in over the port, in any order. Attach before anything awaits. */
export function serveDesk(port: MessagePort, desk: Promise<Desk>): void {
  // Each call sees the failure; without this line it would count as unhandled as well.
  desk.catch(() => undefined);
  port.onmessage = (event: MessageEvent<Ask>) => {
    const { id } = event.data;
    void answerTo(desk, event.data).then(
      (answer) => {
        port.postMessage({ id, ok: true, answer } satisfies Answer);
      },
      (error: unknown) => {
        port.postMessage({ id, ok: false, reason: String(error) } satisfies Answer);
      },
    );
  };
}

async function answerTo(ready: Promise<Desk>, ask: Ask): Promise<Asks[keyof Asks]['answer']> {
  const desk = await ready;
  switch (ask.ask) {
    case 'call':
      return receiveCall(desk, ask.params.lab, ask.params.request);
    case 'list':
      return desk.log.list(ask.params.lab);
    case 'keepOnly':
      return desk.log.keepOnly(ask.params.labs);
  }
}

/** Seconds for what a screen waits for: the log is shown later rather than late. */
const logSeconds = 2;

/**
 * Calls that are not answered within `seconds` fail with ToolFailed: the desk may have done the work all the
 * same, and the next try comes under the same key. After a crash nothing is sent.
 */
export function connectDesk(
  port: MessagePort,
  crash: CrashPort,
  seconds: number,
  watch?: WaitWatch,
): DeskClient {
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  port.onmessage = (event: MessageEvent<Answer>) => {
    waiting.get(event.data.id)?.(event.data);
  };
  function ask<A extends keyof Asks>(
    name: A,
    params: Asks[A]['params'],
    patience: number,
  ): Promise<Result<Asks[A]['answer']>> {
    crash.assertAlive();
    lastId += 1;
    const id = lastId;
    const waited = name === 'call' ? watch?.begin('call') : undefined;
    return new Promise((resolve) => {
      const settle = (result: Result<Asks[A]['answer']>) => {
        clearTimeout(timer);
        waited?.(true);
        waiting.delete(id);
        resolve(result);
      };
      const failed = (reason: string) => {
        settle(fail({ type: 'ToolFailed', tool: 'service desk', reason }));
      };
      const timer = setTimeout(() => {
        failed(`no answer within ${String(patience)} seconds`);
      }, patience * 1000);
      waiting.set(id, (answer) => {
        if (answer.ok) settle(succeed(answer.answer as Asks[A]['answer']));
        else failed(answer.reason);
      });
      port.postMessage({ id, ask: name, params });
    });
  }
  return {
    call: async (lab, request) => {
      const answer = await ask('call', { lab, request }, seconds);
      return answer.ok ? answer.value : answer;
    },
    list: async (lab) => {
      const answer = await ask('list', { lab }, logSeconds);
      return answer.ok ? answer.value : answer;
    },
    keepOnly: async (labs) => {
      const answer = await ask('keepOnly', { labs }, logSeconds);
      return answer.ok ? answer.value : answer;
    },
  };
}
