import { afterEach, describe, expect, test } from 'vitest';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import { fail } from '../../src/engine/failure.ts';
import type { ToolRequest } from '../../src/engine/ports.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import type { CallLog } from '../../src/world/call-log.ts';
import type { Desk } from '../../src/world/desk.ts';
import { receiveCall } from '../../src/world/desk.ts';
import { connectDesk, serveDesk } from '../../src/world/desk-port.ts';
import { handTimer, newDesk } from '../support/desk.ts';
import { must } from '../support/lives.ts';

const never = new AbortController().signal;
const call = (area: string, tool = 'lookup_runbook'): ToolRequest => ({
  key: `run:${tool}`,
  tool,
  arguments: { area },
  destination: null,
  scope: '',
});
const office = {
  runbook_code: 'RB-OF-03',
  next_step: 'Clean the reader window, then ask security to re-enrol the failing cards.',
};

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});
function channel(): MessageChannel {
  const made = new MessageChannel();
  ports.push(made.port1, made.port2);
  return made;
}

describe('the service desk', () => {
  test('every call is in its log with key, tool, arguments and answer, errors too', async () => {
    const desk = newDesk();
    expect(await receiveCall(desk, 'lab', call('office'), never)).toEqual({ type: 'done', result: office });
    expect(await receiveCall(desk, 'lab', call('moon'), never)).toEqual({
      type: 'failed',
      reason: 'there is no runbook for the area "moon"',
      retryable: false,
    });
    expect(await receiveCall(desk, 'lab', call('x', 'toString'), never)).toMatchObject({ type: 'failed' });
    expect(
      must(await desk.log.list('lab')).map(({ number, key, argumentsJson, answerJson, work, reply }) => [
        number,
        key,
        argumentsJson,
        answerJson,
        work,
        reply,
      ]),
    ).toEqual([
      [1, 'run:lookup_runbook', '{"area":"office"}', JSON.stringify(sorted(office)), 'done', 'given'],
      [
        2,
        'run:lookup_runbook',
        '{"area":"moon"}',
        '{"error":"there is no runbook for the area \\"moon\\""}',
        'failed',
        'given',
      ],
      [
        3,
        'run:toString',
        '{"area":"x"}',
        '{"error":"the service desk has no tool toString"}',
        'failed',
        'given',
      ],
    ]);
  });

  test('a call is logged before it is answered', async () => {
    const order: string[] = [];
    const log = memoryCallLog();
    const slow: CallLog = {
      ...log,
      append: async (line) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('logged');
        return log.append(line);
      },
    };
    await receiveCall(newDesk({ log: slow }), 'lab', call('office'), never);
    order.push('answered');
    expect(order).toEqual(['logged', 'answered']);
  });

  test.each([
    { tool: 'lookup_runbook', failure: 'StorageFull', type: 'failed' },
    { tool: 'request_runbook', failure: 'StorageFull', type: 'failed' },
    { tool: 'lookup_runbook', failure: 'OutcomeUnknown', type: 'unknown' },
    { tool: 'request_runbook', failure: 'OutcomeUnknown', type: 'unknown' },
  ] as const)(
    'a call of $tool whose line was not written ($failure) is $type, never done',
    async ({ tool, failure, type }) => {
      const refusing = () => Promise.resolve(fail({ type: failure, reason: 'quota' }));
      const log = { ...memoryCallLog(), append: refusing, appendAfter: refusing };
      expect(await receiveCall(newDesk({ log }), 'lab', call('office', tool), never)).toMatchObject({ type });
    },
  );

  test('each lab sees its own lines, and lines go only when asked', async () => {
    const desk = newDesk();
    await receiveCall(desk, 'a', call('office'), never);
    await receiveCall(desk, 'b', call('office'), never);
    expect(must(await desk.log.list('a'))).toHaveLength(1);
    await desk.log.keepOnly(['b']);
    expect(must(await desk.log.list('a'))).toEqual([]);
    expect(must(await desk.log.list('b'))).toHaveLength(1);
  });

  test('what looks like a secret is in no line, whatever the tool', async () => {
    const secret = 'crashpoint-secret:hunter2';
    const desk = newDesk();
    for (const tool of ['lookup_runbook', 'request_runbook', 'nothing'])
      await receiveCall(desk, 'lab', call(secret, tool), never);
    const lines = JSON.stringify(must(await desk.log.list('lab')));
    expect(lines).toContain('[redacted]');
    expect(lines).not.toContain('hunter2');
  });
});

describe('the way to the desk', () => {
  test('calls made before the desk is ready are answered when it is', async () => {
    const { port1, port2 } = channel();
    let ready: (desk: Desk) => void = () => undefined;
    serveDesk(port1, new Promise((resolve) => (ready = resolve)));
    const client = connectDesk(port2, new CrashPlan(), 5);
    const answers = Promise.all([
      client.call('lab', call('office'), never),
      client.call('lab', call('moon'), never),
      client.status('lab', call('office')),
    ]);
    ready(newDesk());
    expect((await answers).map(({ type }) => type)).toEqual(['done', 'failed', 'done']);
    expect(await client.list('lab')).toMatchObject({
      ok: true,
      value: [{ number: 1 }, { number: 2 }, { number: 3 }],
    });
  });

  test('a desk that fell over is unknown, with the reason: it may have done the work before', async () => {
    const { port1, port2 } = channel();
    serveDesk(port1, Promise.reject(new Error('storage refused')));
    const client = connectDesk(port2, new CrashPlan(), 5);
    expect(await client.call('lab', call('office'), never)).toEqual({
      type: 'unknown',
      reason: 'Error: storage refused',
    });
    expect(await client.status('lab', call('office'))).toEqual({
      type: 'cannot_tell',
      reason: 'Error: storage refused',
    });
    expect(await client.list('lab')).toMatchObject({ failure: { type: 'ToolFailed' } });
  });

  test('a desk that never answers is unknown after the longest wait, also where nobody calls off', async () => {
    const { port2 } = channel();
    const client = connectDesk(port2, new CrashPlan(), 0.01);
    expect(await client.call('lab', call('office'), never)).toEqual({
      type: 'unknown',
      reason: 'no answer within 0.01 seconds',
    });
  });

  test('a call that is called off is unknown at once, and the desk hears that nobody waits', async () => {
    const { port1, port2 } = channel();
    const timer = handTimer();
    const desk = newDesk({ timer });
    desk.rules.set({ ...desk.rules.settings, delayMs: 15_000 });
    serveDesk(port1, Promise.resolve(desk));
    const client = connectDesk(port2, new CrashPlan(), 60);
    const time = new AbortController();
    const slow = client.call('lab', call('office', 'request_runbook'), time.signal);
    // While the slow answer is held back, others are answered.
    expect(await client.call('lab', call('office'), never)).toMatchObject({ type: 'done' });
    expect(timer.waits).toEqual([15_000]);
    time.abort();
    expect(await slow).toEqual({ type: 'unknown', reason: 'no answer before its time was up' });
    await client.list('lab');
    expect(timer.waits).toEqual([]);
    expect(must(await client.list('lab')).map(({ work, reply }) => [work, reply])).toEqual([
      ['done', 'unheard'],
      ['done', 'given'],
    ]);
  });

  test('a call whose time was up before it was sent is not sent', async () => {
    const { port1, port2 } = channel();
    const desk = newDesk();
    serveDesk(port1, Promise.resolve(desk));
    const client = connectDesk(port2, new CrashPlan(), 5);
    expect(await client.call('lab', call('office'), AbortSignal.abort())).toMatchObject({
      type: 'failed',
      retryable: true,
    });
    expect(must(await client.list('lab'))).toEqual([]);
  });

  test('after the agent’s crash nothing is sent; what was sent before is received all the same', async () => {
    const { port1, port2 } = channel();
    const desk = newDesk();
    desk.rules.set({ ...desk.rules.settings, delayMs: 5_000 });
    serveDesk(port1, Promise.resolve(desk));
    const crash = new CrashPlan([{ boundary: 'x', every: false }]);
    const client = connectDesk(port2, crash, 5);
    const time = new AbortController();
    const sent = client.call('lab', call('office', 'request_runbook'), time.signal);
    expect(() => {
      crash.reach('x');
    }).toThrow(SimulatedCrash);
    await expect(client.call('lab', call('office'), never)).rejects.toThrow(SimulatedCrash);
    await expect(client.call('lab', call('office'), AbortSignal.abort())).rejects.toThrow(SimulatedCrash);
    await expect(client.status('lab', call('office'))).rejects.toThrow(SimulatedCrash);
    time.abort();
    expect(await sent).toMatchObject({ type: 'unknown' });
    const later = channel();
    serveDesk(later.port1, Promise.resolve(desk));
    const heir = connectDesk(later.port2, new CrashPlan(), 5);
    expect(await heir.status('lab', call('office', 'request_runbook'))).toEqual({
      type: 'done',
      result: office,
    });
    expect(must(await heir.list('lab')).map(({ work, reply }) => [work, reply])).toEqual([
      ['done', 'awaited'],
      ['asked', 'given'],
    ]);
  });
});

function sorted(value: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
