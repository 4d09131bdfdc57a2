/**
 * Owns: the world outside as the agent's worker sees it: the service desk, and addresses on the network; and the desk
 * at the other end of the port. They outlive the agent: they answer into the void when it is dead.
 * Leaves: the work to desk.ts and http-service.ts; the messages to outside-port.ts.
 */
import { noCrash } from '../engine/crash.ts';
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import type { CrashPort, KeyStatus, ToolAnswer, ToolRequest } from '../engine/ports.ts';
import type { WaitWatch } from '../storage/waits.ts';
import type { LineEnd, NewLine, ReceivedCall } from './call-log.ts';
import type { Desk } from './desk.ts';
import { receiveCall, receiveStatus } from './desk.ts';
import type { Ask, Services } from './outside-port.ts';
import { connectOutside, serveOutside } from './outside-port.ts';

/** What can be called: the desk, or addresses. None of these rejects, except after the agent's crash. */
export interface OutsideClient {
  /** A call that is aborted or stays unanswered is `unknown`: the other side may have done the work all the same. */
  call(lab: string, request: ToolRequest, signal: AbortSignal): Promise<ToolAnswer>;
  status(lab: string, request: ToolRequest): Promise<KeyStatus>;
}

export interface DeskClient extends OutsideClient {
  list(lab: string): Promise<Result<readonly ReceivedCall[]>>;
  keepOnly(labs: readonly string[]): Promise<Result<null>>;
}

/** Attach before anything awaits. */
export function serveDesk(port: MessagePort, ready: Promise<Desk>): void {
  serveOutside(port, ready.then(deskServices));
}

function deskServices(desk: Desk): Services {
  return {
    call: ({ lab, request }, signal) => receiveCall(desk, lab, request, signal),
    status: ({ lab, request }) => receiveStatus(desk, lab, request),
    list: ({ lab }) => desk.log.list(lab),
    keepOnly: ({ labs }) => desk.log.keepOnly(labs),
    append: ({ line }) => desk.log.append(line),
    end: ({ number, end }) => desk.log.end(number, end),
  };
}

/** Seconds for what a screen waits for: the log is shown later rather than late. */
const logSeconds = 2;

/** `seconds` bounds the wait for calls whose signal never fires. After a crash nothing is sent. */
export function connectDesk(
  port: MessagePort,
  crash: CrashPort,
  seconds: number,
  watch?: WaitWatch,
): DeskClient {
  const ask = connectOutside(port, crash);
  return {
    ...callsOver(ask, crash, seconds, watch),
    list: async (lab) => answered(await ask('list', { lab }, { seconds: logSeconds })),
    keepOnly: async (labs) => answered(await ask('keepOnly', { labs }, { seconds: logSeconds })),
  };
}

/** As `connectDesk`, to the worker that sends to addresses. */
export function connectHttp(
  port: MessagePort,
  crash: CrashPort,
  seconds: number,
  watch?: WaitWatch,
): OutsideClient {
  return callsOver(connectOutside(port, crash), crash, seconds, watch);
}

/** The log, for who sends to addresses. No crash of an agent is a crash of the sender. */
export interface LogClient {
  append(line: NewLine): Promise<Result<number>>;
  end(number: number, end: LineEnd): Promise<Result<null>>;
}

/** Longer than the desk's own waits for its storage. */
const writeSeconds = 30;

export function connectLog(port: MessagePort): LogClient {
  const ask = connectOutside(port, noCrash);
  return {
    append: async (line) => answered(await ask('append', { line }, { seconds: writeSeconds })),
    end: async (number, end) => answered(await ask('end', { number, end }, { seconds: writeSeconds })),
  };
}

function callsOver(ask: Ask, crash: CrashPort, seconds: number, watch: WaitWatch | undefined): OutsideClient {
  return {
    call: async (lab, request, signal) => {
      crash.assertAlive();
      if (signal.aborted) {
        return { type: 'failed', reason: 'its time was up before it was sent', retryable: true };
      }
      const waited = watch?.begin('call');
      try {
        const answer = await ask('call', { lab, request }, { seconds, signal });
        return answer.ok ? answer.value : { type: 'unknown', reason: answer.failure };
      } finally {
        waited?.(true);
      }
    },
    status: async (lab, request) => {
      const answer = await ask('status', { lab, request }, { seconds });
      return answer.ok ? answer.value : { type: 'cannot_tell', reason: answer.failure };
    },
  };
}

function answered<T>(answer: Result<Result<T>, string>): Result<T> {
  return answer.ok
    ? answer.value
    : fail({ type: 'ToolFailed', tool: 'service desk', reason: answer.failure });
}
