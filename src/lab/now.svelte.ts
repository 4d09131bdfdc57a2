/** Owns: the time as a rune, for countdowns: it ticks only while somebody looks at it. */
import { createSubscriber } from 'svelte/reactivity';

/** Milliseconds. */
const tick = 250;

export class Now {
  readonly #read: () => string;
  readonly #ticking = createSubscriber((update) => {
    const timer = setInterval(update, tick);
    return () => clearInterval(timer);
  });

  /** `read`: UTC, ISO 8601. */
  constructor(read: () => string) {
    this.#read = read;
  }

  get utc(): string {
    this.#ticking();
    return this.#read();
  }
}
