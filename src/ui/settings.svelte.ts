/**
 * Owns: the preferences of this reader, as runes, kept over visits.
 * Leaves: what each one does to whoever reads it; where they are kept to keep.ts.
 */
import { members, type Keep } from './keep.ts';
import { paneIds, type PaneId } from './pane-ids.ts';

export const themes = ['auto', 'light', 'dark'] as const;
export const speeds = ['slow', 'normal', 'fast', 'instant'] as const;
export const textSizes = ['normal', 'large', 'projector'] as const;
/** How long finished runs are kept, in days, and how large the database may grow, in megabytes; null: for ever, without end. */
export const keepDays = [null, 30, 7, 1] as const;
export const keepMegabytes = [null, 50, 10] as const;
export type Theme = (typeof themes)[number];
export type Speed = (typeof speeds)[number];
export type TextSize = (typeof textSizes)[number];

export interface Preferences {
  readonly theme: Theme;
  /** How large everything is written; projector also keeps the controls in view. */
  readonly textSize: TextSize;
  readonly speed: Speed;
  /** After a restart in the same visit an unfinished run goes on by itself. */
  readonly resumeAutomatically: boolean;
  /** A crash of the worker also reloads the tab. */
  readonly reloadOnCrash: boolean;
  /** Single letters are commands (WCAG 2.1.4: can be turned off). */
  readonly singleKeys: boolean;
  readonly keepDays: (typeof keepDays)[number];
  readonly keepMegabytes: (typeof keepMegabytes)[number];
  /** Which pane of the lab is open. */
  readonly pane: PaneId;
}

export const firstPreferences: Preferences = {
  theme: 'auto',
  textSize: 'normal',
  speed: 'normal',
  resumeAutomatically: true,
  reloadOnCrash: true,
  singleKeys: true,
  keepDays: null,
  keepMegabytes: null,
  pane: 'timeline',
};

const key = 'preferences';

export class Settings {
  current = $state.raw<Preferences>(firstPreferences);
  readonly #keep: Keep;
  /** Changed before what is kept was read: it wins, and nothing else of what is kept is lost to it. Null: it was read. */
  #early: Partial<Preferences> | null = {};

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  async load(): Promise<void> {
    const kept = preferencesFrom(await this.#keep.read(key));
    const early = this.#early ?? {};
    this.#early = null;
    this.current = kept;
    if (Object.keys(early).length > 0) this.change(early);
  }

  change(part: Partial<Preferences>): void {
    this.current = { ...this.current, ...part };
    if (this.#early === null) void this.#keep.write(key, this.current);
    else this.#early = { ...this.#early, ...part };
  }
}

/** Whatever an older or broken page stored, every member comes out valid. */
export function preferencesFrom(stored: unknown): Preferences {
  const kept = members(stored);
  return {
    theme: oneOf(themes, kept['theme'], firstPreferences.theme),
    textSize: oneOf(textSizes, kept['textSize'], firstPreferences.textSize),
    speed: oneOf(speeds, kept['speed'], firstPreferences.speed),
    resumeAutomatically: flag(kept['resumeAutomatically'], firstPreferences.resumeAutomatically),
    reloadOnCrash: flag(kept['reloadOnCrash'], firstPreferences.reloadOnCrash),
    singleKeys: flag(kept['singleKeys'], firstPreferences.singleKeys),
    keepDays: oneOf(keepDays, kept['keepDays'], firstPreferences.keepDays),
    keepMegabytes: oneOf(keepMegabytes, kept['keepMegabytes'], firstPreferences.keepMegabytes),
    pane: oneOf(paneIds, kept['pane'], firstPreferences.pane),
  };
}

function oneOf<T>(known: readonly T[], value: unknown, otherwise: T): T {
  return known.find((word) => word === value) ?? otherwise;
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === 'boolean' ? value : otherwise;
}
