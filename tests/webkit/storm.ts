/** Owns: a storm in WebKit: the harness of tests/torture in two tabs, whose workers are killed and whose pages reload. */
import assert from 'node:assert/strict';
import { setTimeout as elapsed } from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';
import { prepareGround } from '../torture/ground.ts';
import { judge } from '../torture/judge.ts';
import type { Life, TorturePage } from '../torture/messages.ts';
import type { WebDriver, WindowHandle } from './webdriver.ts';

const deaths = 30;
const storage = 'storage1';

export async function storm(driver: WebDriver): Promise<void> {
  const { host, reports, close } = await prepareGround();
  const random = seededRandom(5);
  const tabs: WindowHandle[] = [];
  const open = async (number: number, show: boolean): Promise<WindowHandle> => {
    const tab = await driver.newTab();
    await driver.switchTo(tab);
    const asked = {
      tab: `${storage}-${number}`,
      seed: String(number),
      storage,
      ...(show ? { show: '' } : {}),
    };
    await driver.open(`${host}?${new URLSearchParams(asked).toString()}`);
    return tab;
  };
  const ask = async (tab: WindowHandle, what: keyof TorturePage): Promise<Life> => {
    await driver.switchTo(tab);
    return driver.run((name) => {
      const { torture } = window as unknown as { torture: TorturePage };
      const life = torture.life();
      torture[name]();
      return life;
    }, what);
  };

  for (const number of [1, 2]) tabs.push(await open(number, false));
  for (let death = 1; death <= deaths; death += 1) {
    await elapsed(random.below(700));
    const tab = tabs[random.below(tabs.length)] ?? '';
    await driver.switchTo(tab);
    if (random.below(3) === 0) await driver.reload();
    else await ask(tab, 'kill');
  }
  const ableToShow: WindowHandle[] = [];
  for (const tab of tabs) {
    const stopped = reports.stopped(await ask(tab, 'life'));
    await ask(tab, 'stop');
    // False: its last worker was so young that it had not opened yet.
    const can = await stopped;
    assert.notEqual(can, null, 'a tab does not stop');
    if (can === true) ableToShow.push(tab);
  }
  const held: (Buffer | null)[] = [];
  for (const tab of ableToShow) {
    const image = reports.image(await ask(tab, 'life'));
    await ask(tab, 'show');
    held.push(await image);
  }
  const last = reports.image(`${storage}-3.1`);
  await open(3, true);
  const stored = await last;
  await close();

  assert.ok(stored, 'what is stored does not open');
  const { unacknowledged, ...found } = await judge(stored, reports.claims(storage));
  assert.deepEqual(found, { lost: [], doubled: [], torn: [], belied: [] });
  assert.deepEqual([...reports.torn, ...reports.faults], []);
  for (const image of held) assert.ok(image?.equals(stored), 'a tab holds another image than the stored one');
  assert.ok(reports.acknowledged > 20, `only ${reports.acknowledged} acknowledged`);
  console.log(
    `  ${reports.acknowledged} acknowledged, ${unacknowledged} stored and never acknowledged, ${reports.folded} folds, ${deaths} deaths`,
  );
}
