/** What the page says about saving while several requests are under way. */
import { expect, test } from 'vitest';
import type { Answer, Client } from '../../src/bridge/client.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { succeed } from '../../src/engine/failure.ts';
import { WorkerLife } from '../../src/lab/worker-life.svelte.ts';

/** A worker whose answers the test gives. */
function slowClient(): { client: Client; answers: (() => void)[] } {
  const answers: (() => void)[] = [];
  const client: Client = {
    request: () =>
      new Promise((resolve) => answers.push(() => resolve(succeed(null) as unknown as Answer<never>))),
    onPush: () => undefined,
    onLost: () => undefined,
    terminate: () => undefined,
  };
  return { client, answers };
}

const view = {} as LabView;

async function opened(client: Client): Promise<WorkerLife> {
  const listener = { received: () => undefined, halted: () => undefined, lost: () => undefined };
  const workers = {
    open: ({ connected }: { connected: (client: Client) => void }) => {
      connected(client);
      return Promise.resolve({ client, opened: succeed(view) });
    },
    onDeskLost: () => undefined,
  };
  const life = new WorkerLife(workers, listener);
  expect(await life.open('indexeddb', [], null)).toBe(view);
  return life;
}

test('a write stays under way until its own answer comes, whatever else is asked and answered', async () => {
  const { client, answers } = slowClient();
  const life = await opened(client);
  const writing = life.ask((agent) => agent.request('step', { runId: 'run-T104', version: 0 }));
  expect(life.saving).toBe(true);
  const reading = life.ask((agent) => agent.request('refresh', {}));
  expect(life.saving).toBe(true);
  answers[1]?.();
  await reading;
  expect(life.saving).toBe(true);
  answers[0]?.();
  await writing;
  expect(life.saving).toBe(false);
});

test('with the worker ends what was under way, and the next one begins with nothing', async () => {
  const { client } = slowClient();
  const life = await opened(client);
  void life.ask((agent) => agent.request('reset', {}));
  expect(life.saving).toBe(true);
  life.end({ type: 'unplanned', failure: { type: 'WorkerLost', reason: 'test' } }, null);
  expect(life.saving).toBe(false);
});
