/** Owns: one thing at a time, in the order of asking. What fails does not stop what comes after it. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when everything asked before has ended. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
