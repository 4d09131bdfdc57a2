/**
 * Owns: what the lab screen shows and does: the view, the worker's life, steps and runs, crash and restart.
 * Leaves: what is true to the database; what to say about a restart to restart.ts; files to lab-files.svelte.ts.
 * Invariants: data reaches the screen through `receive` only; what a dead worker says is not heard.
 */
import type { Answer, Client } from '../bridge/client.ts';
import type { Push } from '../bridge/protocol.ts';
import type { LabView, RunView } from '../bridge/views.ts';
import type { Arm } from '../engine/crash.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { eventSentence } from '../ui/event-words.ts';
import type { LabPorts, StoreKind } from './lab-ports.ts';
import { readKept, writeKept, type AutoResumes, type LastCrash } from './kept.ts';
import { paceOf } from './pace.ts';
import { isUnfinished, restartAfter, storedLine } from './restart.ts';
import type { Cause, Plan, Restart } from './restart.ts';

export type Life =
  | { readonly type: 'loading'; readonly loaded: number; readonly total: number }
  | { readonly type: 'live' }
  /** The worker is gone and the tab is not (yet). */
  | { readonly type: 'dead'; readonly cause: Cause }
  | { readonly type: 'reloading'; readonly cause: Cause }
  /** The database could not be opened. */
  | { readonly type: 'closed'; readonly failure: Failure };

export type Activity =
  | { readonly type: 'idle' }
  | { readonly type: 'working' }
  | { readonly type: 'running'; readonly pace: AbortController };

/** A failure on screen, and how to try again where that makes sense. */
export interface Trouble {
  readonly failure: Failure;
  readonly retry: (() => void) | null;
}

export class Lab {
  readonly ports: LabPorts;
  life = $state.raw<Life>({ type: 'loading', loaded: 0, total: 0 });
  store = $state<StoreKind>('indexeddb');
  view = $state.raw<LabView | null>(null);
  /** The view before the last one: what changed is told against it. */
  before = $state.raw<LabView | null>(null);
  activity = $state.raw<Activity>({ type: 'idle' });
  trouble = $state.raw<Trouble | null>(null);
  restart = $state.raw<Restart | null>(null);
  arms = $state.raw<readonly Arm[]>([]);
  /** A ticket without a run is chosen; null: the selected run is shown. */
  ticketWithoutRun = $state<string | null>(null);
  /** The sequence the reader chose; null: the latest event. */
  chosenEvent = $state<number | null>(null);
  /** For screen readers: polite, and (crashes only) assertive. */
  said = $state('');
  alarm = $state('');
  persisted = $state<boolean | null>(null);
  /** A request is under way. */
  saving = $state(false);
  /** Set by the screen: the guided run wants a prediction before the next session acts. */
  predictFirst: () => boolean = () => false;

  run = $derived.by((): RunView | null =>
    this.ticketWithoutRun === null ? (this.view?.selected ?? null) : null,
  );
  ticketId = $derived(this.ticketWithoutRun ?? this.run?.run.ticketId ?? 'T104');
  unfinished = $derived(isUnfinished(this.run));
  cursor = $derived(this.chosenEvent ?? this.run?.events.at(-1)?.sequence ?? null);
  /** Step and Run would do something: a run stands in the middle, or its ticket has none. */
  canStep = $derived(
    this.life.type === 'live' && (this.run === null || (this.unfinished && this.run.obstacle === null)),
  );

  #client: Client | null = null;
  #countdown = new AbortController();
  #autoResumes: AutoResumes | null = null;
  #starting: LastCrash['starting'] = null;

  constructor(ports: LabPorts) {
    this.ports = ports;
  }

  // ---- one life of the worker

  async open(store: StoreKind = 'indexeddb', after: Cause | null = null): Promise<void> {
    this.#kill();
    this.store = store;
    this.life = { type: 'loading', loaded: 0, total: 0 };
    const kept = await readKept(this.ports.keep);
    this.arms = kept.arms;
    this.#autoResumes = kept.autoResumes;
    const selectedRunId = kept.lastCrash?.starting ? null : kept.selectedRunId;
    const { client, opened: result } = await this.ports.workers.open({
      store,
      arms: kept.arms,
      selectedRunId,
      connected: (connected) => this.#connect(connected),
    });
    if (this.#client !== client) return;
    if (!result.ok) {
      this.#kill();
      if (result.failure.type === 'StorageRefused' && store === 'indexeddb') return this.open('memory');
      this.life = { type: 'closed', failure: result.failure };
      return;
    }
    this.view = null;
    this.receive(result.value);
    this.before = null;
    this.life = { type: 'live' };
    const sameVisit = this.ports.sameVisit || after !== null;
    this.restart = restartAfter({
      view: result.value,
      cause: after ?? causeOf(kept.lastCrash) ?? { type: sameVisit ? 'reload' : 'earlier-visit' },
      lastCrash: kept.lastCrash,
      sameVisit,
      arms: kept.arms,
      autoResumes: kept.autoResumes,
      resumeAutomatically: this.ports.settings.current.resumeAutomatically,
      predictFirst: this.predictFirst(),
    });
    if (this.restart?.plan.type === 'nothing-stored')
      this.ticketWithoutRun = kept.lastCrash?.starting?.ticketId ?? null;
    if (this.restart?.stored) this.said = `Before the restart: ${storedLine(this.restart.stored)}.`;
    if (after === null && this.restart?.plan.type === 'countdown') void this.#countDown();
  }

  #kill(): void {
    this.#client?.terminate();
    this.#client = null;
  }

  #connect(client: Client): void {
    this.#client = client;
    client.onPush((push) => {
      if (this.#client === client) this.#hear(push);
    });
    client.onLost((reason) => {
      if (this.#client === client) this.#lose({ type: 'unplanned', reason });
    });
  }

  /** After a death without a reload: a new worker; `resume` goes on at once, else the card asks. */
  async reopen(resume: boolean): Promise<void> {
    const cause = this.life.type === 'dead' ? this.life.cause : null;
    await this.open(this.store, cause);
    if (this.restart?.plan.type !== 'countdown' && this.restart?.plan.type !== 'asks') return;
    this.#plan({ type: 'asks', why: 'look-first' });
    if (resume && this.canStep) await this.resume();
  }

  /** The one way for data to reach the screen. Drops a view that is not newer. */
  receive(view: LabView): void {
    if (this.view !== null && view.serial <= this.view.serial) return;
    const known = this.view?.selected;
    this.before = this.view;
    this.view = view;
    this.chosenEvent = null;
    const runId = view.selected?.run.runId ?? null;
    if (runId !== known?.run.runId) void writeKept(this.ports.keep, 'selectedRunId', runId);
    const last = view.selected?.events.at(-1);
    const isNew = last && (runId !== known?.run.runId || last.sequence !== known?.events.at(-1)?.sequence);
    if (this.before !== null && isNew) this.said = eventSentence(last);
  }

  /** One request whose reply is the lab; true when it was done. Its failure is put on screen. */
  async show(
    ask: (client: Client) => Promise<Answer<LabView>>,
    retry: (() => void) | null = null,
  ): Promise<boolean> {
    const result = await this.ask(ask, retry);
    if (!result?.ok) return false;
    this.receive(result.value);
    return true;
  }

  /** One request; null when the worker died meanwhile. */
  async ask<T>(
    ask: (client: Client) => Promise<Answer<T>>,
    retry: (() => void) | null = null,
  ): Promise<Result<T> | null> {
    const client = this.#client;
    if (client === null || this.life.type !== 'live') return null;
    this.saving = true;
    const result = await ask(client);
    this.saving = false;
    if (this.#client !== client) return null;
    if (result.ok) {
      this.trouble = null;
      return result;
    }
    if (result.view) this.receive(result.view);
    this.trouble = { failure: result.failure, retry };
    return result;
  }

  #hear(push: Push): void {
    switch (push.type) {
      case 'loading':
        if (this.life.type === 'loading') this.life = push;
        return;
      case 'changed':
        return this.receive(push.view);
      case 'halted':
        void this.#crash(push.boundary);
        return;
    }
  }

  // ---- steps and runs

  async step(): Promise<void> {
    if (this.activity.type !== 'idle' || !this.canStep) return;
    await this.#busy({ type: 'working' }, async () => {
      if (this.run === null) await this.#start(this.ticketId);
      else await this.#stepOnce(this.run.run.runId);
    });
  }

  async runToEnd(): Promise<void> {
    if (this.activity.type !== 'idle' || !this.canStep) return;
    const pace = new AbortController();
    await this.#busy({ type: 'running', pace }, async () => {
      let going = this.run !== null || (await this.#start(this.ticketId));
      while (going && this.run !== null && this.unfinished) {
        const { speed } = this.ports.settings.current;
        if (!(await this.ports.wait(paceOf(speed, this.ports.reducedMotion()), pace.signal))) return;
        going = await this.#stepOnce(this.run.run.runId);
      }
    });
  }

  pause(): void {
    if (this.activity.type === 'running') this.activity.pace.abort();
  }

  async startAnother(ticketId: string): Promise<void> {
    if (this.activity.type !== 'idle') return;
    await this.#busy({ type: 'working' }, async () => void (await this.#start(ticketId)));
  }

  async choose(runId: string): Promise<void> {
    this.cancelCountdown();
    this.pause();
    if (await this.show((agent) => agent.request('view', { selectedRunId: runId })))
      this.ticketWithoutRun = null;
  }

  async chooseTicket(ticketId: string): Promise<void> {
    const latest = this.view?.runs.findLast((run) => run.ticketId === ticketId);
    if (latest !== undefined) return this.choose(latest.runId);
    this.cancelCountdown();
    this.pause();
    this.ticketWithoutRun = ticketId;
  }

  async #start(ticketId: string): Promise<boolean> {
    this.#starting = { ticketId, runs: this.view?.counts.runs ?? 0 };
    const started = await this.show((agent) => agent.request('start', { ticketId }));
    if (this.#client === null) return false;
    this.#starting = null;
    if (!started) return false;
    this.ticketWithoutRun = null;
    this.dismissRestart();
    void this.ports.askToPersist().then((answer) => (this.persisted = answer));
    return true;
  }

  async #stepOnce(runId: string): Promise<boolean> {
    const done = await this.show(
      (agent) => agent.request('step', { runId }),
      () => void this.step(),
    );
    if (done) this.#takenUp(runId);
    return done;
  }

  async #busy(activity: Activity, work: () => Promise<void>): Promise<void> {
    this.cancelCountdown();
    this.activity = activity;
    await work();
    if (this.activity === activity) this.activity = { type: 'idle' };
  }

  // ---- crash and restart

  async arm(arms: readonly Arm[]): Promise<void> {
    const armed = await this.ask((agent) => agent.request('arm', { arms }));
    if (!armed?.ok) return;
    this.arms = arms;
    this.said = arms[0] ? `A crash is armed at ${arms[0].boundary}.` : 'No crash is armed.';
    await writeKept(this.ports.keep, 'arms', arms);
  }

  /** Stops the worker at once, whatever it is doing. */
  crashNow(): Promise<void> {
    return this.#crash(null);
  }

  async #crash(boundary: string | null): Promise<void> {
    if (this.#client === null) return;
    const lastCrash: LastCrash = {
      boundary,
      atUtc: this.ports.now(),
      session: this.view?.session ?? null,
      runId: this.run?.run.runId ?? null,
      starting: this.#starting,
    };
    const cause: Cause = causeOf(lastCrash) ?? { type: 'crash-now' };
    const reloads = this.ports.settings.current.reloadOnCrash && this.store === 'indexeddb';
    this.#lose(cause, reloads);
    this.alarm = `Crash. ${boundary === null ? 'The worker was killed.' : `The worker was killed at ${boundary}.`}`;
    this.arms = this.arms.filter((arm) => arm.every || arm.boundary !== boundary);
    await Promise.all([
      writeKept(this.ports.keep, 'lastCrash', lastCrash),
      writeKept(this.ports.keep, 'arms', this.arms),
    ]);
    if (reloads) this.ports.reload();
  }

  #lose(cause: Cause, reloads = false): void {
    this.#kill();
    this.cancelCountdown();
    this.pause();
    this.#starting = null;
    this.activity = { type: 'idle' };
    this.restart = null;
    this.life = { type: reloads ? 'reloading' : 'dead', cause };
    if (cause.type === 'unplanned') this.alarm = `The worker stopped by itself. ${cause.reason}`;
  }

  /** A person resumes: the loop guard starts anew. */
  async resume(): Promise<void> {
    this.cancelCountdown();
    const found = this.restart?.stored?.runId;
    if (found !== undefined && found !== this.run?.run.runId) await this.choose(found);
    this.#autoResumes = null;
    await writeKept(this.ports.keep, 'autoResumes', null);
    await this.#takeUp();
  }

  cancelCountdown(): void {
    this.#countdown.abort();
    if (this.restart?.plan.type === 'countdown') this.#plan({ type: 'asks', why: 'cancelled' });
  }

  lookFirst(): void {
    this.cancelCountdown();
    this.#plan({ type: 'asks', why: 'look-first' });
  }

  dismissRestart(): void {
    this.cancelCountdown();
    this.restart = null;
    void writeKept(this.ports.keep, 'lastCrash', null);
  }

  async #countDown(): Promise<void> {
    const { signal } = (this.#countdown = new AbortController());
    for (
      let plan = this.restart?.plan;
      plan?.type === 'countdown' && plan.seconds > 0;
      plan = this.restart?.plan
    ) {
      if (!(await this.ports.wait(1000, signal)) || this.restart?.plan.type !== 'countdown') return;
      this.#plan({ type: 'countdown', seconds: plan.seconds - 1 });
    }
    if (this.run === null || signal.aborted) return;
    const { runId, version } = this.run.run;
    const known = this.#autoResumes;
    const count = known?.runId === runId && known.version === version ? known.count + 1 : 1;
    this.#autoResumes = { runId, version, count };
    // Durable before it resumes: a crash on the way must be counted.
    await writeKept(this.ports.keep, 'autoResumes', this.#autoResumes);
    if (!signal.aborted) await this.#takeUp();
  }

  async #takeUp(): Promise<void> {
    const runId = this.run?.run.runId;
    if (runId === undefined || this.activity.type !== 'idle') return;
    await this.#busy({ type: 'working' }, async () => {
      if (await this.show((agent) => agent.request('resume', { runId }))) this.#takenUp(runId);
    });
    if (this.restart?.plan.type === 'resumed') await this.runToEnd();
  }

  #takenUp(runId: string): void {
    if (this.restart === null || this.restart.plan.type === 'resumed') return;
    if (this.restart.stored?.runId === runId) this.#plan({ type: 'resumed' });
    void writeKept(this.ports.keep, 'lastCrash', null);
  }

  #plan(plan: Plan): void {
    if (this.restart !== null) this.restart = { ...this.restart, plan };
  }
}

function causeOf(crash: LastCrash | null): Cause | null {
  if (crash === null) return null;
  return crash.boundary === null ? { type: 'crash-now' } : { type: 'boundary', boundary: crash.boundary };
}
