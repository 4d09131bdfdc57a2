/**
 * Owns: `npm run test:webkit`: the built page in WebKitGTK, Debian's or another's, over WebDriver. Its storage is the
 * browser's real one, but for this session only: WebKit gives a driven browser no lasting profile.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeRestart, lessonBoundary, lessonEvents, lessonReport } from '../e2e/the-lesson.ts';
import { distFolder, serveDist } from '../support/static-server.ts';
import { Lab } from './lab.ts';
import { missing, WebDriver } from './webdriver.ts';
import { storm } from './storm.ts';

const held = ['I1 ok', 'I2 ok', 'I3 ok', 'I4 ok', 'I5 ok', 'I6 ok', 'I7 ok', 'I8 ok'];

interface Ground {
  readonly driver: WebDriver;
  /** A tab of its own. */
  newLab(): Promise<Lab>;
  /** The page's address, under an origin that no other test has. */
  readonly address: string;
}

const tests: Readonly<Record<string, (ground: Ground) => Promise<void>>> = {
  'T104 crashes at the lesson’s boundary, the tab reloads, and the run resumes by itself and completes':
    async ({ newLab, address }) => {
      const lab = await newLab();
      await lab.open(address);
      await lab.arm(lessonBoundary);
      await lab.acrossReload(() => lab.press('Run to the end'));
      const crashed = await lab.until('what was stored', ({ card }) => card.includes(beforeRestart));
      assert.ok(crashed.card.includes(`killed at ${lessonBoundary}`), crashed.card);
      await expectTheLesson(lab);
      await lab.reload();
      await expectTheLesson(lab);
    },

  'a reload in the middle of a run is resumed by hand': async ({ newLab, address }) => {
    const lab = await newLab();
    await lab.open(address);
    await lab.press('Step');
    await lab.until('version 0', ({ runs }) => runs.includes('run-T104 running v0'));
    await lab.press('Step');
    await lab.until('version 1', ({ runs }) => runs.includes('run-T104 running v1'));
    await lab.reload();
    await lab.press('Resume');
    const done = await lab.until('the end', ({ runs }) => runs.includes('run-T104 completed v4'));
    assert.deepEqual(done.invariants, held);
  },

  'what one tab writes is seen in the other, and both take turns on one run': async ({ newLab, address }) => {
    const one = await newLab();
    await one.open(address);
    await one.press('Step');
    await one.until('version 0', ({ runs }) => runs.includes('run-T104 running v0'));
    const other = await newLab();
    await other.open(address);
    await other.press('Look first');
    await one.press('Step');
    await other.until('version 1', ({ runs }) => runs.includes('run-T104 running v1'));
    for (const [lab, version] of [
      [other, 2],
      [one, 3],
      [other, 4],
    ] as const) {
      await lab.press('Step');
      for (const seen of [one, other])
        await seen.until(`version ${version}`, ({ runs }) => runs.some((run) => run.endsWith(`v${version}`)));
    }
    const done = await one.until('the invariants', ({ invariants }) => invariants.length === held.length);
    assert.deepEqual(done.invariants, held);
    assert.deepEqual(new Set(done.events.map(({ session }) => session)), new Set(['session-1', 'session-2']));
  },

  'tabs that write at random while workers are killed and pages reload lose nothing acknowledged': ({
    driver,
  }) => storm(driver),
};

async function expectTheLesson(lab: Lab): Promise<void> {
  const done = await lab.until(
    'the end',
    ({ runs, events }) => runs.includes('run-T104 completed v4') && events.length === lessonEvents.length,
  );
  assert.deepEqual(done.events, lessonEvents);
  assert.deepEqual(done.invariants, held);
  assert.deepEqual(done.report.slice(1), lessonReport);
}

/** The exit code. */
export async function testWebKit(): Promise<number> {
  const what = missing();
  if (what !== null) throw new Error(what);
  if (!existsSync(join(distFolder, 'index.html'))) throw new Error('There is no built page: npm run build');
  const server = await serveDist('/');
  const driver = await WebDriver.start();
  console.log(`WebKitGTK ${driver.version}`);
  let passed = 0;
  let number = 0;
  for (const [name, test] of Object.entries(tests)) {
    number += 1;
    const address = `http://t${number}.localhost:${server.port}/`;
    const newLab = async (): Promise<Lab> => new Lab(driver, await driver.newTab());
    try {
      await test({ driver, newLab, address });
      passed += 1;
      console.log(`✓ ${name}`);
    } catch (error) {
      console.log(`✗ ${name}\n  ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await driver.end();
  await server.close();
  console.log(`${passed} passed, ${number - passed} failed`);
  return passed === number ? 0 : 1;
}
