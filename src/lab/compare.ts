/**
 * Owns: a fork beside its parent: what each did after the checkpoint that they share, and where that first differs.
 * Leaves: showing it to CompareDialog.svelte.
 */
import { jsonChanges, type Change } from '../bridge/diff.ts';
import type { RunView } from '../bridge/views.ts';
import type { AgentEvent } from '../engine/records.ts';

export interface Comparison {
  readonly parent: readonly AgentEvent[];
  readonly fork: readonly AgentEvent[];
  /** Index of the first pair that is not of the same type and action; null: as far as both go, all are. */
  readonly differsAt: number | null;
  /** Where the contexts differ, as they are now: the parent's before, the fork's after. */
  readonly context: readonly Change[];
}

/** `version`: of the parent, where the fork began. Versions, keys and times are each run's own and not compared. */
export function compareRuns(parent: RunView, fork: RunView, version: number): Comparison {
  const at = parent.events.findIndex(
    ({ eventType, detail }) => eventType === 'checkpoint_saved' && detail === `version ${version}`,
  );
  // A session that takes a run up does nothing else by that.
  const own = (events: readonly AgentEvent[]) =>
    events.filter(({ eventType }) => eventType !== 'run_resumed');
  const left = own(parent.events.slice((version === 0 ? 0 : at) + 1));
  const right = own(fork.events.slice(1));
  const both = Math.min(left.length, right.length);
  const same = (index: number) =>
    left[index]?.eventType === right[index]?.eventType && left[index]?.action === right[index]?.action;
  const differing = Array.from({ length: both }, (_, index) => index).find((index) => !same(index));
  const differsAt = differing ?? (left.length === right.length ? null : both);
  return { parent: left, fork: right, differsAt, context: contextChanges(parent, fork) };
}

function contextChanges(parent: RunView, fork: RunView): readonly Change[] {
  const [before, after] = [objectIn(parent.run.contextJson), objectIn(fork.run.contextJson)];
  return before && after ? jsonChanges('context', before, after) : [];
}

type Context = Parameters<typeof jsonChanges>[1];

function objectIn(text: string): Context | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Context) : null;
  } catch {
    return null;
  }
}
