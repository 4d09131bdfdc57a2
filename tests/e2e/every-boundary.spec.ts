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
import { distFolder } from '../support/static-server.ts';
import { expect, test } from './fixtures.ts';

/** The built file of a worker. */
function built(worker: string): string {
  const file = readdirSync(join(distFolder, 'assets')).find((name) => name.startsWith(`${worker}.worker-`));
  if (file === undefined) throw new Error(`${worker}: not built`);
  return `assets/${file}`;
}

interface Life {
  readonly haltedAt: string | null;
  /** Null: this life was killed. */
  readonly last: LabView | null;
}

/** One life of the agent's worker in this tab: takes the run up, or starts it, and steps until its end, or its death. */
function live(page: Page, armedAt: string | null, terminate: boolean): Promise<Life> {
  return page.evaluate(
    async ({ agentFile, deskFile, boundary, kill }): Promise<Life> => {
      const at = (file: string): URL => new URL(file, location.origin);
      const agent = new Worker(at(agentFile), { type: 'module' });
      const desk = new Worker(at(deskFile), { type: 'module' });
      const { port1: deskSide, port2: deskPort } = new MessageChannel();
      const { port2: httpPort } = new MessageChannel();
      desk.postMessage({ type: 'open', store: 'indexeddb', storageName: 'every-boundary:world' });
      desk.postMessage({ type: 'connect', port: deskSide }, [deskSide]);
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
      const toTheEnd = async (): Promise<Life> => {
        const place = { type: 'indexeddb' };
        const arms = boundary === null ? [] : [{ boundary, every: false }];
        const params = { place, storageName: 'every-boundary', arms, selectedRunId: null, routes: {} };
        let view = await ask('open', { ...params, deskPort, httpPort }, [deskPort, httpPort]);
        if (view.selected?.run.status !== 'running') view = await ask('start', { ticketId: 'T104' });
        for (;;) {
          const run = view.selected?.run;
          if (run?.status !== 'running') return { haltedAt: null, last: view };
          view = await ask('step', { runId: run.runId, version: run.version });
        }
      };
      const life = await Promise.race([
        toTheEnd(),
        halted.then((haltedAt): Life => ({ haltedAt, last: null })),
      ]);
      if (kill) {
        agent.terminate();
        desk.terminate();
      }
      return life;
    },
    { agentFile: built('agent'), deskFile: built('desk'), boundary: armedAt, kill: terminate },
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
  const first = await live(page, null, true);
  const boundaries =
    first.last?.boundaries.flatMap((group) => group.boundaries.map(({ name }) => name)) ?? [];
  expect(boundaries.length).toBeGreaterThan(40);

  for (const boundary of boundaries) {
    const [action = ''] = boundary.split('.');
    // Only a session that takes a run up, or finds a saved result, gets to these.
    const left = boundary.includes('.reuse.')
      ? `${action}.tool.durable`
      : action === 'resume'
        ? 'classify_priority.checkpoint.durable'
        : null;
    if (left !== null) expect(await live(page, left, true), boundary).toMatchObject({ haltedAt: left });
    const byReload = /\.(committed|durable)$/.test(boundary);
    expect(await live(page, boundary, !byReload)).toMatchObject({ haltedAt: boundary, last: null });
    if (byReload) await page.reload();
    const { last } = await live(page, null, true);
    expect(last?.selected?.run, boundary).toMatchObject({ status: 'completed', version: 4 });
    expect(last?.selected?.effects, boundary).toHaveLength(2);
    expect(
      last?.invariants.filter(({ violations }) => violations > 0),
      boundary,
    ).toEqual([]);
  }
});
