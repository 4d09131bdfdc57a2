/** Owns: where the page may stand: any folder, plain http, no storage at all; and what it loads, and from where. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { distFolder } from '../support/static-server.ts';
import { expect, test } from './fixtures.ts';
import { LabPage } from './lab-page.ts';
import { crashAsInTheLesson, doTheLesson, expectTheLessonOnScreen, lessonBoundary } from './the-lesson.ts';

test('the same files under /a/b/ do the lesson’s run, and share nothing with those under /', async ({
  lab,
  newTab,
  address,
}) => {
  await lab.open();
  await lab.stepTo(2);

  const folder = new LabPage(await newTab(), `${address}a/b/`);
  await folder.open();
  await expect(folder.region('Runs')).toContainText('No run yet');
  expect(await folder.calls()).toEqual([]);
  await doTheLesson(folder);
  await expectTheLessonOnScreen(folder);

  await folder.press('Reset lab');
  await folder.button('Delete 1 run', folder.dialog).click();
  await expect(folder.region('Runs')).toContainText('No run yet');
  await lab.acrossReload(() => lab.page.reload());
  await lab.expectRun({ status: 'running', version: 2 });
  expect(await lab.calls()).toEqual(['run-T104:lookup_runbook']);
});

test.describe('over plain http', () => {
  const hostName = 'classroom.test';
  test.use({ hostName, browserArguments: [`--host-resolver-rules=MAP ${hostName} 127.0.0.1`] });

  test('a host without a certificate does the lesson’s run, without locks and crypto.subtle', async ({
    lab,
    page,
  }) => {
    await lab.open();
    expect(await page.evaluate(() => [location.hostname, isSecureContext])).toEqual([hostName, false]);
    const missing = await page.evaluate(() => {
      const { locks } = navigator as { locks?: unknown };
      const { subtle } = crypto as { subtle?: unknown };
      return [typeof locks, typeof subtle];
    });
    expect(missing).toEqual(['undefined', 'undefined']);
    await doTheLesson(lab);
    await expectTheLessonOnScreen(lab);
    const database = await lab.database();
    expect(database.problems()).toEqual([]);
    await lab.press('Copy report');
    await expect(page.getByRole('log')).toContainText('The report is selected');
    expect(await page.evaluate(() => String(getSelection()))).toContain(
      'durable events: 9 across 2 sessions',
    );
  });
});

test.describe('where the browser refuses to store anything', () => {
  test.use({ siteData: 'blocked' });

  test('the lab works in memory, says so all the time, and a killed worker loses nothing', async ({
    lab,
    page,
  }) => {
    await lab.open();
    const refused = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const opening = indexedDB.open('anything');
          opening.onsuccess = () => resolve('opened');
          opening.onerror = () => resolve('refused');
        }),
    );
    expect(refused).toBe('refused');
    const mark = lab.button(/memory only/);
    const warning = page.getByText('a reload or closing the tab loses everything');
    await expect(mark).toBeVisible();
    await expect(warning).toBeVisible();

    await lab.arm(lessonBoundary);
    await lab.press('Run to the end');
    await expect(lab.card).toContainText('The worker is dead');
    await expect(mark).toBeVisible();
    await lab.button('Resume', lab.card).click();
    await expectTheLessonOnScreen(lab);
    await expect(mark).toBeVisible();
    await expect(warning).toBeVisible();
    expect((await lab.database()).problems()).toEqual([]);

    await lab.press('Reload tab');
    await expect(lab.dialog).toContainText('A reload loses everything');
    await lab.button('Stay', lab.dialog).click();
    await expectTheLessonOnScreen(lab);
    const asked = page.waitForEvent('dialog');
    const leaving = page.reload();
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await leaving;
    await lab.ready();
    await expect(lab.region('Runs')).toContainText('No run yet');
  });
});

test('the policy of the built page names no host but its own, and the browser enforces it', async ({
  lab,
  page,
  watch,
}) => {
  await lab.open();
  const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
  expect((policy ?? '').split('; ').sort()).toEqual(
    [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "worker-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ].sort(),
  );
  await crashAsInTheLesson(lab);
  expect(watch.errors).toEqual([]);
  // And the watch that every test is under would have noticed.
  await page.evaluate(() => fetch('http://elsewhere.test/').catch(() => undefined));
  await expect.poll(() => watch.errors.join()).toContain('The page’s policy was violated: connect-src');
  watch.errors.length = 0;
});

test('all that page and workers load comes from the page’s own folder', async ({ lab, watch, address }) => {
  await lab.open();
  await doTheLesson(lab);
  await expect(lab.page.getByRole('img', { name: 'Timeline of events' })).toBeVisible();
  const urls = watch.requests.map((request) => request.url()).filter((url) => !url.startsWith('blob:'));
  expect(urls.filter((url) => !url.startsWith(address))).toEqual([]);
  // What only a worker asks for is among them: workers are watched, too.
  expect(urls.filter((url) => url.endsWith('.wasm'))).not.toEqual([]);
});

/** The built scripts that must be there before this one runs: itself and what it imports, all the way. */
async function withImports(file: string, known = new Set<string>()): Promise<ReadonlySet<string>> {
  if (known.has(file)) return known;
  known.add(file);
  const text = await readFile(join(distFolder, 'assets', file), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+\.js)"/g)) {
    await withImports(imported, known);
  }
  return known;
}

/** Bytes as a static host sends them compressed. */
async function compressed(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...files].map(async (file) => gzipSync(await readFile(join(distFolder, 'assets', file))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the first paint needs at most 45 KB of JavaScript and 15 KB of CSS, compressed', async ({
  page,
  address,
}) => {
  const html = await readFile(join(distFolder, 'index.html'), 'utf8');
  const named = (kind: string) =>
    [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].flatMap(([, file = '']) =>
      file.endsWith(kind) ? [file] : [],
    );
  const scripts = new Set<string>();
  for (const file of named('.js')) await withImports(file, scripts);
  expect(await compressed(scripts)).toBeGreaterThan(10 * 1024);
  expect(await compressed(scripts)).toBeLessThanOrEqual(45 * 1024);
  expect(await compressed(named('.css'))).toBeLessThanOrEqual(15 * 1024);

  // With these scripts alone, and none that is loaded later, the page paints its head and its screens' names.
  await page.route(/assets\/.*\.js$/, (route) => {
    const file = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    return scripts.has(file) || named('.js').includes(file) ? route.continue() : new Promise(() => undefined);
  });
  await page.goto(`${address}#/lab`, { waitUntil: 'commit' });
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
});
