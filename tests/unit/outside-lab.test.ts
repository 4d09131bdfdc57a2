/** Holds the lab's commands while a call of the world outside is under way: in this tab, and in another one. */
import { beforeAll, expect, test } from 'vitest';
import type { LabView } from '../../src/bridge/views.ts';
import { DeskRules, defaultDeskSettings } from '../../src/world/desk-settings.ts';
import { openLab } from '../support/lab.ts';
import type { Parts } from '../support/lives.ts';
import { must, testParts } from '../support/lives.ts';

let parts: Parts;
beforeAll(async () => {
  parts = await testParts();
});

/** A lab in the middle of a call that nobody answers, and the instant at which that has left. */
async function inACall() {
  const rules = new DeskRules();
  rules.set({ ...defaultDeskSettings, trouble: 'loses_answer', troubleTimes: 'always' });
  let called = (): void => undefined;
  const calling = new Promise<void>((resolve) => (called = resolve));
  const lab = await openLab(parts, undefined, { desk: { rules }, calling: () => called() });
  let view: LabView = must(await lab.server.handlers.start({ ticketId: 'T104', workflow: 'dispatch' }));
  const run = () => {
    if (view.selected === null) throw new Error('no run is selected');
    return view.selected.run;
  };
  view = must(await lab.server.handlers.step(run()));
  let turnEnded = false;
  void lab.server.handlers.step(run(), () => (turnEnded = true));
  await calling;
  return { lab, run: run(), hasEndedItsTurn: () => turnEnded };
}

test('a step lets the next command have its turn as soon as its call has left', async () => {
  const { lab, run, hasEndedItsTurn } = await inACall();
  expect(hasEndedItsTurn()).toBe(true);
  const view = await lab.server.view();
  expect(view.selected?.intents).toMatchObject([{ state: 'pending', isOut: true, attempts: [{ fence: 1 }] }]);
  // A second step of the same worker sends nothing.
  expect(await lab.server.handlers.step(run)).toMatchObject({ ok: false, failure: { type: 'CallInFlight' } });
  await lab.close();
});

test('a run whose call is out in a tab that lives is not taken up by another one, by any command', async () => {
  const { lab, run } = await inACall();
  const owners = {
    stateOf: () => Promise.resolve('alive' as const),
    hold: () => Promise.resolve(),
    letGo: () => undefined,
  };
  const other = await openLab(parts, lab.storage, { owners });
  for (const command of ['resume', 'step'] as const) {
    const refused = await other.server.handlers[command](run);
    expect(refused).toMatchObject({ ok: false, failure: { type: 'ClaimedElsewhere', alive: true } });
  }
  const view = await other.server.view();
  expect(view.selected?.events.map(({ eventType }) => eventType)).not.toContain('run_resumed');
  await other.close();
  await lab.close();
});
