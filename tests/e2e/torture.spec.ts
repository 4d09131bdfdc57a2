/**
 * Owns: the property that all of storage is for, in real tabs: ten seconds of what `npm run torture` does for as long as
 * one likes, and then the death of the whole browser.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../support/random.ts';
import { prepareGround } from '../torture/ground.ts';
import { Storm } from '../torture/storm.ts';
import { launch } from './browsers.ts';
import { expect, test } from './fixtures.ts';

test('tabs that write at random while some are killed lose nothing acknowledged', async ({
  browserName,
  projectArguments,
}) => {
  test.skip(
    !existsSync('/proc/self/stat'),
    'What is to be killed is found in /proc, and there is none here.',
  );
  const profile = await mkdtemp(join(tmpdir(), 'crashpoint-torture-'));
  const ground = await prepareGround();
  const { reports, host } = ground;
  const storm = new Storm({
    launch: () =>
      launch(profile, {
        browserName: browserName === 'firefox' ? 'firefox' : 'chromium',
        browserArguments: projectArguments,
        siteData: 'allowed',
        motion: 'reduce',
      }),
    profile,
    host,
    reports,
    random: seededRandom(3),
    tabs: 3,
    sabotage: 'none',
  });
  // However slow the machine is: so many acknowledged commits are to be put at risk.
  await storm.rage(10_000, 20);
  await storm.kill('browser');
  await storm.end();
  await ground.close();
  await rm(profile, { recursive: true, force: true, maxRetries: 10 });

  expect(storm.details, 'what was lost, doubled or torn').toEqual([]);
  expect([...reports.torn, ...reports.faults], 'what the tabs have met').toEqual([]);
  expect(reports.acknowledged).toBeGreaterThan(20);
  expect(storm.found.checks).toBe(2);
});
