/**
 * Owns: going on with a run: starting it, one step, to the end at a pace, taking it up after a restart, going on after a
 * person's decision.
 * Leaves: what is on screen, and a death in the middle, to lab.svelte.ts; the decisions to decisions.ts.
 * Invariant: each request goes on from the version that was seen (R3): the one on screen when the person pressed, then
 * the one that the last reply told. What another tab saved in between is a conflict, not a step further.
 */
import type { LabView } from '../bridge/views.ts';
import { millisecondsUntil } from './due.ts';
import { keepWithin } from './keep-within.ts';
import { writeKept, type LastCrash } from './kept.ts';
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
  /** The run that was on its way to the end when a person had to decide: after that it goes on. */
  goesOn: string | null = null;
  /** The wait for a call's next attempt, and until when. */
  #nap: { readonly until: string | null; readonly end: AbortController } | null = null;
  /** Counts the databases that were put in the place of the one before. */
  #databases = 0;
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  async step(): Promise<void> {
    const { run, ticketId } = this.#lab;
    if (this.activity.type !== 'idle' || !this.#lab.canStep || this.#millisecondsToDue() > 0) return;
    this.#setGoesOn(null);
    await this.#busy({ type: 'working' }, async () => {
      if (run === null) await this.#start(ticketId, null, () => void this.step());
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
    this.#setGoesOn(null);
    await this.#busy({ type: 'running', pace }, async () => {
      let run = from ?? (await this.#start(ticketId, null, again));
      while (run?.status === 'running' && run.nextAction !== null) {
        if (!(await this.#untilDue(pace.signal))) return;
        run = (await this.#stepOnce(run, again)) ?? this.#notDueAfterAll(run);
      }
      const stopped = run?.status === 'waiting' || run?.status === 'failed';
      if (stopped && !pace.signal.aborted) this.#setGoesOn(run?.runId ?? null);
    });
  }

  pause(): void {
    if (this.activity.type === 'running') this.activity.pace.abort();
  }

  /** `workflow`: its name; null: the lesson's. */
  async startAnother(ticketId: string, workflow: string | null = null): Promise<void> {
    if (this.activity.type !== 'idle') return;
    const again = (): void => void this.startAnother(ticketId, workflow);
    await this.#busy({ type: 'working' }, async () => void (await this.#start(ticketId, workflow, again)));
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
      if (view === null) this.#lab.restarts.lookFirst();
      else this.#lab.restarts.takenUp(runId);
    });
    if (this.#lab.restarts.current?.plan.type === 'resumed') await this.runToEnd(seenIn(view, runId));
  }

  /** A person has decided: the run on screen goes on, if it was on its way when it stopped for that. */
  async goOn({ selected }: LabView): Promise<void> {
    const run = selected?.run;
    if (run?.status === 'running' && run.runId === this.goesOn) await this.runToEnd(run);
  }

  /** What the lab shows has changed: a wait for an attempt that is due at another time now is over. */
  look(): void {
    if (this.#nap !== null && this.#lab.dueAtUtc !== this.#nap.until) this.#nap.end.abort();
  }

  /** Another database is there: a step that is still under way belongs to one that is gone, and its end is no news. */
  replaced(): void {
    this.#databases += 1;
  }

  /** The worker is gone, and with it whatever was under way. */
  end(): void {
    this.pause();
    this.starting = null;
    this.activity = { type: 'idle' };
  }

  /** The run as it was stored; null when it could not be started. */
  async #start(ticketId: string, workflow: string | null, again: () => void): Promise<Seen | null> {
    const lab = this.#lab;
    this.#setGoesOn(null);
    this.starting = { ticketId, runs: lab.view?.counts.runs ?? 0 };
    const params = workflow === null ? { ticketId } : { ticketId, workflow };
    const view = await lab.show((agent) => agent.request('start', params), again);
    if (!lab.worker.alive) return null;
    this.starting = null;
    if (view === null) return null;
    lab.showTicket(null);
    lab.restarts.begun();
    void lab.persistence.started();
    return view.selected?.run ?? null;
  }

  /** The run as the reply tells it; null when the step failed. */
  async #stepOnce({ runId, version }: Seen, again: () => void): Promise<Seen | null> {
    const database = this.#databases;
    const { worker } = this.#lab;
    const view = await this.#lab.show(
      (agent) => agent.request('step', { runId, version }),
      this.#ifShown(runId, again),
    );
    if (view !== null) this.#lab.restarts.takenUp(runId);
    const conflict = worker.trouble?.failure.type === 'StateConflict';
    if (view === null && conflict && database !== this.#databases) worker.trouble = null;
    const run = seenIn(view, runId);
    if (run?.status === 'completed' || run?.status === 'failed') void keepWithin(this.#lab);
    return run;
  }

  /** Of the run on screen; 0: a step would do something. */
  #millisecondsToDue(): number {
    const until = this.#lab.dueAtUtc;
    return until === null ? 0 : millisecondsUntil(until, this.#lab.ports.now());
  }

  /** After the pace, and not before a call is due again. False: it was paused meanwhile. */
  async #untilDue(paused: AbortSignal): Promise<boolean> {
    const { settings, reducedMotion, wait } = this.#lab.ports;
    if (!(await wait(paceOf(settings.current.speed, reducedMotion()), paused))) return false;
    for (let left = this.#millisecondsToDue(); left > 0; left = this.#millisecondsToDue()) {
      const end = new AbortController();
      this.#nap = { until: this.#lab.dueAtUtc, end };
      await wait(left, AbortSignal.any([paused, end.signal]));
      this.#nap = null;
      if (paused.aborted) return false;
    }
    return true;
  }

  /** A timer may be a millisecond early: the run is looked at again. Null: the step failed for another reason. */
  #notDueAfterAll(run: Seen): Seen | null {
    const { worker } = this.#lab;
    if (worker.trouble?.failure.type !== 'AttemptNotDue') return null;
    worker.trouble = null;
    return run;
  }

  #setGoesOn(runId: string | null): void {
    if (this.goesOn === runId) return;
    this.goesOn = runId;
    void writeKept(this.#lab.ports.keep, 'goesOn', runId);
  }

  /** What was about one run is not done to another, nor to a new one. */
  #ifShown(runId: string, again: () => void): () => void {
    return () => {
      if (this.#lab.run?.run.runId !== runId) return;
      this.#lab.worker.trouble = null;
      again();
    };
  }

  /** What goes on, goes on from what is stored now: the screen shows that first. */
  async #busy(activity: Activity, work: () => Promise<void>): Promise<void> {
    this.#lab.past.toLive();
    this.#lab.restarts.cancel();
    this.activity = activity;
    await work();
    if (this.activity === activity) this.activity = { type: 'idle' };
  }
}

function seenIn(view: LabView | null, runId: string): Seen | null {
  return view?.runs.find((run) => run.runId === runId) ?? null;
}
