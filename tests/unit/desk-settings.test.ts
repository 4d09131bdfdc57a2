import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/engine/json.ts';
import type { ToolRequest } from '../../src/engine/ports.ts';
import type { Desk } from '../../src/world/desk.ts';
import { receiveCall, receiveStatus } from '../../src/world/desk.ts';
import type { DeskSettings } from '../../src/world/desk-settings.ts';
import { defaultDeskSettings, DeskRules, delays, troubles } from '../../src/world/desk-settings.ts';
import { handTimer, newDesk } from '../support/desk.ts';
import { must } from '../support/lives.ts';
import { newLine } from '../support/received-call.ts';

const never = new AbortController().signal;
const order: JsonObject = {
  ticket_id: 'T104',
  area: 'cold storage',
  priority: 'urgent',
  next_step: 'Check the gateway heartbeat.',
};
const page: JsonObject = { ticket_id: 'T104', work_order: 'WO-1001', message: 'come' };

const request = (tool: string, key: string, toolArguments: JsonObject): ToolRequest => ({
  key,
  tool,
  arguments: toolArguments,
  destination: null,
  scope: '',
});
const open = (key = 'run-T104:open', toolArguments = order) => request('open_work_order', key, toolArguments);

function deskWith(settings: Partial<DeskSettings> = {}, over: Partial<Desk> = {}): Desk {
  const desk = newDesk(over);
  desk.rules.set({ ...defaultDeskSettings, ...settings });
  return desk;
}
const call = (desk: Desk, asked: ToolRequest, lab = 'lab') => receiveCall(desk, lab, asked, never);
const done = (result: JsonObject) => ({ type: 'done', result });
const linesOf = async (desk: Desk, lab = 'lab') =>
  must(await desk.log.list(lab)).map(({ tool, work, reply }) => `${tool} ${work} ${reply}`);

describe('the desk’s own tools', () => {
  test('work orders and pages are numbered by what was done for this lab', async () => {
    const desk = deskWith();
    expect(await call(desk, open('a'))).toEqual(done({ work_order: 'WO-1001' }));
    expect(await call(desk, open('b'))).toEqual(done({ work_order: 'WO-1002' }));
    expect(await call(desk, open('a'), 'other')).toEqual(done({ work_order: 'WO-1001' }));
    expect(await call(desk, request('page_technician', 'c', page))).toEqual(done({ page: 'PG-1' }));
    expect(await call(desk, request('request_runbook', 'd', { area: 'packing' }))).toMatchObject(
      done({ runbook_code: 'RB-PK-01' }),
    );
  });

  test.each([
    ['open_work_order', { ...order, priority: 1 }, 'it needs priority, as a text'],
    ['page_technician', {}, 'it needs ticket_id, as a text'],
    ['request_runbook', { area: 'moon' }, 'there is no runbook for the area "moon"'],
  ] as const)('%s says what is wrong, and has done nothing', async (tool, toolArguments, reason) => {
    const desk = deskWith();
    const asked = request(tool, 'a', toolArguments);
    expect(await call(desk, asked)).toEqual({ type: 'failed', reason, retryable: false });
    expect(await receiveStatus(desk, 'lab', asked)).toEqual({ type: 'not_received' });
    expect(await linesOf(desk)).toEqual([`${tool} failed given`, `${tool} asked given`]);
  });
});

describe('a desk that honours keys', () => {
  test('gives the first answer again under the same key and arguments, and does nothing', async () => {
    const desk = deskWith();
    await call(desk, open());
    await call(desk, open('another'));
    expect(await call(desk, open())).toEqual(done({ work_order: 'WO-1001' }));
    // The order of the members is no difference.
    const turned = Object.fromEntries(Object.entries(order).reverse());
    expect(await call(desk, open('run-T104:open', turned))).toEqual(done({ work_order: 'WO-1001' }));
    expect(await call(desk, open('third'))).toEqual(done({ work_order: 'WO-1003' }));
    expect(await linesOf(desk)).toEqual([
      'open_work_order done given',
      'open_work_order done given',
      'open_work_order recognised given',
      'open_work_order recognised given',
      'open_work_order done given',
    ]);
  });

  test.each([
    ['other arguments', open('run-T104:open', { ...order, area: 'office' })],
    ['another tool', request('page_technician', 'run-T104:open', page)],
    [
      'a secret that is another one, though both are redacted',
      open('run-T104:open', { ...order, next_step: 'crashpoint-secret:two' }),
    ],
  ])('refuses the key with %s, for good', async (_, second) => {
    const desk = deskWith();
    await call(desk, open('run-T104:open', { ...order, next_step: 'crashpoint-secret:one' }));
    expect(await call(desk, second)).toMatchObject({ type: 'failed', retryable: false });
    expect((await linesOf(desk))[1]).toBe(`${second.tool} refused given`);
    expect(await receiveStatus(desk, 'lab', second)).toMatchObject({ type: 'cannot_tell' });
  });

  test('of calls under one key that come at once, one is worked for', async () => {
    const desk = deskWith();
    const answers = await Promise.all([1, 2, 3].map(() => call(desk, open())));
    expect(answers).toEqual([1, 2, 3].map(() => done({ work_order: 'WO-1001' })));
    expect((await linesOf(desk)).filter((line) => line.includes(' done '))).toHaveLength(1);
  });

  test('knows a key of its own lab only', async () => {
    const desk = deskWith();
    await call(desk, open());
    await call(desk, open(), 'other');
    expect(await linesOf(desk, 'other')).toEqual(['open_work_order done given']);
  });

  test('takes nothing for its own work that was sent to an address', async () => {
    const desk = deskWith();
    await call(desk, open());
    await desk.log.append(
      newLine({ key: 'sent', tool: 'open_work_order', destination: 'https://desk.example/' }),
    );
    expect(await call(desk, open('sent'))).toEqual(done({ work_order: 'WO-1002' }));
  });
});

describe('a desk that ignores keys', () => {
  test('does the work again, also with other arguments', async () => {
    const desk = deskWith({ honoursKeys: false });
    await call(desk, open());
    expect(await call(desk, open())).toEqual(done({ work_order: 'WO-1002' }));
    expect(await call(desk, open('run-T104:open', { ...order, area: 'office' }))).toEqual(
      done({ work_order: 'WO-1003' }),
    );
    expect((await linesOf(desk)).every((line) => line.includes(' done '))).toBe(true);
  });
});

describe('trouble', () => {
  test.each([true, false])(
    'a desk that fails before the work has done nothing, and a retry does it (keys honoured: %s)',
    async (honoursKeys) => {
      const desk = deskWith({ trouble: 'fails_before', honoursKeys });
      expect(await call(desk, open())).toMatchObject({ type: 'failed', retryable: true });
      expect(await receiveStatus(desk, 'lab', open())).toEqual({ type: 'not_received' });
      expect(await call(desk, open())).toEqual(done({ work_order: 'WO-1001' }));
      expect(await linesOf(desk)).toEqual([
        'open_work_order failed given',
        'open_work_order asked given',
        'open_work_order done given',
      ]);
    },
  );

  test('a desk that loses the answer has done the work, says nothing, and knows it when asked', async () => {
    const desk = deskWith({ trouble: 'loses_answer', delayMs: 15_000 });
    expect(await call(desk, open())).toBeNull();
    expect(await linesOf(desk)).toEqual(['open_work_order done lost']);
    expect(await receiveStatus(desk, 'lab', open())).toEqual(done({ work_order: 'WO-1001' }));
  });

  test('after a lost answer the retry is recognised where keys are honoured, and done again where not', async () => {
    for (const [honoursKeys, workOrder] of [
      [true, 'WO-1001'],
      [false, 'WO-1002'],
    ] as const) {
      const desk = deskWith({ trouble: 'loses_answer', honoursKeys });
      await call(desk, open());
      expect(await call(desk, open())).toEqual(done({ work_order: workOrder }));
    }
  });

  test('what comes always does; what comes once has the first of the calls that come at once, and is told', async () => {
    const always = deskWith({ trouble: 'fails_before', troubleTimes: 'always' });
    await Promise.all([call(always, open()), call(always, open())]);
    expect(await linesOf(always)).toEqual(['open_work_order failed given', 'open_work_order failed given']);
    expect(always.rules.settings.trouble).toBe('fails_before');

    const left: DeskSettings[] = [];
    const once = deskWith(
      { trouble: 'fails_before', honoursKeys: false },
      { rules: new DeskRules((settings) => left.push(settings)) },
    );
    await Promise.all([call(once, open()), call(once, open())]);
    expect(await linesOf(once)).toEqual(['open_work_order failed given', 'open_work_order done given']);
    expect(left).toEqual([{ ...defaultDeskSettings, honoursKeys: false, trouble: 'none' }]);
  });
});

describe('a slow desk', () => {
  test('does the work at once, and answers when the time has passed', async () => {
    const timer = handTimer();
    const desk = deskWith({ delayMs: 5_000 }, { timer });
    let answer: unknown = 'none yet';
    const answering = call(desk, open()).then((given) => (answer = given));
    await settled();
    expect(await linesOf(desk)).toEqual(['open_work_order done awaited']);
    timer.pass(4_999);
    await settled();
    expect(answer).toBe('none yet');
    timer.pass(1);
    expect(await answering).toEqual(done({ work_order: 'WO-1001' }));
    expect(await linesOf(desk)).toEqual(['open_work_order done given']);
  });

  test('a second call under the key is recognised while the first one’s answer is held back', async () => {
    const timer = handTimer();
    const desk = deskWith({ delayMs: 5_000 }, { timer });
    const answers = [call(desk, open()), call(desk, open())];
    await settled();
    expect(await linesOf(desk)).toEqual([
      'open_work_order done awaited',
      'open_work_order recognised awaited',
    ]);
    timer.pass(5_000);
    expect(await Promise.all(answers)).toEqual([1, 2].map(() => done({ work_order: 'WO-1001' })));
  });

  test('a call that nobody waited for any more is answered by nobody', async () => {
    const desk = deskWith({ delayMs: 5_000 });
    expect(await receiveCall(desk, 'lab', open(), AbortSignal.abort())).toBeNull();
    expect(await linesOf(desk)).toEqual(['open_work_order done unheard']);
  });
});

describe('a question for the status of a key', () => {
  test('a desk that does not say is asked in vain; the question is a line, and no call', async () => {
    const desk = deskWith({ answersStatus: false });
    await call(desk, open());
    expect(await receiveStatus(desk, 'lab', open())).toMatchObject({ type: 'cannot_tell' });
    desk.rules.set(defaultDeskSettings);
    expect(await receiveStatus(desk, 'lab', open())).toEqual(done({ work_order: 'WO-1001' }));
    expect(await receiveStatus(desk, 'other', open())).toEqual({ type: 'not_received' });
    expect(await linesOf(desk)).toEqual([
      'open_work_order done given',
      'open_work_order asked given',
      'open_work_order asked given',
    ]);
    expect(must(await desk.log.list('lab')).at(-1)?.answerJson).toBe(
      '{"result":{"work_order":"WO-1001"},"type":"done"}',
    );
  });
});

test('the lesson’s tools know no setting', async () => {
  const asked = request('lookup_runbook', 'run-T104:lookup_runbook', { area: 'office' });
  for (const trouble of troubles)
    for (const delayMs of delays)
      for (const honoursKeys of [true, false]) {
        const desk = deskWith({ trouble, delayMs, honoursKeys, answersStatus: false });
        await call(desk, asked);
        expect(await call(desk, asked)).toMatchObject(done({ runbook_code: 'RB-OF-03' }));
        expect(await linesOf(desk)).toEqual(['lookup_runbook done given', 'lookup_runbook done given']);
        expect(desk.rules.settings.trouble).toBe(trouble);
      }
});

/** Everything that does not wait for the timer has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
