/**
 * Owns: what the built page's workers do when a call is sent to an address for real: under the page's policy, across
 * origins, in the browsers themselves.
 * Leaves: each answer's meaning to tests/unit/http-tools.test.ts; doing it by the screen to other specs.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolAnswer } from '../../src/engine/ports.ts';
import { distFolder } from '../support/static-server.ts';
import { json, openToAll, startToolServer, type ToolServer } from '../support/tool-server.ts';
import { expect, test, type Page } from './fixtures.ts';

/** May be called by pages of all origins, but for this path. */
const closed = '/closed';
let server: ToolServer;
test.beforeAll(async () => {
  server = await startToolServer((path) => path !== closed);
});
test.afterAll(() => server.close());

test.beforeEach(async ({ page, address, watch }) => {
  watch.allow(server.address);
  await page.goto(address);
});

const key = 'run-T104:page_technician';
const sentTo = (path: string) => server.calls.filter((call) => call.path === path);

test('the page itself may contact nobody else; its sending worker sends, with the key and nothing of the visitor', async ({
  page,
}) => {
  server.answer('/work', json(200, { page: 'PG-1' }));
  const refusedBy = await page.evaluate(async (url) => {
    const violated = new Promise<string>((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
    });
    await fetch(url).catch(() => undefined);
    return violated;
  }, `${server.address}/work`);
  expect(refusedBy).toBe('connect-src');
  expect(sentTo('/work')).toEqual([]);

  expect(await sendByWorkers(page, '/work')).toEqual({ type: 'done', result: { page: 'PG-1' } });
  const [call, ...more] = sentTo('/work');
  expect(more).toEqual([]);
  expect(call).toMatchObject({
    method: 'POST',
    body: '{"arguments":{"message":"come"},"tool":"page_technician"}',
  });
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    'idempotency-key': `lab:${key}`,
    origin: new URL(page.url()).origin,
  });
  for (const header of ['cookie', 'authorization', 'referer'])
    expect(call?.headers).not.toHaveProperty(header);
});

test('refused, and done with an answer that may not be read, look the same: unknown, never failed', async ({
  page,
}) => {
  // It does the work, and does not allow its answer to be read.
  server.answer('/silent', (_, response) => response.writeHead(200).end('{"page":"PG-2"}'));
  const done = await sendByWorkers(page, '/silent');
  expect(sentTo('/silent')).toHaveLength(1);
  // The browser asked whether it may call, and was told no: the call was never sent.
  const refused = await sendByWorkers(page, closed);
  expect(sentTo(closed)).toEqual([]);
  expect(done.type).toBe('unknown');
  expect(refused).toEqual(done);
});

test('a redirect is not followed, and is unknown', async ({ page }) => {
  server.answer('/moved', json(307, {}, { location: `${server.address}/elsewhere` }));
  expect((await sendByWorkers(page, '/moved')).type).toBe('unknown');
  expect(sentTo('/moved')).toHaveLength(1);
  expect(sentTo('/elsewhere')).toEqual([]);
});

test('an address that is busy says when to come again', async ({ page }) => {
  server.answer('/busy', json(503, {}, { 'retry-after': '7' }));
  expect(await sendByWorkers(page, '/busy')).toMatchObject({ type: 'failed', retryable: true, after: 7_000 });
});

test('a connection cut in the middle of the answer is unknown', async ({ page }) => {
  server.answer('/cut', (_, response) => {
    response.writeHead(200, { ...openToAll, 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"page":', () => response.destroy());
  });
  expect((await sendByWorkers(page, '/cut')).type).toBe('unknown');
});

test('what the browser sends again by itself, after a connection broke, comes under the same key', async ({
  page,
}) => {
  server.answer('/gone', (_, response) => response.destroy());
  expect((await sendByWorkers(page, '/gone')).type).toBe('unknown');
  const keys = sentTo('/gone').map(({ headers }) => headers['idempotency-key']);
  expect(keys.length).toBeGreaterThan(0);
  expect(new Set(keys)).toEqual(new Set([`lab:${key}`]));
});

/** One call, as the agent's worker makes it: over a port to the built sending worker, which logs at the built desk. */
async function sendByWorkers(page: Page, path: string): Promise<ToolAnswer> {
  const assets = await readdir(join(distFolder, 'assets'));
  const program = (name: string): string => {
    const file = assets.find((asset) => asset.startsWith(`${name}.worker-`));
    if (file === undefined) throw new Error(`the build has no ${name} worker`);
    return `assets/${file}`;
  };
  return page.evaluate(
    async ({ desk, http, request }) => {
      const start = (file: string) => new Worker(new URL(file, location.href), { type: 'module' });
      const [deskWorker, httpWorker] = [start(desk), start(http)];
      const [log, agent] = [new MessageChannel(), new MessageChannel()];
      deskWorker.postMessage({ type: 'open', store: 'memory', storageName: 'test' });
      deskWorker.postMessage({ type: 'connect', port: log.port1 }, [log.port1]);
      httpWorker.postMessage({ type: 'open', desk: log.port2 }, [log.port2]);
      httpWorker.postMessage({ type: 'connect', port: agent.port1 }, [agent.port1]);
      const answer = await new Promise<ToolAnswer>((resolve) => {
        agent.port2.onmessage = (event: MessageEvent<{ readonly answer: ToolAnswer }>) => {
          resolve(event.data.answer);
        };
        agent.port2.postMessage({ id: 1, ask: 'call', params: { lab: 'lab', request } });
      });
      deskWorker.terminate();
      httpWorker.terminate();
      return answer;
    },
    {
      desk: program('desk'),
      http: program('http'),
      request: {
        key,
        tool: 'page_technician',
        arguments: { message: 'come' },
        destination: `${server.address}${path}`,
        scope: 'lab',
      },
    },
  );
}
