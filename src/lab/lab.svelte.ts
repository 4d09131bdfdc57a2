/**
 * Owns: what the lab screen shows: the view, what is chosen in it, opening, crash and coming back.
 * Leaves: what is true to the database; the worker to worker-life.svelte.ts; going on with a run to
 * stepping.svelte.ts; the card after a restart to restarts.svelte.ts; files to lab-files.svelte.ts.
 * Invariant: data reaches the screen through `receive` only.
 */
import type { Answer, Client } from '../bridge/client.ts';
import type { LabView, RunView } from '../bridge/views.ts';
import type { Arm } from '../engine/crash.ts';
import type { Failure } from '../engine/failure.ts';
import { armedInWords, armsAfter, liveArms } from './arms.ts';
import { Branching } from './branching.svelte.ts';
import { alarmOf, Death, lastCrashOf, secondsDead } from './death.ts';
import { millisecondsUntil, notDueUntil } from './due.ts';
import { keepWithin } from './keep-within.ts';
import type { LabPorts, StoreKind } from './lab-ports.ts';
import { readKept, writeKept } from './kept.ts';
import { newsIn } from './news.ts';
import { Now } from './now.svelte.ts';
import { Past } from './past.svelte.ts';
import { Persistence } from './persistence.svelte.ts';
import { belongsTo, causeOf, isUnfinished, ticketWithoutRun, waits } from './restart.ts';
import { planTitle, storedLine } from './restart-words.ts';
import type { Cause, Restart } from './restart.ts';
import { Restarts } from './restarts.svelte.ts';
import { Stepping } from './stepping.svelte.ts';
import { WorkerLife } from './worker-life.svelte.ts';

export class Lab {
  readonly ports: LabPorts;
  readonly worker: WorkerLife;
  readonly restarts: Restarts;
  readonly death: Death;
  readonly stepping: Stepping;
  readonly persistence: Persistence;
  readonly now: Now;
  /** The one cursor, and what was stored there. */
  readonly past: Past;
  readonly branching: Branching;
  view = $state.raw<LabView | null>(null);
  /** As it was before the last commit: what changed is told against it. */
  before = $state.raw<LabView | null>(null);
  arms = $state.raw<readonly Arm[]>([]);
  /** A ticket without a run is chosen; null: the selected run is shown. Set by `showTicket`. */
  ticketWithoutRun = $state<string | null>(null);
  /** For screen readers: polite; `alarm`, for crashes only, assertive. */
  said = $state('');
  alarm = $state('');
  /** What the page has done by itself and wants read; null: nothing, or it was. */
  note = $state<string | null>(null);
  /** Why the outside world does not answer; null: it does, as far as is known. */
  deskLost = $state.raw<Failure | null>(null);
  /** Set by main.ts: the guided run wants a prediction before the next session acts. */
  predictFirst: () => boolean = () => false;
  /** Set by main.ts: a database has been opened. */
  whenOpened: () => void = () => undefined;

  run = $derived.by((): RunView | null =>
    this.ticketWithoutRun === null ? (this.view?.selected ?? null) : null,
  );
  ticketId = $derived(this.ticketWithoutRun ?? this.run?.run.ticketId ?? 'T104');
  unfinished = $derived(isUnfinished(this.run));
  /** Sequence of the event that is marked everywhere; null: there is none. */
  cursor = $derived.by((): number | null => this.past.chosen ?? this.run?.events.at(-1)?.sequence ?? null);
  /** Step and Run would do something: a run stands in the middle, or its ticket has none. */
  canStep = $derived.by(
    (): boolean => this.live && (this.run === null || (this.unfinished && this.run.obstacle === null)),
  );
  /** When a call that ended badly is due again, UTC, as far as the run waits for that. */
  dueAtUtc = $derived(notDueUntil(this.run));
  /** A step would do nothing yet. */
  notDue = $derived.by(
    (): boolean => this.dueAtUtc !== null && millisecondsUntil(this.dueAtUtc, this.now.utc) > 0,
  );
  /** Why there is nothing to show yet; null: there is. */
  pending = $derived.by((): string | null => {
    if (this.view !== null) return null;
    return this.worker.state.type === 'closed' ? 'The database is not open.' : 'Reading the database…';
  });
  /** The card after a restart, as long as what it belongs to is on screen. */
  card = $derived.by((): Restart | null => {
    const { current } = this.restarts;
    if (current === null || this.worker.isDead || this.view === null) return null;
    return belongsTo(current, this.run?.run.runId ?? null, this.ticketId) ? current : null;
  });
  /** A run that waits to be resumed and is not on screen. */
  waitingRunId = $derived.by((): string | null => {
    const { current } = this.restarts;
    if (this.card !== null || this.worker.isDead || !waits(current)) return null;
    return current?.stored?.runId ?? null;
  });

  constructor(ports: LabPorts) {
    this.ports = ports;
    this.past = new Past(this);
    this.branching = new Branching(this);
    this.now = new Now(() => ports.now());
    this.persistence = new Persistence(ports);
    this.restarts = new Restarts(ports);
    this.worker = new WorkerLife(ports.workers, {
      received: (view) => this.receive(view),
      halted: (boundary) => void this.#crash(boundary),
      lost: (failure) => this.#lose({ type: 'unplanned', failure }, null),
    });
    this.death = new Death(ports, this.worker);
    this.stepping = new Stepping(this);
    ports.workers.onDeskLost(() => (this.deskLost = { type: 'WorkerNotLoaded', worker: 'desk' }));
  }

  live = $derived.by((): boolean => this.worker.state.type === 'live');

  // ---- opening

  /** `after`: how the last worker of this page died; null when the page has just been loaded. */
  async open(store: StoreKind = 'indexeddb', after: Cause | null = null): Promise<void> {
    // What the last worker told is not what is stored: nothing is shown until that is read.
    this.view = null;
    this.deskLost = null;
    const kept = await readKept(this.ports.keep);
    const { arms, lastCrash } = kept;
    this.arms = arms;
    const view = await this.worker.open(
      store,
      liveArms(arms),
      lastCrash?.starting ? null : kept.selectedRunId,
    );
    if (view === null) return;
    this.receive(view);
    this.before = null;
    this.stepping.goesOn = kept.goesOn;
    this.whenOpened();
    void keepWithin(this);
    const { settings, sameVisit } = this.ports;
    const { resumeAutomatically } = settings.current;
    const predictFirst = this.predictFirst();
    const restart = this.restarts.find({ view, kept, after, sameVisit, resumeAutomatically, predictFirst });
    this.showTicket(ticketWithoutRun({ view, kept }));
    if (restart?.stored) this.said = `Stored when this session opened: ${storedLine(restart.stored)}.`;
    if (restart?.plan.type === 'nothing-stored') await this.#showEarlierRun(restart);
    if (after === null && (await this.restarts.countDown())) await this.stepping.takeUp();
  }

  /** After a death without a reload: a new worker; `resume` goes on at once, else the card asks. */
  async reopen(resume: boolean): Promise<void> {
    const { state, store } = this.worker;
    await this.open(store, state.type === 'dead' ? state.cause : null);
    this.restarts.lookFirst();
    if (resume && this.canStep && this.restarts.current?.plan.type === 'asks') await this.stepping.resume();
  }

  /** The one way for data to reach the screen. Drops a view that is not newer. */
  receive(view: LabView): void {
    if (this.view !== null && view.serial <= this.view.serial) return;
    const previous = this.view;
    // Reading anew, or another run, is no commit: the marks and what they are told against stay.
    if (previous?.storage.generation !== view.storage.generation) this.before = previous;
    this.view = view;
    const runId = view.selected?.run.runId ?? null;
    this.past.look(runId === previous?.selected?.run.runId);
    if (runId !== previous?.selected?.run.runId) void writeKept(this.ports.keep, 'selectedRunId', runId);
    this.said = newsIn(view, previous) ?? this.said;
    this.stepping.look();
    const elsewhere = this.restarts.look(view);
    if (elsewhere !== null) this.said = `${planTitle(elsewhere, '')}.`;
  }

  /** One request whose reply is the lab; null when it was not done. Its failure is put on screen. */
  async show(
    request: (client: Client) => Promise<Answer<LabView>>,
    retry: (() => void) | null = null,
  ): Promise<LabView | null> {
    const result = await this.worker.ask(request, retry);
    if (!result?.ok) return null;
    this.receive(result.value);
    return result.value;
  }

  /** The tab slept, or was looked away from: what others wrote meanwhile is shown. */
  async wake(): Promise<void> {
    const news = await this.worker.ask((agent) => agent.request('refresh', {}));
    if (news?.ok && news.value) this.receive(news.value);
  }

  // ---- choosing

  /** What runs at a pace stops after the action that it is at. */
  pause(): void {
    this.stepping.pause();
  }

  async choose(runId: string): Promise<void> {
    this.restarts.cancel();
    this.pause();
    if (await this.show((agent) => agent.request('view', { selectedRunId: runId }))) this.showTicket(null);
  }

  async chooseTicket(ticketId: string): Promise<void> {
    const latest = this.view?.runs.findLast((run) => run.ticketId === ticketId);
    if (latest !== undefined) return this.choose(latest.runId);
    this.restarts.cancel();
    this.pause();
    this.showTicket(ticketId);
  }

  /** A ticket without a run, or (null) the selected run. Kept over a reload. */
  showTicket(ticketId: string | null): void {
    if (ticketId !== null) this.past.toLive();
    this.ticketWithoutRun = ticketId;
    void writeKept(this.ports.keep, 'ticketWithoutRun', ticketId);
  }

  // ---- crash and coming back

  async arm(arms: readonly Arm[]): Promise<void> {
    const armed = await this.worker.ask((agent) => agent.request('arm', { arms: liveArms(arms) }));
    if (!armed?.ok) return;
    this.arms = arms;
    this.said = armedInWords(arms);
    await writeKept(this.ports.keep, 'arms', arms);
  }

  /** Stops the worker at once, whatever it is doing. */
  crashNow(): Promise<void> {
    return this.#crash(null);
  }

  async #crash(boundary: string | null): Promise<void> {
    const lastCrash = lastCrashOf(this, boundary);
    const reloads = this.ports.settings.current.reloadOnCrash && this.worker.store === 'indexeddb';
    if (!this.#lose(causeOf(lastCrash), reloads ? secondsDead : null)) return;
    this.arms = armsAfter(this.arms, boundary);
    await this.death.remember(lastCrash, this.arms);
    if (reloads) await this.death.reload();
  }

  #lose(cause: Cause, reloadsIn: number | null): boolean {
    if (!this.worker.end(cause, reloadsIn)) return false;
    this.restarts.cancel();
    this.restarts.current = null;
    this.stepping.end();
    void alarmOf(cause).then((words) => (this.alarm = words));
    return true;
  }

  /** A second run of a ticket that was not saved leaves the first one. */
  async #showEarlierRun({ ticketId }: Restart): Promise<void> {
    const earlier = this.view?.runs.findLast((run) => run.ticketId === ticketId);
    if (earlier && earlier.runId !== this.run?.run.runId) await this.choose(earlier.runId);
  }
}
