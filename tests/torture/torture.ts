/**
 * Owns: `npm run torture -- --minutes N [--browser chromium|firefox] [--tabs N] [--seed S] [--sabotage NAME]`: the
 * storm for as long as one likes, a line a minute, the totals in the end. Fails when anything acknowledged was lost,
 * anything torn or done twice. Linux only: it kills processes that it finds in /proc.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../e2e/browsers.ts';
import { browsers, findBrowser } from '../support/find-browsers.ts';
import { seededRandom } from '../support/random.ts';
import { prepareGround } from './ground.ts';
import type { Sabotage } from './messages.ts';
import { Storm } from './storm.ts';
import type { Reports } from './reports.ts';

const sabotages: readonly Sabotage[] = ['none', 'early', 'no-base', 'twice', 'torn'];

/** Between two checks. */
const spell = 15_000;

/** The exit code. */
export async function torture(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '1' },
      browser: { type: 'string', default: 'chromium' },
      tabs: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      sabotage: { type: 'string', default: 'none' },
    },
  });
  const browser = browsers.find(({ name }) => name === values.browser);
  const sabotage = sabotages.find((name) => name === values.sabotage);
  const [minutes, tabs, seed] = [Number(values.minutes), Number(values.tabs), Number(values.seed)];
  if (!browser || !sabotage || !(minutes > 0) || !(tabs > 0) || !Number.isInteger(seed)) {
    throw new Error(
      `usage: npm run torture -- --minutes N [--browser chromium|firefox] [--tabs N] [--seed S] [--sabotage ${sabotages.join('|')}]`,
    );
  }
  const path = findBrowser(browser);
  if (path === null) throw new Error(browser.remedy);
  process.env[browser.variable] = path;

  const profile = await mkdtemp(join(tmpdir(), 'crashpoint-torture-'));
  const ground = await prepareGround();
  const storm = new Storm({
    launch: () =>
      launch(profile, {
        browserName: browser.name,
        browserArguments: [],
        siteData: 'allowed',
        motion: 'reduce',
      }),
    profile,
    host: ground.host,
    reports: ground.reports,
    random: seededRandom(seed),
    tabs,
    sabotage,
  });
  console.log(`${browser.name}, ${tabs} tabs, ${minutes} minutes, seed ${seed}, sabotage ${sabotage}`);
  const start = Date.now();
  const end = start + minutes * 60_000;
  let minute = 0;
  while (Date.now() < end && !storm.foundSomething) {
    await storm.rage(Math.min(spell, end - Date.now()));
    const passed = Math.floor((Date.now() - start) / 60_000);
    if (passed > minute) console.log(`minute ${(minute = passed)}: ${inWords(storm, ground.reports)}`);
  }
  await storm.end();
  await ground.close();
  for (const line of [...storm.details, ...ground.reports.torn, ...ground.reports.faults]) console.log(line);
  console.log(`total: ${inWords(storm, ground.reports)}; seed ${seed}`);
  const idle = ground.reports.acknowledged === 0 || storm.deaths.size === 0;
  if (idle) console.log('Nothing was acknowledged, or nobody died: this shows nothing.');
  if (!storm.foundSomething && !idle) {
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    return 0;
  }
  console.log(`The profile is kept: ${profile}`);
  return 1;
}

function inWords(
  { deaths, found }: Storm,
  { acknowledged, folded, torn, faults, failures }: Reports,
): string {
  const counts = (map: ReadonlyMap<string, number>) =>
    [...map].map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
  return [
    `${acknowledged} acknowledged, ${found.lost} lost, ${found.torn + torn.length} torn, ${found.doubled} doubled`,
    `${found.belied} stored though refused, ${faults.length} other faults`,
    `${found.unacknowledged} stored and never acknowledged, ${folded} folds, ${found.checks} checks`,
    `killed: ${counts(deaths)}`,
    `told of failures: ${counts(failures)}`,
  ].join('; ');
}
