import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { httpMessages } from '../../src/bridge/http-init.ts';
import { CrashPlan, noCrash, SimulatedCrash } from '../../src/engine/crash.ts';
import { fail } from '../../src/engine/failure.ts';
import type { ToolRequest } from '../../src/engine/ports.ts';
import type { CallLog } from '../../src/world/call-log.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import { connectDesk, connectHttp, serveDesk } from '../../src/world/desk-port.ts';
import type { LogClient } from '../../src/world/desk-port.ts';
import { sendCall } from '../../src/world/http-service.ts';
import type { HttpParts } from '../../src/world/http-tools.ts';
import { newDesk } from '../support/desk.ts';
import { must, steppingClock } from '../support/lives.ts';
import { json, startToolServer, type ToolServer } from '../support/tool-server.ts';

const never = new AbortController().signal;
let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server.close());

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});
function channel(): MessageChannel {
  const made = new MessageChannel();
  ports.push(made.port1, made.port2);
  return made;
}

const newParts = (): HttpParts => ({
  fetch: (request) => fetch(request),
  clock: steppingClock(),
  secure: false,
});
const call = (path: string, toolArguments: ToolRequest['arguments'] = {}): ToolRequest => ({
  key: `run-T104:notify${path}`,
  tool: 'notify',
  arguments: toolArguments,
  destination: `${server.address}${path}`,
  scope: 'lab',
});

/** A desk and a sender beside it, as the page wires them; and how an agent gets at the sender. */
function world() {
  const log = memoryCallLog();
  let ended: () => void;
  /** A line was completed. */
  const completed = new Promise<void>((resolve) => (ended = resolve));
  const end: CallLog['end'] = async (number, lineEnd) => {
    const done = await log.end(number, lineEnd);
    ended();
    return done;
  };
  const desk = newDesk({ log: { ...log, end } });
  const receive = httpMessages(newParts());
  /** Gives the desk's end of the way to it. */
  const open = (): MessagePort => {
    const { port1, port2 } = channel();
    serveDesk(port1, Promise.resolve(desk));
    receive({ type: 'open', desk: port2 });
    return port1;
  };
  const agent = (crash = new CrashPlan()) => {
    const { port1, port2 } = channel();
    receive({ type: 'connect', port: port1 });
    return connectHttp(port2, crash, 10);
  };
  const lines = async () =>
    must(await desk.log.list('lab')).map(({ destination, work, reply, answerJson }) => ({
      destination,
      work,
      reply,
      answerJson,
    }));
  return { desk, open, agent, lines, completed };
}

describe('calls to addresses', () => {
  test('are in the desk’s log, which says where they were sent and what came back', async () => {
    const { open, agent, lines } = world();
    open();
    server.answer('/ok', json(200, { page: 'PG-1' }));
    server.answer('/no', json(422, {}));
    server.answer('/cut', (_, response) => response.destroy());
    const client = agent();
    for (const path of ['/ok', '/no', '/cut']) await client.call('lab', call(path), never);
    expect(await lines()).toMatchObject([
      { destination: `${server.address}/ok`, work: 'done', reply: 'given', answerJson: '{"page":"PG-1"}' },
      { destination: `${server.address}/no`, work: 'failed', reply: 'given' },
      { destination: `${server.address}/cut`, work: 'unknown', reply: 'lost' },
    ]);
  });

  test('are in the log, durably, before they are sent', async () => {
    const { desk, open, agent } = world();
    open();
    let stored: unknown;
    server.answer('/when', (_, response) => {
      void desk.log.list('lab').then((list) => {
        stored = must(list);
        response.writeHead(200).end('{}');
      });
    });
    expect(await agent().call('lab', call('/when'), never)).toEqual({ type: 'done', result: {} });
    expect(stored).toMatchObject([{ work: 'unknown', reply: 'awaited', answerJson: 'null' }]);
  });

  test('are not sent when the log can’t be written', async () => {
    const log: LogClient = {
      append: () => Promise.resolve(fail({ type: 'OutcomeUnknown', reason: 'no answer' })),
      end: () => Promise.reject(new Error('nothing to complete')),
    };
    expect(await sendCall(newParts(), log, 'lab', call('/unlogged'), never)).toMatchObject({
      type: 'failed',
      retryable: true,
    });
    expect(server.calls.some(({ path }) => path === '/unlogged')).toBe(false);
  });

  test('that can’t be sent leave no line: nothing went out', async () => {
    const { open, agent, lines } = world();
    open();
    const refused = { ...call('/'), destination: 'ftp://example.org/' };
    expect(await agent().call('lab', refused, never)).toMatchObject({ type: 'failed', retryable: false });
    expect(await lines()).toEqual([]);
  });

  test('outlive the agent that made them: the answer comes into the log, and to nobody', async () => {
    const { open, agent, lines, completed } = world();
    open();
    const crash = new CrashPlan([{ boundary: 'x', every: false }]);
    let answer = () => undefined as void;
    server.answer('/later', (request, response) => {
      answer = () => {
        json(200, { done: true })(request, response);
      };
    });
    const dying = agent(crash);
    void dying.call('lab', call('/later'), never);
    await server.received('/later');
    expect(() => {
      crash.reach('x');
    }).toThrow(SimulatedCrash);
    await expect(dying.call('lab', call('/dead'), never)).rejects.toThrow(SimulatedCrash);
    answer();
    await completed;
    expect(await lines()).toMatchObject([{ work: 'done', reply: 'given', answerJson: '{"done":true}' }]);
    expect(server.calls.some(({ path }) => path === '/dead')).toBe(false);
  });

  test('that are called off are unknown at once, and are cut', async () => {
    const { open, agent, lines, completed } = world();
    open();
    let closed: () => void;
    const cut = new Promise<void>((resolve) => (closed = resolve));
    server.answer('/slow', (_, response) => {
      response.on('close', () => {
        closed();
      });
    });
    const time = new AbortController();
    const answer = agent().call('lab', call('/slow'), time.signal);
    await server.received('/slow');
    time.abort();
    expect(await answer).toMatchObject({ type: 'unknown' });
    await Promise.all([completed, cut]);
    expect(await lines()).toMatchObject([{ work: 'unknown', reply: 'unheard' }]);
  });

  test('wait for the desk, and go on with another one', async () => {
    const { open, agent, lines } = world();
    server.answer('/early', json(200, {}));
    const client = agent();
    const early = client.call('lab', call('/early'), never);
    const lost = open();
    expect(await early).toMatchObject({ type: 'done' });
    lost.close();
    open();
    expect(await client.call('lab', call('/early'), never)).toMatchObject({ type: 'done' });
    expect(await lines()).toHaveLength(2);
  });

  test('take nothing that looks like a secret into the log, out of address, arguments or answer', async () => {
    const { desk, open, agent } = world();
    open();
    const secret = 'crashpoint-secret:hunter2';
    server.answer(`/?token=${secret}`, json(200, { echo: secret }));
    const asked = call(`/?token=${secret}`, { token: secret });
    expect(await agent().call('lab', { ...asked, key: 'k' }, never)).toMatchObject({ type: 'done' });
    const text = JSON.stringify(must(await desk.log.list('lab')));
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('hunter2');
  });

  test('can’t be asked about afterwards, and asking sends nothing', async () => {
    const { open, agent, lines } = world();
    open();
    expect(await agent().status('lab', call('/status'))).toMatchObject({ type: 'cannot_tell' });
    expect(await lines()).toEqual([]);
    expect(server.calls.some(({ path }) => path === '/status')).toBe(false);
  });
});

test('the desk answers for itself beside them', async () => {
  const { desk, open } = world();
  open();
  const { port1, port2 } = channel();
  serveDesk(port1, Promise.resolve(desk));
  const client = connectDesk(port2, noCrash, 5);
  expect(await client.call('lab', { ...call('/'), destination: null }, never)).toMatchObject({
    type: 'failed',
    reason: 'the service desk has no tool notify',
  });
});
