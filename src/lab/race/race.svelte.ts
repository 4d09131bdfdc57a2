/**
 * Owns: the state of the race on screen: rules, schedule, how far it is played, and the 70 orders under each rule.
 * Leaves: running to the explorer's worker. It runs all that was played anew each time: the same moves give the same trace.
 */
import type {
  ExperimentClient,
  Move,
  OrderOutcome,
  RaceMove,
  RacerName,
  RaceRules,
  RaceTrace,
} from '../../bridge/experiment-client.ts';
import type { Failure } from '../../engine/failure.ts';
import { stopOf } from './race-words.ts';
import { broughtForward, loadedAgain, overlapping, shifted } from './schedule.ts';

/** What all orders are run under. */
export const settings: readonly { readonly name: string; readonly rules: RaceRules }[] = [
  { name: 'version check on', rules: { guard: true, claimFirst: false } },
  { name: 'version check off', rules: { guard: false, claimFirst: false } },
  { name: 'claim before the call', rules: { guard: true, claimFirst: true } },
];

/** The screen is drawn anew after so many orders. */
const redrawn = 14;

export class Racing {
  rules = $state.raw<RaceRules>({ guard: true, claimFirst: false });
  schedule = $state.raw<readonly RaceMove[]>(overlapping);
  played = $state(0);
  trace = $state.raw<RaceTrace | null>(null);
  gaveUp = $state.raw<readonly RacerName[]>([]);
  /** By the index of the setting. */
  all = $state.raw<readonly (readonly OrderOutcome[])[]>([]);
  enumerating = $state(false);
  failure = $state.raw<Failure | null>(null);
  readonly #client: ExperimentClient;
  /** Only the answer to the last question counts. */
  #asked = 0;
  /** Where the workers stand is known when the moves before have their answer: a second click waits for it. */
  #settled: Promise<void> = Promise.resolve();
  #answered: Promise<void> = Promise.resolve();

  constructor(client: ExperimentClient) {
    this.#client = client;
  }

  /** Before which move the worker stands; null: it is through. */
  standing(racer: RacerName): Move | null {
    return this.trace === null ? 'load' : this.trace.standing[racer];
  }

  /** The worker's last move ended in a conflict, or at the other one's claim. */
  stopped(racer: RacerName): Failure | null {
    return this.gaveUp.includes(racer) ? null : stopOf(this.trace?.moves ?? [], racer);
  }

  under(rules: Partial<RaceRules>): Promise<void> {
    this.rules = { ...this.rules, ...rules };
    return this.anew(this.schedule);
  }

  async anew(schedule: readonly RaceMove[] = overlapping, played = 0): Promise<void> {
    this.schedule = schedule;
    this.gaveUp = [];
    await this.#play(played);
  }

  next(): Promise<void> {
    return this.#play(Math.min(this.played + 1, this.schedule.length));
  }

  whole(): Promise<void> {
    return this.#play(this.schedule.length);
  }

  byHand(racer: RacerName): Promise<void> {
    return this.#whenSettled(() => {
      const move = this.standing(racer);
      // It may have come to a stop by the click before.
      if (move === null || this.stopped(racer) !== null || this.gaveUp.includes(racer))
        return Promise.resolve();
      this.schedule = broughtForward(this.schedule, this.played, racer, move);
      return this.next();
    });
  }

  retry(racer: RacerName): Promise<void> {
    return this.#whenSettled(() => {
      if (this.stopped(racer) === null) return Promise.resolve();
      this.schedule = loadedAgain(this.schedule, this.played, racer);
      return this.next();
    });
  }

  #whenSettled(work: () => Promise<void>): Promise<void> {
    this.#settled = this.#settled.then(() => this.#answered).then(work);
    return this.#settled;
  }

  giveUp(racer: RacerName): void {
    this.gaveUp = [...this.gaveUp, racer];
    this.schedule = this.schedule.filter((one, index) => index < this.played || one.racer !== racer);
  }

  shift(index: number, by: -1 | 1): boolean {
    const schedule = shifted(this.schedule, this.played, index, by);
    const changed = schedule !== this.schedule;
    this.schedule = schedule;
    return changed;
  }

  async enumerate(): Promise<void> {
    if (this.enumerating) return;
    this.enumerating = true;
    this.all = [];
    for (const { rules } of settings) {
      const before = this.all;
      const outcomes: OrderOutcome[] = [];
      const show = () => (this.all = [...before, [...outcomes]]);
      const done = await this.#client.ask('orders', { rules }, (outcome) => {
        if (outcomes.push(outcome) % redrawn === 0) show();
      });
      if (done.ok) show();
      else this.failure = done.failure;
    }
    this.enumerating = false;
  }

  #play(played: number): Promise<void> {
    this.#answered = this.#ask(played);
    return this.#answered;
  }

  async #ask(played: number): Promise<void> {
    this.played = played;
    this.#asked += 1;
    const asked = this.#asked;
    const { rules } = this;
    const answer = await this.#client.ask('race', { rules, schedule: this.schedule.slice(0, played) });
    // Something was changed since.
    if (asked !== this.#asked) return;
    this.failure = answer.ok ? null : answer.failure;
    if (answer.ok) this.trace = played === 0 ? null : answer.value;
  }
}
