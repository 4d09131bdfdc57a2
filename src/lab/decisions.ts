/**
 * Owns: what a person decides about a run on screen: an approval, a doubt, not to wait, to try again, to go on under a
 * changed workflow; and that the run goes on after that, if it was on its way.
 * Leaves: whether the decision still counts to the engine, the cards to the components.
 */
import { tick } from 'svelte';
import type { Approval, LabView, RunView } from '../bridge/views.ts';
import type { Client } from '../bridge/client.ts';
import type { Answer } from '../bridge/client.ts';
import type { Resolution } from '../engine/doubt.ts';
import { goTo } from '../ui/go-to.ts';
import type { Lab } from './lab.svelte.ts';

/** Marks the cards on which a person decides: the focus goes from one to the next. */
export const decisionCard = 'decision';

export function decide(
  lab: Lab,
  { approvalId, argumentsHash }: Pick<Approval, 'approvalId' | 'argumentsHash'>,
  decision: 'given' | 'denied',
): Promise<void> {
  return decided(lab, (agent) => agent.request('decide', { approvalId, argumentsHash, decision }));
}

export function resolveDoubt(lab: Lab, key: string, resolution: Resolution): Promise<void> {
  return decided(lab, (agent) => agent.request('resolveDoubt', { key, resolution }));
}

export function retryRun(lab: Lab, { runId, version }: RunView['run'], more: number): Promise<void> {
  return decided(lab, (agent) => agent.request('retryRun', { runId, version, more }));
}

export function adopt(lab: Lab, runId: string): Promise<void> {
  return decided(lab, (agent) => agent.request('adopt', { runId }));
}

/** Does not wait for the time of the next attempt: it is made now, by the run's way to the end or by a step. */
export async function tryNow(lab: Lab, key: string): Promise<void> {
  const view = await lab.show(
    (agent) => agent.request('tryNow', { key }),
    () => void tryNow(lab, key),
  );
  if (view === null) return;
  void lab.stepping.step();
  await giveFocusOn();
}

/** The attempt that is on screen. Then what failed is asked for again. */
export async function takeOver(lab: Lab, key: string, again: (() => void) | null): Promise<void> {
  const fence = lab.run?.intents.find((intent) => intent.key === key)?.attempts.at(-1)?.fence;
  if (fence === undefined) return;
  const view = await lab.show((agent) => agent.request('takeOver', { key, fence }));
  if (view === null) return;
  const taken = view.selected?.intents.find((intent) => intent.key === key);
  if (taken?.state === 'pending') again?.();
  await giveFocusOn();
}

async function decided(lab: Lab, request: (agent: Client) => Promise<Answer<LabView>>): Promise<void> {
  const view = await lab.show(request, () => void decided(lab, request));
  if (view === null) return;
  void lab.stepping.goOn(view);
  await giveFocusOn();
}

/** The card that had the focus is gone: on to the next decision, or to the controls. */
export async function giveFocusOn(): Promise<void> {
  await tick();
  if (document.activeElement !== document.body) return;
  const next = document.querySelector(`.${decisionCard} h2`);
  goTo(next === null ? '#step' : `.${decisionCard} h2`);
}
