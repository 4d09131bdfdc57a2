/**
 * Owns: how the service desk behaves towards the tools that are remote: what a person sets, and what is left of it.
 * Leaves: behaving so to desk.ts; keeping the settings over visits to the page.
 * Invariant: the lesson's tools know none of this.
 */

/** Milliseconds that a slow desk may take to answer. */
export const delays = [0, 1_000, 5_000, 15_000] as const;
/** `fails_before`: an error, and no work. `loses_answer`: the work is done, and nothing is ever answered. */
export const troubles = ['none', 'fails_before', 'loses_answer'] as const;
export type DeskTrouble = (typeof troubles)[number];

/** Plain data: it crosses postMessage. */
export interface DeskSettings {
  /**
   * True: a key that comes again is answered with the first answer, and no work is done; with other arguments it is
   * refused. False: the work is done again.
   */
  readonly honoursKeys: boolean;
  /** The work is done at once, and answered so many milliseconds later. */
  readonly delayMs: number;
  readonly trouble: DeskTrouble;
  /** `once`: the next call uses it up. */
  readonly troubleTimes: 'once' | 'always';
  /** May it be asked what became of a key? */
  readonly answersStatus: boolean;
}

/** A kind desk. */
export const defaultDeskSettings: DeskSettings = {
  honoursKeys: true,
  delayMs: 0,
  trouble: 'none',
  troubleTimes: 'once',
  answersStatus: true,
};

/** The settings in force in one desk. */
export class DeskRules {
  #settings = defaultDeskSettings;
  readonly #usedUp: (left: DeskSettings) => void;

  /** `usedUp` is told when a trouble that comes once has come, with the settings that are left. */
  constructor(usedUp: (left: DeskSettings) => void = () => undefined) {
    this.#usedUp = usedUp;
  }

  get settings(): DeskSettings {
    return this.#settings;
  }

  set(settings: DeskSettings): void {
    this.#settings = settings;
  }

  /** What goes wrong with the call that has just come. Of calls that come at once the first one has it. */
  takeTrouble(): DeskTrouble {
    const { trouble, troubleTimes } = this.#settings;
    if (trouble !== 'none' && troubleTimes === 'once') {
      this.#settings = { ...this.#settings, trouble: 'none' };
      this.#usedUp(this.#settings);
    }
    return trouble;
  }
}
