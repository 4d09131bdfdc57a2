/**
 * Owns: one worker's life after another: opened, asked, lost, killed; and the failure that is on screen.
 * Leaves: what a view means to lab.svelte.ts.
 * Invariant: what a dead worker says is not heard, and what it was asked is not answered.
 */
import type { Answer, Client } from '../bridge/client.ts';
import type { Push } from '../bridge/protocol.ts';
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
  /** The database could not be opened. */
  | { readonly type: 'closed'; readonly failure: Failure };

/** A failure on screen, and how to try again where that makes sense. */
export interface Trouble {
  readonly failure: Failure;
  readonly retry: (() => void) | null;
}

export interface WorkerLifeListener {
  received(view: LabView): void;
  halted(boundary: string): void;
  lost(reason: string): void;
}

export class WorkerLife {
  state = $state.raw<Life>({ type: 'loading', loaded: 0, total: 0 });
  store = $state<StoreKind>('indexeddb');
  trouble = $state.raw<Trouble | null>(null);
  /** A request is under way. */
  saving = $state(false);
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
    this.state = { type: 'loading', loaded: 0, total: 0 };
    const connected = (client: Client) => {
      this.#connect(client);
    };
    const { client, opened } = await this.#workers.open({ store, arms, selectedRunId, connected });
    if (this.#client !== client) return null;
    if (opened.ok) {
      this.state = { type: 'live' };
      return opened.value;
    }
    this.#kill();
    // Said on screen for good: memory only.
    if (opened.failure.type === 'StorageRefused' && store === 'indexeddb') {
      return this.open('memory', arms, selectedRunId);
    }
    this.state = { type: 'closed', failure: opened.failure };
    return null;
  }

  /** One request; null when no worker lives or it died meanwhile. A failure is put on screen. */
  async ask<T>(
    request: (client: Client) => Promise<Answer<T>>,
    retry: (() => void) | null = null,
  ): Promise<Result<T> | null> {
    const client = this.#client;
    if (client === null || this.state.type !== 'live') return null;
    this.saving = true;
    const result = await request(client);
    this.saving = false;
    if (this.#client !== client) return null;
    if (result.ok) this.trouble = null;
    else {
      if (result.view) this.#listener.received(result.view);
      this.trouble = { failure: result.failure, retry };
    }
    return result;
  }

  /** Kills the worker, if one lives; false when none does. `reloadsIn`: seconds; null: the tab stays. */
  end(cause: Cause, reloadsIn: number | null): boolean {
    if (this.#client === null) return false;
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

  get alive(): boolean {
    return this.#client !== null;
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
      if (this.#client === client) this.#listener.lost(reason);
    });
  }

  #hear(push: Push): void {
    switch (push.type) {
      case 'loading':
        if (this.state.type === 'loading') this.state = push;
        return;
      case 'changed':
        return this.#listener.received(push.view);
      case 'fault':
        return this.#listener.lost(push.message);
      case 'halted':
        return this.#listener.halted(push.boundary);
    }
  }
}
