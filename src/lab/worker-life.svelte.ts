/**
 * Owns: one worker's life after another: opened, asked, lost, killed; and the failures that are on screen.
 * Leaves: what a view means to lab.svelte.ts.
 * Invariants: what a dead worker says is not heard, and what it was asked is not answered; a change that could not be
 * saved is told (`unsaved`) until one is saved.
 */
import type { Answer, Client } from '../bridge/client.ts';
import type { CommandName, Push, Waiting } from '../bridge/protocol.ts';
import { isWriting } from '../bridge/protocol.ts';
import type { LabView } from '../bridge/views.ts';
import type { LabWorkers } from '../bridge/workers.ts';
import type { Arm } from '../engine/crash.ts';
import type { Failure, Result } from '../engine/failure.ts';
import type { StoreKind } from './lab-ports.ts';
import type { Cause } from './restart.ts';

export type Life =
  | { readonly type: 'loading'; readonly loaded: number; readonly total: number }
  | { readonly type: 'live' }
  /** The worker is gone and the tab is not (yet). */
  | { readonly type: 'dead'; readonly cause: Cause }
  /** The same, for so many seconds: then the tab reloads. */
  | { readonly type: 'reloading'; readonly cause: Cause; readonly seconds: number }
  /** The database could not be opened. The worker may live on: it can still be asked for what is stored. */
  | { readonly type: 'closed'; readonly failure: Failure };

/** A failure on screen, and how to try again where that makes sense. */
export interface Trouble {
  readonly failure: Failure;
  readonly retry: (() => void) | null;
}

export interface WorkerLifeListener {
  received(view: LabView): void;
  halted(boundary: string): void;
  lost(failure: Failure): void;
}

/** A change that met one of these is not stored, as far as anybody knows. */
const notStored: ReadonlySet<Failure['type']> = new Set([
  'NotSaved',
  'StorageFull',
  'OutcomeUnknown',
  'StorageFailed',
  'StorageStuck',
  'StorageGone',
  'ImageDamaged',
  'FormatNewer',
]);

/** Asked by the page itself: that it went well says nothing of what a person asked for, and how that went stays on screen. */
const unasked: ReadonlySet<CommandName> = new Set([
  'refresh',
  'quarantined',
  'readCopy',
  'unlockWrites',
  'statements',
  'look',
]);

/** What is not stored any more is told whoever found out; a change that is not, when it can be tried again. */
function isLatched({ type }: Failure, canTryAgain: boolean): boolean {
  return type === 'StorageGone' || (canTryAgain && notStored.has(type));
}

export class WorkerLife {
  state = $state.raw<Life>({ type: 'loading', loaded: 0, total: 0 });
  store = $state<StoreKind>('indexeddb');
  trouble = $state.raw<Trouble | null>(null);
  /** The last change, which is not saved: told until it, or another one, is. */
  unsaved = $state.raw<Trouble | null>(null);
  /** Storage lets us wait. */
  waiting = $state.raw<Waiting | null>(null);
  /** A step's call is out: nobody has answered yet. */
  calling = $state(false);
  /** How many requests that write are under way, and how many of them are steps. */
  #writes = $state(0);
  #steps = 0;
  /** What the page met when it asked by itself. */
  #pagesTrouble: Trouble | null = null;
  #client: Client | null = null;
  readonly #workers: LabWorkers;
  readonly #listener: WorkerLifeListener;

  constructor(workers: LabWorkers, listener: WorkerLifeListener) {
    this.#workers = workers;
    this.#listener = listener;
  }

  /** The first view of a new worker; null when it could not open: `state` says why. */
  async open(store: StoreKind, arms: readonly Arm[], selectedRunId: string | null): Promise<LabView | null> {
    this.#kill();
    this.store = store;
    this.trouble = null;
    this.unsaved = null;
    this.state = { type: 'loading', loaded: 0, total: 0 };
    const connected = (client: Client) => {
      this.#connect(client);
    };
    const { client, opened } = await this.#workers.open({ store, arms, selectedRunId, connected });
    if (this.#client !== client) return null;
    this.waiting = null;
    if (opened.ok) {
      this.state = { type: 'live' };
      return opened.value;
    }
    // Said on screen for good: memory only.
    if (opened.failure.type === 'StorageRefused' && store === 'indexeddb') {
      return this.open('memory', arms, selectedRunId);
    }
    this.state = { type: 'closed', failure: opened.failure };
    return null;
  }

  /**
   * One request; null when no worker lives, its database is not open, or it died meanwhile. A failure is put on
   * screen. `retry`: how to ask again.
   */
  ask<T>(
    request: (client: Client) => Promise<Answer<T>>,
    retry: (() => void) | null = null,
  ): Promise<Result<T> | null> {
    return this.state.type === 'live' ? this.#ask(request, retry) : Promise.resolve(null);
  }

  /** As `ask`, for requests about stored images, which are answered though the database is not open. */
  askClosed<T>(request: (client: Client) => Promise<Answer<T>>): Promise<Result<T> | null> {
    return this.state.type === 'live' || this.state.type === 'closed'
      ? this.#ask(request, null)
      : Promise.resolve(null);
  }

  async #ask<T>(
    request: (client: Client) => Promise<Answer<T>>,
    retry: (() => void) | null,
  ): Promise<Result<T> | null> {
    const client = this.#client;
    if (client === null) return null;
    let [writes, steps, asked] = [false, false, false];
    const result = await request({
      ...client,
      request: (command, params, transfer) => {
        asked ||= !unasked.has(command);
        if (isWriting(command) && !writes) {
          writes = true;
          this.#writes += 1;
        }
        if (command === 'step' && !steps) {
          steps = true;
          this.#steps += 1;
        }
        return client.request(command, params, transfer);
      },
    });
    if (this.#client !== client) return null;
    if (writes) this.#writes -= 1;
    if (steps) this.#steps -= 1;
    if (this.#steps === 0) this.calling = false;
    this.waiting = null;
    if (!result.ok && result.view) this.#listener.received(result.view);
    if (asked || !result.ok) this.#tell(result, writes, retry);
    else if (this.trouble === this.#pagesTrouble) this.trouble = null;
    if (!asked && !result.ok) this.#pagesTrouble = this.trouble;
    return result;
  }

  #tell(result: Result<unknown>, writes: boolean, retry: (() => void) | null): void {
    if (result.ok) {
      this.trouble = null;
      if (writes) this.unsaved = null;
    } else if (isLatched(result.failure, writes && retry !== null)) {
      this.trouble = null;
      this.unsaved = { failure: result.failure, retry };
    } else {
      this.trouble = { failure: result.failure, retry };
      // Storage has answered: the change is refused for another reason, and none waits to be saved.
      if (writes && !notStored.has(result.failure.type)) this.unsaved = null;
    }
  }

  /** Kills the worker, if one lives; false when none does. `reloadsIn`: seconds; null: the tab stays. */
  end(cause: Cause, reloadsIn: number | null): boolean {
    if (this.#client === null || this.state.type === 'closed') return false;
    this.#kill();
    this.state =
      reloadsIn === null ? { type: 'dead', cause } : { type: 'reloading', cause, seconds: reloadsIn };
    return true;
  }

  /** A second of the time until the reload has passed. */
  countDown(): void {
    const { state } = this;
    if (state.type === 'reloading') this.state = { ...state, seconds: Math.max(0, state.seconds - 1) };
  }

  get isDead(): boolean {
    return this.state.type === 'dead' || this.state.type === 'reloading';
  }

  /** Whatever else is asked and answered meanwhile. Nothing is saved while a call is out. */
  get saving(): boolean {
    return this.#writes > (this.calling ? 1 : 0);
  }

  get alive(): boolean {
    return this.#client !== null;
  }

  #kill(): void {
    this.#client?.terminate();
    this.#client = null;
    this.#writes = 0;
    this.#steps = 0;
    this.calling = false;
    this.waiting = null;
  }

  #connect(client: Client): void {
    this.#client = client;
    client.onPush((push) => {
      if (this.#client === client) this.#hear(push);
    });
    client.onLost((failure) => {
      if (this.#client === client) this.#lost(failure);
    });
  }

  #lost(failure: Failure): void {
    if (failure.type !== 'WorkerNotLoaded') return this.#listener.lost(failure);
    this.#kill();
    this.state = { type: 'closed', failure };
  }

  #hear(push: Push): void {
    switch (push.type) {
      case 'loading':
        if (this.state.type === 'loading') this.state = push;
        return;
      case 'changed':
        return this.#listener.received(push.view);
      case 'calling':
        // The reply may have overtaken it.
        this.calling = this.#steps > 0;
        return this.#listener.received(push.view);
      // The client loses the worker over it, and says so.
      case 'fault':
      case 'sends':
        return;
      case 'waiting':
        this.waiting = push.waiting;
        return;
      case 'halted':
        return this.#listener.halted(push.boundary);
    }
  }
}
