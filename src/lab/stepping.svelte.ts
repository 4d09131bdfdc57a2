/**
 * Owns: going on with a run: starting it, one step, to the end at a pace, taking it up after a restart.
 * Leaves: what is on screen, and a death in the middle, to lab.svelte.ts.
 * Invariant: each request goes on from the version that was seen (R3): the one on screen when the person pressed, then
 * the one that the last reply told. What another tab saved in between is a conflict, not a step further.
 */
import type { LabView } from '../bridge/views.ts';
import type { LastCrash } from './kept.ts';
import type { Lab } from './lab.svelte.ts';
import { paceOf } from './pace.ts';

export type Activity =
  | { readonly type: 'idle' }
  | { readonly type: 'working' }
  | { readonly type: 'running'; readonly pace: AbortController };

type Seen = LabView['runs'][number];

export class Stepping {
  activity = $state.raw<Activity>({ type: 'idle' });
  /** Set while a run is being started: its death leaves nothing. */
  starting: LastCrash['starting'] = null;
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  async step(): Promise<void> {
    const { run, ticketId } = this.#lab;
    if (this.activity.type !== 'idle' || !this.#lab.canStep) return;
    await this.#busy({ type: 'working' }, async () => {
      if (run === null) await this.#start(ticketId, () => void this.step());
      else await this.#stepOnce(run.run, () => void this.step());
    });
  }

  /** `seen`: from a version that a reply has just told; null: from what is on screen. */
  async runToEnd(seen: Seen | null = null): Promise<void> {
    const from = seen ?? this.#lab.run?.run ?? null;
    const { ticketId } = this.#lab;
    if (this.activity.type !== 'idle' || !this.#lab.canStep) return;
    const pace = new AbortController();
    const again = (): void => void this.runToEnd();
    await this.#busy({ type: 'running', pace }, async () => {
      let run = from ?? (await this.#start(ticketId, again));
      while (run?.status === 'running' && run.nextAction !== null) {
        const { settings, reducedMotion, wait } = this.#lab.ports;
        if (!(await wait(paceOf(settings.current.speed, reducedMotion()), pace.signal))) return;
        run = await this.#stepOnce(run, again);
      }
    });
  }

  pause(): void {
    if (this.activity.type === 'running') this.activity.pace.abort();
  }

  async startAnother(ticketId: string): Promise<void> {
    if (this.activity.type !== 'idle') return;
    const again = (): void => void this.startAnother(ticketId);
    await this.#busy({ type: 'working' }, async () => void (await this.#start(ticketId, again)));
  }

  /** A person resumes the run on screen. */
  async resume(): Promise<void> {
    this.#lab.restarts.cancel();
    await this.#lab.restarts.byHand();
    await this.takeUp();
  }

  /** Takes the run on screen up in this session, and goes on with it. */
  async takeUp(): Promise<void> {
    const run = this.#lab.run?.run;
    if (run === undefined || this.activity.type !== 'idle') return;
    const { runId, version } = run;
    let view: LabView | null = null;
    await this.#busy({ type: 'working' }, async () => {
      view = await this.#lab.show(
        (agent) => agent.request('resume', { runId, version }),
        this.#ifShown(runId, () => void this.takeUp()),
      );
      if (view !== null) this.#lab.restarts.takenUp(runId);
    });
    if (this.#lab.restarts.current?.plan.type === 'resumed') await this.runToEnd(seenIn(view, runId));
  }

  /** The worker is gone, and with it whatever was under way. */
  end(): void {
    this.pause();
    this.starting = null;
    this.activity = { type: 'idle' };
  }

  /** The run as it was stored; null when it could not be started. */
  async #start(ticketId: string, again: () => void): Promise<Seen | null> {
    const lab = this.#lab;
    this.starting = { ticketId, runs: lab.view?.counts.runs ?? 0 };
    const view = await lab.show((agent) => agent.request('start', { ticketId }), again);
    if (!lab.worker.alive) return null;
    this.starting = null;
    if (view === null) return null;
    lab.showTicket(null);
    lab.restarts.begun();
    void lab.started();
    return view.selected?.run ?? null;
  }

  /** The run as the reply tells it; null when the step failed. */
  async #stepOnce({ runId, version }: Seen, again: () => void): Promise<Seen | null> {
    const view = await this.#lab.show(
      (agent) => agent.request('step', { runId, version }),
      this.#ifShown(runId, again),
    );
    if (view !== null) this.#lab.restarts.takenUp(runId);
    return seenIn(view, runId);
  }

  /** What was about one run is not done to another, nor to a new one. */
  #ifShown(runId: string, again: () => void): () => void {
    return () => {
      if (this.#lab.run?.run.runId !== runId) return;
      this.#lab.worker.trouble = null;
      again();
    };
  }

  async #busy(activity: Activity, work: () => Promise<void>): Promise<void> {
    this.#lab.restarts.cancel();
    this.activity = activity;
    await work();
    if (this.activity === activity) this.activity = { type: 'idle' };
  }
}

function seenIn(view: LabView | null, runId: string): Seen | null {
  return view?.runs.find((run) => run.runId === runId) ?? null;
}
