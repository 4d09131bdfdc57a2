/**
 * Owns: the time between a worker's death and the tab's reload: what is written first, how long the death is seen.
 * Leaves: killing to worker-life.svelte.ts, saying it to DeadCard.svelte.
 * Invariant: what must outlive the tab is written before the tab reloads.
 */
import type { Arm } from '../engine/crash.ts';
import { writeKept, type LastCrash } from './kept.ts';
import type { Lab } from './lab.svelte.ts';
import type { LabPorts } from './lab-ports.ts';
import type { Cause } from './restart.ts';
import type { WorkerLife } from './worker-life.svelte.ts';

/** How long a dead worker stays on screen: a death that is over at once can't be watched. */
export const secondsDead = 2;

export class Death {
  #look = new AbortController();
  readonly #ports: Pick<LabPorts, 'keep' | 'wait' | 'reload'>;
  readonly #worker: Pick<WorkerLife, 'countDown'>;

  constructor(ports: Pick<LabPorts, 'keep' | 'wait' | 'reload'>, worker: Pick<WorkerLife, 'countDown'>) {
    this.#ports = ports;
    this.#worker = worker;
  }

  /** How it died, and the arms without the one that is used up. */
  async remember(lastCrash: LastCrash, arms: readonly Arm[]): Promise<void> {
    const { keep } = this.#ports;
    await Promise.all([writeKept(keep, 'lastCrash', lastCrash), writeKept(keep, 'arms', arms)]);
  }

  async reload(): Promise<void> {
    for (let left = secondsDead; left > 0; left -= 1) {
      if (!(await this.#ports.wait(1000, this.#look.signal))) break;
      this.#worker.countDown();
    }
    this.#ports.reload();
  }

  /** The reader has seen enough. */
  reloadAtOnce(): void {
    this.#look.abort();
  }
}

/** What is remembered of this death. `boundary` null: by *Crash now*. */
export function lastCrashOf(
  { ports, view, run, stepping }: Pick<Lab, 'ports' | 'view' | 'run' | 'stepping'>,
  boundary: string | null,
): LastCrash {
  return {
    boundary,
    atUtc: ports.now(),
    session: view?.session ?? null,
    runId: run?.run.runId ?? null,
    starting: stepping.starting,
  };
}

/** What is said of it at once. Its words are loaded with the lab's screen; where that is not here, a few will do. */
export async function alarmOf(cause: Cause): Promise<string> {
  const words = await import('./restart-sentences.ts').catch(() => null);
  return words?.causeSentence(cause) ?? 'The worker is dead.';
}
