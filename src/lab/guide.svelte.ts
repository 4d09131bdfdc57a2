/**
 * Owns: a reader's progress through the first guided run, as runes, kept over reloads and visits.
 * Leaves: the texts to guide-steps.ts; which run it follows and what was reached to guide-progress.ts.
 */
import type { Keep } from '../ui/keep.ts';
import { beginning, begunAgain, observed, progressFrom, type Progress } from './guide-progress.ts';
import { guideSteps, type GuideFacts, type Pointer } from './guide-steps.ts';

const key = 'first-run';

export class Guide {
  progress = $state.raw<Progress>(beginning);
  /** Nothing is shown before what was kept has been read: a guide that was left must not flash up. */
  loaded = $state(false);
  step = $derived(guideSteps[this.progress.at] ?? null);
  prediction = $derived(this.progress.predictions[this.progress.at] ?? null);
  done = $derived(this.progress.ticks[this.progress.at] === true);
  right = $derived(guideSteps.filter((step, at) => this.progress.predictions[at] === step.right).length);
  readonly #keep: Keep;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  async load(): Promise<void> {
    this.progress = progressFrom(await this.#keep.read(key));
    this.loaded = true;
  }

  /** Told at every change of the facts; what was reached is kept from then on. */
  observe(facts: GuideFacts): void {
    if (!this.loaded) return;
    const progress = observed(this.progress, facts);
    if (progress !== this.progress) this.#change(progress);
  }

  /** Another run takes the place of the one that was followed; what was reached stays. */
  follow(runId: string): void {
    this.#change({ runId });
  }

  lockIn(option: number): void {
    const { at, predictions } = this.progress;
    if (predictions[at] !== null) return;
    this.#change({ predictions: predictions.map((old, index) => (index === at ? option : old)) });
  }

  /** `guideSteps.length` is the end page. */
  goTo(at: number): void {
    this.#change({ at: Math.max(0, Math.min(guideSteps.length, at)) });
  }

  leave(): void {
    this.#change({ left: true });
  }

  takeUp(): void {
    this.#change({ left: false });
  }

  restart(facts: GuideFacts): void {
    this.#change(begunAgain(facts));
  }

  /** Session 2 of this run should wait: the reader is following, and has not yet predicted what it will do. */
  holdsResume(runId: string | null): boolean {
    const { left, predictions, at, runId: followed } = this.progress;
    if (followed !== null && followed !== runId) return false;
    const [, , armed, dies, resumes] = predictions;
    const following = (armed ?? dies ?? null) !== null;
    return !left && following && at < guideSteps.length && resumes === null;
  }

  /** The control to mark: after the prediction, until the step is done. */
  pointer(facts: GuideFacts): Pointer {
    if (!this.loaded || this.progress.left || this.step === null || this.prediction === null || this.done) {
      return null;
    }
    if (facts.run !== null && facts.run.run.runId !== this.progress.runId) return null;
    return this.step.pointer === 'run' && facts.run?.run.status === 'completed'
      ? 'timeline'
      : this.step.pointer;
  }

  #change(part: Partial<Progress>): void {
    this.progress = { ...this.progress, ...part };
    void this.#keep.write(key, this.progress);
  }
}
