/**
 * Owns: how long a wait for IndexedDB may last, and telling while a wait, for it or for the outside world, is felt.
 * Leaves: what happens when a wait has ended to who waits; showing it to the page.
 */

export interface Waits {
  /** Milliseconds for opening; it is tried twice, since the first open of a browser's life may hang. */
  readonly open: number;
  /** Milliseconds for one transaction. */
  readonly transaction: number;
  /** Told of waits that are felt. */
  readonly watch?: WaitWatch;
}

/** Long enough for a slow disk: a person is told long before. */
export const usualWaits: Waits = { open: 5_000, transaction: 15_000 };

/** Milliseconds for a transaction after one that was not answered, until an answer comes: it may have come back. */
export const probe = 2_000;

export interface Waiting {
  /** `call`: of the outside world; the others: of the browser's storage. */
  readonly what: 'open' | 'read' | 'commit' | 'call';
  /** Without any answer, over all attempts. */
  readonly seconds: number;
}

/** Seconds after which a wait is felt. */
const felt = 2;

export class WaitWatch {
  readonly #tell: (waiting: Waiting | null) => void;
  /** Seconds of waits that were given up, since the last answer of this kind. */
  readonly #unanswered = new Map<Waiting['what'], number>();

  /** `tell` hears of a wait each second once it is felt, and null when an answer came after all. */
  constructor(tell: (waiting: Waiting | null) => void) {
    this.#tell = tell;
  }

  /** Call the result when the wait is over: was there an answer? */
  begin(what: Waiting['what']): (answered: boolean) => void {
    let seconds = this.#unanswered.get(what) ?? 0;
    const ticking = setInterval(() => {
      seconds += 1;
      if (seconds >= felt) this.#tell({ what, seconds });
    }, 1000);
    return (answered) => {
      clearInterval(ticking);
      if (answered && seconds >= felt) this.#tell(null);
      this.#unanswered.set(what, answered ? 0 : seconds);
    };
  }
}
