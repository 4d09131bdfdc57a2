/**
 * Owns: going back in time: forking the run on screen, replaying it, and looking at its parent.
 * Leaves: the fork to the engine, the replay to a worker of its own, what is on screen to lab.svelte.ts.
 */
import { firstDifference, otherDifferences, recordingFrom } from '../bridge/recording.ts';
import { replayIn } from '../bridge/replay-client.ts';
import type { PastRun } from '../bridge/past.ts';
import type { RunView } from '../bridge/views.ts';
import type { Failure } from '../engine/failure.ts';
import type { AgentEvent } from '../engine/records.ts';
import type { Lab } from './lab.svelte.ts';

/** What became of a replay, and of which run at which length: another one is no longer spoken of. */
export interface Replay {
  readonly runId: string;
  readonly events: number;
  readonly version: number;
  readonly told:
    | { readonly type: 'running' }
    | { readonly type: 'same'; readonly count: number }
    /** `at`: index of the first event that differs; null: the events are the same, these rows are not. */
    | {
        readonly type: 'differs';
        readonly at: number | null;
        readonly recorded: readonly AgentEvent[];
        readonly replayed: readonly AgentEvent[];
        readonly rows: readonly string[];
        readonly stuck: string | null;
      }
    | { readonly type: 'failed'; readonly failure: Failure };
}

export class Branching {
  #replay = $state.raw<Replay | null>(null);
  /** Ends the replay that is under way. */
  #stop = new AbortController();
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Null: none, or it was of another run, or of this one before it went on. */
  replay = $derived.by((): Replay | null => {
    const { run } = this.#lab;
    const same = this.#replay?.runId === run?.run.runId && this.#replay?.events === run?.events.length;
    return same ? this.#replay : null;
  });

  /** Why nothing can be forked from here, in words; null: it can. */
  get whyNoFork(): string | null {
    const at = this.#lab.past.current;
    if (!this.#lab.live) return 'No worker is alive.';
    if (!at) return 'There is no run.';
    const { version } = at.run.run;
    if (!at.checkpoint?.context)
      return `Version ${version} was not recorded here, so nothing can begin from it.`;
    if (at.checkpoint.nextAction === null)
      return 'Nothing is left to do at this checkpoint: choose an earlier one.';
    return null;
  }

  /** Why nothing can be replayed from here, in words; null: it can. */
  get whyNoReplay(): string | null {
    const recorded = this.#recorded();
    return recorded?.type === 'recording' ? null : (recorded?.why ?? 'There is no run.');
  }

  #recorded() {
    const { run, past } = this.#lab;
    return run && past.current ? recordingFrom(run, past.current) : null;
  }

  /** Null: it is done, and the fork is on screen. `contextJson` null: as it was at the checkpoint. */
  async fork({ run }: PastRun, contextJson: string | null): Promise<Failure | null> {
    const lab = this.#lab;
    const { runId, version } = run.run;
    lab.pause();
    const forked = await lab.worker.ask((agent) => agent.request('fork', { runId, version, contextJson }));
    if (forked === null) return { type: 'WorkerLost', reason: 'no worker is alive' };
    if (!forked.ok) {
      // It is told in the dialog that asked.
      if (lab.worker.trouble?.failure === forked.failure) lab.worker.trouble = null;
      return forked.failure;
    }
    lab.receive(forked.value);
    lab.showTicket(null);
    lab.restarts.begun();
    lab.said = `${lab.run?.run.runId ?? 'The fork'} begins at version ${version} of ${runId}.`;
    return null;
  }

  async replayFromHere(): Promise<void> {
    const { run } = this.#lab;
    const recorded = this.#recorded();
    if (run === null || recorded?.type !== 'recording' || this.replay?.told.type === 'running') return;
    const { recording } = recorded;
    const about = { runId: run.run.runId, events: run.events.length, version: recording.run.version };
    // One at a time: that of another run is told of no more.
    this.dismiss();
    this.#stop = new AbortController();
    this.#replay = { ...about, told: { type: 'running' } };
    const result = await replayIn(this.#lab.ports.newExplorer, recording, this.#stop.signal);
    if (result === null) return;
    const told = result.ok
      ? judged(run, recording.before, result.value)
      : ({ type: 'failed', ...result } as const);
    this.#replay = { ...about, told };
    if (told.type === 'same') this.#lab.said = `Replayed: the same ${told.count} events.`;
    if (told.type === 'differs') this.#lab.said = 'Replayed: something differs.';
  }

  /** Ends it, where it is under way. */
  dismiss(): void {
    this.#stop.abort();
    this.#replay = null;
  }

  /** The run that this one was forked from; null: it is gone. */
  async parentOf({ parent }: RunView): Promise<RunView | null> {
    if (parent === null) return null;
    const { runId } = parent;
    const found = await this.#lab.worker.ask((agent) => agent.request('look', { runId }));
    return found?.ok ? found.value : null;
  }
}

function judged(
  run: RunView,
  before: number,
  replayed: Parameters<typeof otherDifferences>[1],
): Replay['told'] {
  const at = firstDifference(run.events, replayed.events);
  const rows = otherDifferences(run, replayed);
  if (at === null && rows.length === 0) return { type: 'same', count: run.events.length - before };
  const { events, stuck } = replayed;
  return { type: 'differs', at, recorded: run.events, replayed: events, rows, stuck };
}
