/** Owns: programs that do not run: WebAssembly refused, a worker or SQLite that does not arrive. Each is told, and Retry works. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { distFolder } from '../support/static-server.ts';
import { DatabaseFile } from './database-file.ts';
import { expect, test, type Page } from './fixtures.ts';

test.skip(
  ({ browserName }) => browserName !== 'chromium',
  'Playwright does not stand between Firefox and its workers’ scripts.',
);

const trouble = (page: Page) => page.locator('.failure');
const agent = /\/agent\.worker-[^/]*\.js$/;

test('where a policy forbids WebAssembly the page says so, and what is stored can be had without it', async ({
  lab,
  page,
}) => {
  await lab.open();
  await lab.stepTo(2);
  await page.route(agent, async (route) => {
    const file = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    await route.fulfill({
      body: await readFile(join(distFolder, 'assets', file)),
      contentType: 'text/javascript',
      headers: { 'Content-Security-Policy': "script-src 'self'" },
    });
  });
  await page.reload();
  await expect(trouble(page)).toContainText('This page may not run WebAssembly here');
  const stored = await DatabaseFile.read((await lab.downloadBytes('Download what is stored')).bytes);
  expect(stored.problems()).toEqual([]);
  expect(stored.rows('SELECT version FROM agent_runs')).toEqual([{ version: 2 }]);
  await page.unroute(agent);
  await lab.press('Retry');
  await lab.ready();
  await lab.expectRun({ version: 2 });
});

test('an SQLite that does not arrive, or is something else, is told, and Retry loads it', async ({
  lab,
  page,
  watch,
}) => {
  const wasm = /\.wasm$/;
  await page.route(wasm, (route) => route.fulfill({ status: 503 }));
  await page.goto(`${lab.address}#/lab`);
  await expect(trouble(page)).toContainText('the host answered 503');
  await page.unroute(wasm);
  await page.route(wasm, (route) => route.fulfill({ body: '<!doctype html>Please log in' }));
  await lab.press('Retry');
  await expect(trouble(page)).toContainText('The database program could not be loaded: WebAssembly');
  await page.unroute(wasm);
  await lab.press('Retry');
  await lab.ready();
  watch.errors.length = 0;
});

test('a worker whose program does not arrive is told, and Retry loads it', async ({ lab, page, watch }) => {
  await lab.open();
  await lab.stepTo(1);
  await page.route(agent, (route) => route.abort());
  await page.reload();
  await expect(trouble(page)).toContainText('The program of the agent’s worker could not be loaded');
  await page.unroute(agent);
  await lab.press('Retry');
  await lab.ready();
  await lab.expectRun({ version: 1 });
  watch.errors.length = 0;
});

test('without the outside world the lab still opens and says what is missing, and Retry brings it', async ({
  lab,
  page,
  watch,
}) => {
  const desk = /\/desk\.worker-[^/]*\.js$/;
  await page.route(desk, (route) => route.abort());
  await lab.open();
  await expect(trouble(page)).toContainText(
    'The program of the outside world (the service desk) could not be loaded',
  );
  await lab.stepTo(1);
  await expect(trouble(page)).toContainText('the service desk');
  await page.unroute(desk);
  await lab.press('Retry');
  await lab.ready();
  await expect(trouble(page)).toBeHidden();
  await lab.runToTheEnd();
  expect(await lab.calls()).toEqual(['run-T104:lookup_runbook', 'run-T104:draft_reply']);
  watch.errors.length = 0;
});
