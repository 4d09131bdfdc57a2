/**
 * Owns: what the reader has set of the world outside: how the desk behaves, and where Dispatch's tools are sent; kept over
 * visits, and told to the workers.
 * Leaves: behaving so to world/; which addresses there may be to world/address.ts.
 * Invariant: nothing is sent to an address that the reader has not entered in this browser.
 */
import type { DeskSettings, DeskTrouble } from '../bridge/outside-settings.ts';
import { checkAddress, defaultDeskSettings, delays, troubles } from '../bridge/outside-settings.ts';
import type { Routes } from '../bridge/protocol.ts';
import type { LabWorkers } from '../bridge/workers.ts';
import { members, type Keep } from '../ui/keep.ts';

export interface OutsideParts {
  readonly workers: Pick<LabWorkers, 'setDesk' | 'setRoutes' | 'onDeskSettings'>;
  readonly keep: Keep;
  /** The page came over https. */
  readonly secure: boolean;
}

const [deskKey, routesKey] = ['desk', 'routes'];

export class Outside {
  desk = $state.raw<DeskSettings>(defaultDeskSettings);
  routes = $state.raw<Routes>({});
  /** The trouble that was to come once, and has come. */
  usedUp = $state<DeskTrouble | null>(null);
  readonly secure: boolean;
  readonly #parts: OutsideParts;

  constructor(parts: OutsideParts) {
    this.#parts = parts;
    this.secure = parts.secure;
    parts.workers.onDeskSettings((left) => {
      this.usedUp = this.desk.trouble;
      this.#setDesk(left);
    });
  }

  /** Before the lab is opened: its worker is to know where calls go. */
  async load(): Promise<void> {
    const { keep, workers, secure } = this.#parts;
    const [desk, routes] = await Promise.all([keep.read(deskKey), keep.read(routesKey)]);
    this.desk = deskFrom(desk);
    this.routes = routesFrom(routes, secure);
    workers.setDesk(this.desk);
    workers.setRoutes(this.routes);
  }

  change(part: Partial<DeskSettings>): void {
    this.usedUp = null;
    this.#setDesk({ ...this.desk, ...part });
    this.#parts.workers.setDesk(this.desk);
  }

  /** Null: to the service desk here. Calls that were intended before go where they were to go. */
  route(tool: string, address: string | null): void {
    const others = Object.entries(this.routes).filter(([name]) => name !== tool);
    this.routes = Object.fromEntries(address === null ? others : [...others, [tool, address]]);
    this.#parts.workers.setRoutes(this.routes);
    void this.#parts.keep.write(routesKey, this.routes);
  }

  #setDesk(desk: DeskSettings): void {
    this.desk = desk;
    void this.#parts.keep.write(deskKey, desk);
  }
}

/** Whatever an older or broken page stored, every member comes out valid. */
export function deskFrom(stored: unknown): DeskSettings {
  const kept = members(stored);
  const { honoursKeys, delayMs, trouble, troubleTimes, answersStatus } = kept;
  return {
    honoursKeys: honoursKeys !== false,
    delayMs: delays.find((one) => one === delayMs) ?? defaultDeskSettings.delayMs,
    trouble: troubles.find((one) => one === trouble) ?? defaultDeskSettings.trouble,
    troubleTimes: troubleTimes === 'always' ? 'always' : 'once',
    answersStatus: answersStatus !== false,
  };
}

/** What is no address, or may not be sent to from here, is left out. */
export function routesFrom(stored: unknown, secure: boolean): Routes {
  const entries = Object.entries(members(stored)).flatMap(([tool, address]) => {
    const checked = typeof address === 'string' ? checkAddress(address, { secure }) : null;
    return checked?.ok ? [[tool, checked.value] as const] : [];
  });
  return Object.fromEntries(entries);
}
