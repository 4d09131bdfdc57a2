/**
 * Owns: the state of the demonstration on the start page: where the two lanes stand, what was lost, what was found.
 * Leaves: running and killing to bridge/demo.ts.
 */
import type { Demo, DemoListener, Lane, Remembered, Stored } from '../../bridge/demo.ts';
import type { Failure } from '../../engine/failure.ts';

export type Phase =
  | 'idle'
  | 'loading'
  /** The first worker is at work. */
  | 'running'
  /** It was killed. */
  | 'dead'
  /** A second worker is at work. */
  | 'again'
  | 'done';

/** So long stays what was just done. One can follow, and reach the button. */
const pause = 1100;
const pauseAgain = { usual: 600, reducedMotion: 100 };

export class Demonstration {
  phase = $state<Phase>('idle');
  remembered = $state.raw<Remembered | null>(null);
  stored = $state.raw<Stored | null>(null);
  /** What the second worker found before it did anything. */
  found = $state.raw<Stored | null>(null);
  /** Runbook calls that the world outside received, by lane. */
  calls = $state.raw<Readonly<Record<Lane, number>>>({ memory: 0, sqlite: 0 });
  loaded = $state(0);
  failure = $state.raw<Failure | null>(null);
  killed = $state(false);
  #demo: Demo | null = null;
  /** Whoever waits for the program of an earlier visit begins nothing any more. */
  #visit = 0;
  readonly #newWorker: () => Worker;

  constructor(newWorker: () => Worker) {
    this.#newWorker = newWorker;
  }

  async run(): Promise<void> {
    this.leave();
    const visit = this.#visit;
    this.phase = 'loading';
    this.killed = false;
    this.remembered = this.stored = this.found = this.failure = null;
    this.calls = { memory: 0, sqlite: 0 };
    try {
      const { demo } = await import('../../bridge/demo.ts');
      if (visit !== this.#visit) return;
      this.#demo = demo(this.#newWorker);
    } catch {
      this.#failed({ type: 'WorkerNotLoaded', worker: 'agent' });
      return;
    }
    this.#demo.begin(pause, this.#listener('running'));
  }

  kill(): void {
    this.#demo?.kill();
    this.killed = true;
    this.phase = 'dead';
  }

  startAgain(): void {
    // Nothing is carried over by this page: the second worker tells what it has.
    this.remembered = null;
    this.phase = 'loading';
    const { matches } = matchMedia('(prefers-reduced-motion: reduce)');
    this.#demo?.begin(matches ? pauseAgain.reducedMotion : pauseAgain.usual, this.#listener('again'));
  }

  leave(): void {
    this.#visit += 1;
    this.#demo?.kill();
  }

  #listener(phase: 'running' | 'again'): DemoListener {
    const atWork = () => {
      if (this.phase === 'loading') this.phase = phase;
    };
    return {
      loading: (loaded) => (this.loaded = loaded),
      memory: (remembered) => {
        atWork();
        this.remembered = remembered;
      },
      sqlite: (stored, found) => {
        atWork();
        this.stored = stored;
        if (found) this.found = stored;
      },
      called: (lane, tool) => {
        if (tool === 'lookup_runbook') this.calls = { ...this.calls, [lane]: this.calls[lane] + 1 };
      },
      ended: () => (this.phase = 'done'),
      failed: (failure) => this.#failed(failure),
    };
  }

  #failed(failure: Failure): void {
    this.failure = failure;
    this.phase = 'idle';
  }
}
