/**
 * Owns: mistake E8, the classification is left to a model and what it says is believed. A model that is no model: it
 * answers wrongly, in words, and with an action that is none, in turn. No check stands between its words and the tables.
 */
import { saveCheckpoint } from '../engine/checkpoint.ts';
import { step, takeUp } from '../engine/runner.ts';
import type { Step, Variant } from './variant.ts';

/** What it says of the tickets, by the last digit of their numbers. */
const answers = [
  'normal',
  'urgent!!',
  '{"priority": "critical"',
  'close_ticket',
  'normal',
  'urgent',
] as const;

function newSession(): Step {
  return async (engine, runId) => {
    const ready = await takeUp(engine, runId);
    if (!ready.ok) return ready;
    const { run, action, context } = ready.value;
    if (action.name !== 'classify_priority') return step(engine, runId);
    const said = answers[Number(run.ticketId.slice(-1)) % answers.length] ?? 'normal';
    // The mistake: it is stored as it was said.
    return saveCheckpoint(engine, run, action.name, {
      status: 'running',
      nextAction: action.next,
      context: { ...context, priority: said },
    });
  };
}

export const ruleAsAgent: Variant = {
  id: 'e8',
  title: 'What a model says is believed',
  newSession,
};
