/** Clicks that come too early, twice, or after the page was left: what is on screen belongs to what was asked last. */
import { expect, test, vi } from 'vitest';
import type { FromDemo, ToDemo } from '../../src/bridge/demo-messages.ts';
import type { ExperimentClient, RaceTrace } from '../../src/bridge/experiment-client.ts';
import type { PastRun } from '../../src/bridge/past.ts';
import type { RunView } from '../../src/bridge/views.ts';
import { Branching } from '../../src/lab/branching.svelte.ts';
import { Breaking } from '../../src/lab/break/break.svelte.ts';
import { experimentTexts } from '../../src/lab/break/experiments.ts';
import { SqlConsole } from '../../src/lab/console/console.svelte.ts';
import type { Lab } from '../../src/lab/lab.svelte.ts';
import { Racing } from '../../src/lab/race/race.svelte.ts';
import { Demonstration } from '../../src/lab/start/demonstration.svelte.ts';

interface Asked {
  readonly wanted: unknown;
  answer(value: unknown): void;
}

/** Answers when the test says so. */
function heldClient(): { client: ExperimentClient; asked: Asked[] } {
  const asked: Asked[] = [];
  const ask = (_: string, wanted: unknown) =>
    new Promise((resolve) => asked.push({ wanted, answer: (value) => resolve({ ok: true, value }) }));
  return { client: { ask, close: () => undefined } as unknown as ExperimentClient, asked };
}

const trialOf = (name: string) => ({ name });

test('an answer for a variant that is no longer chosen is not shown as the chosen one’s', async () => {
  const text = experimentTexts.find(({ kind }) => kind.type === 'crash' && kind.variants.length > 1);
  if (text === undefined) throw new Error('no experiment has variants');
  const { client, asked } = heldClient();
  const run = new Breaking(text, client);
  const first = run.break();
  run.choose(1);
  expect(run.busy).toBeNull();
  const second = run.break();
  asked[0]?.answer(trialOf('first'));
  await first;
  expect([run.broken, run.busy]).toEqual([null, 'break']);
  asked[1]?.answer(trialOf('second'));
  await second;
  expect(run.broken).toEqual({ type: 'crash', trial: trialOf('second') });
  expect(run.busy).toBeNull();
});

test('two quick clicks on a worker of the race are its next two moves, and none twice', async () => {
  const { client, asked } = heldClient();
  const racing = new Racing(client);
  const first = racing.byHand('A');
  const second = racing.byHand('A');
  await vi.waitFor(() => expect(asked.length).toBe(1));
  const standing = { A: 'check', B: 'load' } as const;
  asked[0]?.answer({ moves: [], standing, calls: [] } as unknown as RaceTrace);
  await first;
  await vi.waitFor(() => expect(asked.length).toBe(2));
  expect(asked[1]?.wanted).toMatchObject({
    schedule: [
      { racer: 'A', move: 'load' },
      { racer: 'A', move: 'check' },
    ],
  });
  asked[1]?.answer({ moves: [], standing, calls: [] } as unknown as RaceTrace);
  await second;
  expect(racing.schedule.length).toBe(8);
});

/** A worker that does nothing by itself. */
class StillWorker {
  onmessage: ((event: { data: FromDemo }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault: () => void }) => void) | null = null;
  terminated = false;
  readonly received: ToDemo[] = [];
  postMessage(message: ToDemo): void {
    this.received.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
}

test('a demonstration that was left, or begun anew, before its program came starts one worker at most', async () => {
  const made: StillWorker[] = [];
  const demo = new Demonstration(() => {
    const worker = new StillWorker();
    made.push(worker);
    return worker as unknown as Worker;
  });
  const left = demo.run();
  demo.leave();
  await left;
  expect(made).toEqual([]);
  await Promise.all([demo.run(), demo.run(), demo.run()]);
  expect(made.map(({ terminated }) => terminated)).toEqual([false]);
});

test('an error of a worker that was killed ends nothing of the next one', async () => {
  const made: StillWorker[] = [];
  const demo = new Demonstration(() => {
    const worker = new StillWorker();
    made.push(worker);
    return worker as unknown as Worker;
  });
  await demo.run();
  demo.kill();
  demo.startAgain();
  made[0]?.onerror?.({ message: 'late', preventDefault: () => undefined });
  expect([demo.failure, demo.phase, made[1]?.terminated]).toEqual([null, 'loading', false]);
});

test('what cannot be run at all says so, and the console can be used again', async () => {
  const lab = {
    view: null,
    said: '',
    worker: { ask: () => Promise.reject(new RangeError('too much')) },
    ports: {
      newConsole: () => new Worker(''),
      wait: () => Promise.resolve(false),
      keep: { read: () => Promise.resolve(undefined) },
    },
  } as unknown as Lab;
  const console = new SqlConsole(lab);
  await console.run();
  expect(console.busy).toBeNull();
  expect(console.outcome).toMatchObject({ type: 'failed', failure: { type: 'WorkerFault' } });
});

test('a replay that was dismissed is ended, and does not come back', async () => {
  const event = (sequence: number, eventType: string, detail: string) => ({
    ...{
      runId: 'r',
      sequence,
      session: 'session-1',
      eventType,
      action: 'a',
      detail,
      createdAtUtc: '',
      rowid: sequence,
    },
  });
  const events = [event(1, 'run_started', ''), event(2, 'checkpoint_saved', 'version 1')];
  const row = {
    runId: 'r',
    ticketId: 'T104',
    status: 'running',
    nextAction: 'a',
    contextJson: '{}',
    version: 0,
  };
  const run = { run: row, events, effects: [], workflow: 'triage' } as unknown as RunView;
  const current = { run, checkpoint: { version: 0, context: {} } } as unknown as PastRun;
  const workers: StillWorker[] = [];
  const newExplorer = () => {
    const worker = new StillWorker();
    workers.push(worker);
    return worker;
  };
  const branching = new Branching({
    run,
    past: { current },
    ports: { newExplorer },
    said: '',
  } as unknown as Lab);
  const first = branching.replayFromHere();
  expect(branching.replay?.told.type).toBe('running');
  branching.dismiss();
  await first;
  expect([branching.replay, workers[0]?.terminated]).toEqual([null, true]);
  void branching.replayFromHere();
  expect([branching.replay?.told.type, workers.length]).toEqual(['running', 2]);
});
