import { afterEach, describe, expect, test } from 'vitest';
import { CrashPlan, SimulatedCrash } from '../../src/engine/crash.ts';
import { fail, succeed } from '../../src/engine/failure.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import type { Desk } from '../../src/world/desk.ts';
import { receiveCall } from '../../src/world/desk.ts';
import { connectDesk, serveDesk } from '../../src/world/desk-port.ts';
import { must, steppingClock } from '../support/lives.ts';

const handlers: Desk['handlers'] = {
  lookup_runbook: ({ area }) =>
    area === 'moon' ? fail('no runbook') : succeed({ next_step: `go to ${String(area)}` }),
};
const newDesk = (): Desk => ({ log: memoryCallLog(), handlers, clock: steppingClock() });
const call = (area: string, tool = 'lookup_runbook') => ({ key: `run:${tool}`, tool, arguments: { area } });

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
    expect(await receiveCall(desk, 'lab', call('office'))).toEqual(succeed({ next_step: 'go to office' }));
    expect(await receiveCall(desk, 'lab', call('moon'))).toMatchObject({
      failure: { type: 'ToolFailed', reason: 'no runbook' },
    });
    expect(await receiveCall(desk, 'lab', call('x', 'toString'))).toMatchObject({
      failure: { type: 'ToolFailed' },
    });
    expect(
      must(await desk.log.list('lab')).map(({ number, key, argumentsJson, answerJson }) => [
        number,
        key,
        argumentsJson,
        answerJson,
      ]),
    ).toEqual([
      [1, 'run:lookup_runbook', '{"area":"office"}', '{"next_step":"go to office"}'],
      [2, 'run:lookup_runbook', '{"area":"moon"}', '{"error":"no runbook"}'],
      [3, 'run:toString', '{"area":"x"}', '{"error":"the service desk has no tool toString"}'],
    ]);
  });

  test('a call is logged before it is answered', async () => {
    const order: string[] = [];
    const log = memoryCallLog();
    const slow = {
      ...log,
      append: async (line: Parameters<typeof log.append>[0]) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('logged');
        return log.append(line);
      },
    };
    await receiveCall({ ...newDesk(), log: slow }, 'lab', call('office'));
    order.push('answered');
    expect(order).toEqual(['logged', 'answered']);
  });

  test('each lab sees its own lines, and lines go only when asked', async () => {
    const desk = newDesk();
    await receiveCall(desk, 'a', call('office'));
    await receiveCall(desk, 'b', call('office'));
    expect(must(await desk.log.list('a'))).toHaveLength(1);
    await desk.log.keepOnly(['b']);
    expect(must(await desk.log.list('a'))).toEqual([]);
    expect(must(await desk.log.list('b'))).toHaveLength(1);
  });
});

describe('the way to the desk', () => {
  test('calls made before the desk is ready are answered when it is', async () => {
    const { port1, port2 } = channel();
    let ready: (desk: Desk) => void = () => undefined;
    serveDesk(port1, new Promise((resolve) => (ready = resolve)));
    const client = connectDesk(port2, new CrashPlan(), 5);
    const answers = Promise.all([client.call('lab', call('office')), client.call('lab', call('moon'))]);
    ready(newDesk());
    expect((await answers).map((answer) => answer.ok)).toEqual([true, false]);
    expect(await client.list('lab')).toMatchObject({ ok: true, value: [{ number: 1 }, { number: 2 }] });
  });

  test('a desk that can’t open its log is a failure with the reason', async () => {
    const { port1, port2 } = channel();
    serveDesk(port1, Promise.reject(new Error('storage refused')));
    const client = connectDesk(port2, new CrashPlan(), 5);
    expect(await client.call('lab', call('office'))).toMatchObject({
      failure: { type: 'ToolFailed', reason: 'Error: storage refused' },
    });
  });

  test('a desk that never answers is a failure after the time is up', async () => {
    const { port2 } = channel();
    const client = connectDesk(port2, new CrashPlan(), 0.01);
    expect(await client.call('lab', call('office'))).toMatchObject({
      failure: { type: 'ToolFailed', reason: 'no answer within 0.01 seconds' },
    });
  });

  test('after the agent’s crash nothing is sent', async () => {
    const { port1, port2 } = channel();
    const desk = newDesk();
    serveDesk(port1, Promise.resolve(desk));
    const crash = new CrashPlan([{ boundary: 'x', every: false }]);
    const client = connectDesk(port2, crash, 5);
    expect(() => {
      crash.reach('x');
    }).toThrow(SimulatedCrash);
    await expect(client.call('lab', call('office'))).rejects.toThrow(SimulatedCrash);
    expect(must(await desk.log.list('lab'))).toEqual([]);
  });
});
