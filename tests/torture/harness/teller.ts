/** Owns: telling the test process at once, in order: what happens while a message is on its way goes with the next. */
import type { Told } from '../messages.ts';

export class Teller {
  #waiting: Told[] = [];
  #onItsWay = false;

  tell(told: Told): void {
    this.#waiting.push(told);
    if (!this.#onItsWay) void this.#send();
  }

  async #send(): Promise<void> {
    this.#onItsWay = true;
    while (this.#waiting.length > 0) {
      const body = JSON.stringify(this.#waiting.splice(0));
      await fetch('/told', { method: 'POST', body });
    }
    this.#onItsWay = false;
  }
}
