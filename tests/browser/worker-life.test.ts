/** What the page says while several requests are under way, and for how long. */
import { expect, test } from 'vitest';
import type { Answer, Client } from '../../src/bridge/client.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { fail, succeed, type Result } from '../../src/engine/failure.ts';
import { WorkerLife } from '../../src/lab/worker-life.svelte.ts';

type Given = Answer<never>;

/** A worker whose answers the test gives; well, if it does not say otherwise. */
function slowClient(): { client: Client; answers: ((answer?: Result<null>) => void)[] } {
  const answers: ((answer?: Result<null>) => void)[] = [];
  const client: Client = {
    request: () =>
      new Promise((resolve) => answers.push((answer = succeed(null)) => resolve(answer as unknown as Given))),
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
    setDesk: () => undefined,
    setRoutes: () => undefined,
    onDeskSettings: () => undefined,
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

test('a failure stays on screen when the page itself asks for news, and goes with the next thing that a person does', async () => {
  const { client, answers } = slowClient();
  const life = await opened(client);
  const stepping = life.ask((agent) => agent.request('step', { runId: 'run-T104', version: 0 }));
  const conflict = { type: 'StateConflict', runId: 'run-T104', expected: 0, stored: 1 } as const;
  answers[0]?.(fail(conflict));
  await stepping;
  expect(life.trouble?.failure).toEqual(conflict);
  for (const time of [1, 2]) {
    const refreshing = life.ask((agent) => agent.request('refresh', {}));
    answers[time]?.();
    await refreshing;
    expect(life.trouble?.failure).toEqual(conflict);
  }
  const choosing = life.ask((agent) => agent.request('view', { selectedRunId: 'run-T104' }));
  answers[3]?.();
  await choosing;
  expect(life.trouble).toBe(null);
});

test('what the page met when it asked by itself goes when that goes well again', async () => {
  const { client, answers } = slowClient();
  const life = await opened(client);
  const stuck = { type: 'StorageStuck', what: 'read', seconds: 15 } as const;
  for (const [time, answer] of [fail(stuck), succeed(null)].entries()) {
    const refreshing = life.ask((agent) => agent.request('refresh', {}));
    answers[time]?.(answer);
    await refreshing;
    expect(life.trouble?.failure ?? null).toEqual(time === 0 ? stuck : null);
  }
});
