/**
 * Owns: the built worker over the browser's IndexedDB, killed at every boundary of the lesson's run: by `terminate()`,
 * and where a commit is just made, or just durable, by a reload of the tab.
 * Leaves: what is shown of it to lesson.spec.ts; every pair of boundaries, and other tickets, to tests/crash/.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { FromWorker, Request } from '../../src/bridge/protocol.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { triage } from '../../src/triage/workflow.ts';
import { distFolder } from '../support/static-server.ts';
import { expect, test } from './fixtures.ts';

/** The built file of a worker. */
function built(worker: string): string {
  const file = readdirSync(join(distFolder, 'assets')).find((name) => name.startsWith(`${worker}.worker-`));
  if (file === undefined) throw new Error(`${worker}: not built`);
  return `assets/${file}`;
}

interface Life {
  /** What was shown when the run that the life before had left was complete; null: none was to be completed. */
  readonly completed: LabView | null;
  readonly haltedAt: string | null;
}

interface Wanted {
  /** Armed from the beginning: the life ends while it takes a run up. Null: it completes what is unfinished. */
  readonly armedAtOnce: string | null;
  /** Then a new run is started, and the life ends here; null: it ends without a crash. */
  readonly then: string | null;
  readonly terminate: boolean;
}

/** One life of the agent's worker in this tab. The desk's worker lives on, as it does in the lab. */
function live(page: Page, wanted: Wanted): Promise<Life> {
  return page.evaluate(
    async ({ agentFile, deskFile, armedAtOnce, then, terminate }): Promise<Life> => {
      const worker = (file: string): Worker => new Worker(new URL(file, location.origin), { type: 'module' });
      const here = window as unknown as { desk?: Worker };
      if (here.desk === undefined) {
        here.desk = worker(deskFile);
        here.desk.postMessage({ type: 'open', store: 'indexeddb', storageName: 'every-boundary:world' });
      }
      const agent = worker(agentFile);
      const { port1: deskSide, port2: deskPort } = new MessageChannel();
      const { port2: httpPort } = new MessageChannel();
      here.desk.postMessage({ type: 'connect', port: deskSide }, [deskSide]);
      const halted = new Promise<string>((resolve) => {
        agent.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
          if (data.type === 'halted') resolve(data.boundary);
        });
      });
      let lastId = 0;
      const ask = (
        command: string,
        params: object,
        transfer: readonly Transferable[] = [],
      ): Promise<LabView> =>
        new Promise((resolve, reject) => {
          const id = (lastId += 1);
          agent.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
            if (data.type !== 'reply' || data.id !== id) return;
            if (data.ok) resolve(data.result as LabView);
            else reject(new Error(JSON.stringify(data.failure)));
          });
          agent.postMessage({ id, command, params } as unknown as Request, [...transfer]);
        });
      const stepped = async (from: LabView): Promise<LabView> => {
        let view = from;
        for (;;) {
          const run = view.selected?.run;
          if (run?.status !== 'running') return view;
          view = await ask('step', { runId: run.runId, version: run.version });
        }
      };
      const once = (boundary: string | null): object[] =>
        boundary === null ? [] : [{ boundary, every: false }];
      let completed: LabView | null = null;
      const lived = async (): Promise<null> => {
        const params = { storageName: 'every-boundary', selectedRunId: null, routes: {}, deskPort, httpPort };
        const opened = { ...params, place: { type: 'indexeddb' }, arms: once(armedAtOnce) };
        const view = await ask('open', opened, [deskPort, httpPort]);
        if (view.selected?.run.status === 'running') completed = await stepped(view);
        if (then === null) return null;
        await ask('arm', { arms: once(then) });
        await stepped(await ask('start', { ticketId: 'T104' }));
        return null;
      };
      const haltedAt = await Promise.race([lived(), halted]);
      if (terminate) agent.terminate();
      return { completed, haltedAt };
    },
    { agentFile: built('agent'), deskFile: built('desk'), ...wanted },
  );
}

test('a worker that is killed at any boundary of the run is followed by one that completes it', async ({
  page,
  address,
}) => {
  // A page of the same origin that does nothing by itself.
  const nothing = '<!doctype html><link rel="icon" href="data:,"><title>Nothing</title>';
  await page.route('**/nothing', (route) => route.fulfill({ contentType: 'text/html', body: nothing }));
  await page.goto(`${address}nothing`);
  const boundaries = boundariesOf(triage).flatMap((group) => group.boundaries.map(({ name }) => name));
  expect(boundaries.length).toBeGreaterThan(40);

  let unfinished: string | null = null;
  const expectCompleted = ({ completed }: Life): void => {
    if (unfinished === null) return;
    expect(completed?.selected?.run, unfinished).toMatchObject({ status: 'completed', version: 4 });
    expect(completed?.selected?.effects, unfinished).toHaveLength(2);
    expect(
      completed?.invariants.filter(({ violations }) => violations > 0),
      unfinished,
    ).toEqual([]);
  };
  for (const boundary of boundaries) {
    const [action = ''] = boundary.split('.');
    // Only a session that takes a run up, or finds a saved result, gets to these.
    const left = boundary.includes('.reuse.')
      ? `${action}.tool.durable`
      : action === 'resume'
        ? 'classify_priority.checkpoint.durable'
        : null;
    const byReload = /\.(committed|durable)$/.test(boundary);
    const life = await live(page, {
      armedAtOnce: null,
      then: left ?? boundary,
      terminate: left !== null || !byReload,
    });
    expectCompleted(life);
    expect(life.haltedAt).toBe(left ?? boundary);
    if (left !== null) {
      const next = await live(page, { armedAtOnce: boundary, then: null, terminate: !byReload });
      expect(next).toMatchObject({ completed: null, haltedAt: boundary });
    }
    if (byReload) await page.reload();
    // Before the first durable commit nothing is stored; after the last one nothing is left to do.
    const isStored = !boundary.startsWith('start.') || boundary === 'start.durable';
    unfinished = isStored && boundary !== 'finish.checkpoint.durable' ? boundary : null;
  }
  expectCompleted(await live(page, { armedAtOnce: null, then: null, terminate: true }));
});
