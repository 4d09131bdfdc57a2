/**
 * Owns: the one cursor of the lab: the event that strip, timeline, tables and panes show together, or LIVE.
 * Leaves: what was stored then to bridge/past.ts; going on, which is always with what is stored now, to
 * stepping.svelte.ts.
 */
import { commitsOf } from '../bridge/commits.ts';
import { asOf, checkpointsFrom, oneCommitEarlier, pastOf, pastView, type PastRun } from '../bridge/past.ts';
import type { LabView, RunView } from '../bridge/views.ts';
import { eventPosition } from '../ui/event-words.ts';

/** The parts of the lab that looking back needs. */
interface Looked {
  readonly view: LabView | null;
  readonly before: LabView | null;
  readonly run: RunView | null;
  said: string;
}

export class Past {
  /** Sequence of the event at the cursor, somewhere before the last one; null: LIVE. */
  chosen = $state<number | null>(null);
  readonly #lab: Looked;

  constructor(lab: Looked) {
    this.#lab = lab;
  }

  /** Of the run on screen, all of them. */
  commits = $derived.by(() => commitsOf(this.#lab.run?.events ?? []));
  /** What was stored at the cursor; null: LIVE. */
  at = $derived.by((): PastRun | null => (this.chosen === null ? null : this.#of(this.chosen)));
  /** The run as it is shown: as it was at the cursor, else as it is. */
  run = $derived.by((): RunView | null => this.at?.run ?? this.#lab.run);
  #checkpoints = $derived.by(() => checkpointsFrom(this.#lab.run?.history ?? []));
  /** What was stored after the commit at the cursor, or is now; null: there is no run. */
  current = $derived.by((): PastRun | null => {
    const last = this.#lab.run?.events.at(-1)?.sequence;
    return this.at ?? (last === undefined ? null : this.#of(last));
  });
  /** And one commit before that; null: that was the first one. */
  earlier = $derived.by((): PastRun | null =>
    this.current === null || this.#lab.run === null
      ? null
      : oneCommitEarlier(this.#lab.run, this.current, () => this.#checkpoints),
  );
  /** The lab as it is shown, with the rows of the commit at the cursor marked. */
  view = $derived.by((): LabView | null =>
    this.at === null || this.#lab.view === null
      ? this.#lab.view
      : pastView(this.#lab.view, this.at, this.earlier),
  );
  /** As it was one commit before that. */
  before = $derived.by((): LabView | null => {
    if (this.at === null || this.#lab.view === null) return this.#lab.before;
    return this.earlier && asOf(this.#lab.view, this.earlier);
  });
  /** Place of the event at the cursor among all of them, from 1; 0: there is none. */
  position = $derived.by((): number => {
    const events = this.#lab.run?.events ?? [];
    return this.chosen === null
      ? events.length
      : events.findIndex((event) => event.sequence === this.chosen) + 1;
  });

  #of(sequence: number): PastRun | null {
    const { run } = this.#lab;
    return run && pastOf(run, sequence, () => this.#checkpoints);
  }

  /** The last event is where the run is: choosing it is LIVE. */
  choose(sequence: number): void {
    const events = this.#lab.run?.events ?? [];
    const position = events.findIndex((event) => event.sequence === sequence) + 1;
    const event = events[position - 1];
    if (event === undefined) return;
    this.chosen = position === events.length ? null : sequence;
    const where = this.chosen === null ? 'Live' : 'Viewing the past';
    this.#lab.said = `${where}: ${eventPosition(event, position, events.length)}.`;
  }

  /** So many events further; back where it is negative. */
  move(by: -1 | 1): void {
    const next = this.#lab.run?.events[this.position - 1 + by];
    if (next) this.choose(next.sequence);
  }

  toLive(): void {
    if (this.chosen === null) return;
    this.chosen = null;
    this.#lab.said = 'Back to what is stored now.';
  }

  /** Another view has come: the cursor stays on its event as long as that is there, and not the last one. */
  look(isSameRun: boolean): void {
    const events = this.#lab.run?.events ?? [];
    const known = events.slice(0, -1).some((event) => event.sequence === this.chosen);
    if (!isSameRun || !known) this.chosen = null;
  }
}
