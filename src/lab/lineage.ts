/**
 * Owns: the runs as a tree of forks: every run once, under the one that it was forked from.
 * Leaves: showing it to RunList.svelte.
 */
import type { LabView } from '../bridge/views.ts';

type Run = LabView['runs'][number];

export interface Branch {
  readonly run: Run;
  /** Where it was forked; null: it was started. `isGone`: its parent was deleted since. */
  readonly from: { readonly runId: string; readonly version: number; readonly isGone: boolean } | null;
  readonly forks: readonly Branch[];
}

interface Grown extends Branch {
  readonly forks: Grown[];
}

/** Deeper forks stand beside their parent, so that there is room for their names. */
const deepest = 8;

/** Runs, and forks of one run, in the order in which they began. */
export function lineageOf({ runs, parents }: Pick<LabView, 'runs' | 'parents'>): readonly Branch[] {
  const known = new Set(runs.map(({ runId }) => runId));
  // A run from elsewhere may be called `constructor`.
  const parentOf = ({ runId }: Run) => (Object.hasOwn(parents, runId) ? parents[runId] : undefined);
  const children = new Map<string, Run[]>();
  const roots: Run[] = [];
  for (const run of runs) {
    const parent = parentOf(run)?.runId;
    if (parent === undefined || !known.has(parent)) roots.push(run);
    else children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const placed = new Set<string>();
  const tree: Grown[] = [];
  // A chain of forks may be as long as a file from elsewhere makes it: no recursion.
  function grow(from: readonly Run[]): void {
    const waiting = from.toReversed().map((run) => ({ run, depth: 1, into: tree }));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { run, depth, into } = next;
      if (placed.has(run.runId)) continue;
      placed.add(run.runId);
      const parent = parentOf(run);
      const branch: Grown = {
        run,
        from: parent ? { ...parent, isGone: !known.has(parent.runId) } : null,
        forks: [],
      };
      into.push(branch);
      const below = depth < deepest ? { depth: depth + 1, into: branch.forks } : { depth, into };
      for (const fork of (children.get(run.runId) ?? []).toReversed()) waiting.push({ run: fork, ...below });
    }
  }
  grow(roots);
  // A file from elsewhere may hold runs that are forks of each other: those are shown, too.
  grow(runs.filter(({ runId }) => !placed.has(runId)));
  return tree;
}
