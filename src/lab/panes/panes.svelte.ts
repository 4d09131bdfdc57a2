/**
 * Owns: which pane is open, kept with the settings; the programs of the panes that have arrived, and of one that did not.
 * Leaves: the list of panes to ../panes.ts.
 */
import { tick } from 'svelte';
import type { PaneId } from '../../ui/pane-ids.ts';
import type { Settings } from '../../ui/settings.svelte.ts';
import { paneInHash, panes, type PaneComponent } from '../panes.ts';

export class Panes {
  readonly #settings: Settings;
  #loaded = $state.raw<Partial<Record<PaneId, PaneComponent>>>({});
  #failed = $state.raw<readonly PaneId[]>([]);

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get open(): PaneId {
    return this.#settings.current.pane;
  }

  /** Of the open pane; null: it is on its way, or did not arrive. */
  get component(): PaneComponent | null {
    return this.#loaded[this.open] ?? null;
  }

  get failed(): boolean {
    return this.#failed.includes(this.open);
  }

  /** Opens the pane. On return it is on screen, if it has arrived. */
  async show(id: PaneId): Promise<void> {
    if (id !== this.open) this.#settings.change({ pane: id });
    await this.load(id);
    await tick();
  }

  /** The pane that the address names, if it names one. */
  showNamed(hash: string): void {
    const named = paneInHash(hash);
    if (named !== null) void this.show(named);
  }

  async load(id: PaneId): Promise<void> {
    if (this.#loaded[id]) return;
    this.#failed = this.#failed.filter((one) => one !== id);
    try {
      const component = (await panes.find((pane) => pane.id === id)?.load())?.default;
      if (component) this.#loaded = { ...this.#loaded, [id]: component };
    } catch {
      this.#failed = [...this.#failed, id];
    }
  }
}
