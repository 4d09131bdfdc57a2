/**
 * Owns: a reader's progress through the first guided run: where they are, what they predicted, left or not.
 * Leaves: the texts and ticks to guide-steps.ts.
 */
import { members, type Keep } from '../ui/keep.ts';
import { guideSteps, type GuideFacts, type Pointer } from './guide-steps.ts';

export interface Progress {
  readonly at: number;
  /** One a step: the option locked in, or null. */
  readonly predictions: readonly (number | null)[];
  readonly left: boolean;
}

const key = 'first-run';
const beginning: Progress = { at: 0, predictions: guideSteps.map(() => null), left: false };

export class Guide {
  progress = $state.raw<Progress>(beginning);
  /** Nothing is shown before what was kept has been read: a guide that was left must not flash up. */
  loaded = $state(false);
  step = $derived(guideSteps[this.progress.at] ?? null);
  prediction = $derived(this.progress.predictions[this.progress.at] ?? null);
  right = $derived(guideSteps.filter((step, at) => this.progress.predictions[at] === step.right).length);
  readonly #keep: Keep;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  async load(): Promise<void> {
    this.progress = progressFrom(await this.#keep.read(key));
    this.loaded = true;
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

  restart(): void {
    this.#change(beginning);
  }

  /** Session 2 should wait: the reader is following, and has not yet predicted what it will do. */
  holdsResume(): boolean {
    const { left, predictions, at } = this.progress;
    const [, , armed, dies, resumes] = predictions;
    const following = (armed ?? dies ?? null) !== null;
    return !left && following && at < guideSteps.length && resumes === null;
  }

  /** The control to mark: after the prediction, until the step is done. */
  pointer(facts: GuideFacts): Pointer {
    if (!this.loaded || this.progress.left || this.step === null || this.prediction === null) return null;
    return this.step.done(facts) ? null : this.step.pointer;
  }

  #change(part: Partial<Progress>): void {
    this.progress = { ...this.progress, ...part };
    void this.#keep.write(key, this.progress);
  }
}

export function progressFrom(stored: unknown): Progress {
  const kept = members(stored);
  const predictions: readonly unknown[] = Array.isArray(kept['predictions']) ? kept['predictions'] : [];
  const at = kept['at'];
  return {
    at: typeof at === 'number' && at >= 0 && at <= guideSteps.length ? Math.floor(at) : 0,
    predictions: guideSteps.map((step, index) => {
      const option = predictions[index];
      return typeof option === 'number' && option in step.options ? option : null;
    }),
    left: kept['left'] === true,
  };
}
