/**
 * Owns: the storm: several tabs write, something is killed at random, again and again; then what is stored is judged.
 * Leaves: what the tabs do to harness/, what they have told to reports.ts, the verdict to judge.ts.
 */
import { setTimeout as elapsed } from 'node:timers/promises';
import type { BrowserContext } from '@playwright/test';
import { browserProcess, browserRuns, siteProcesses } from '../support/processes.ts';
import type { SeededRandom } from '../support/random.ts';
import { judge, type Verdict } from './judge.ts';
import type { Sabotage } from './messages.ts';
import type { Reports } from './reports.ts';
import { ask, closeTab, firstLife, openTab, type Tab, type TabAddress } from './tabs.ts';

export interface StormParts {
  /** Starts the browser on the profile, again after it was killed. */
  readonly launch: () => Promise<BrowserContext>;
  readonly profile: string;
  /** The harness's address, up to and with the slash. */
  readonly host: string;
  readonly reports: Reports;
  readonly random: SeededRandom;
  readonly tabs: number;
  readonly sabotage: Sabotage;
}

/** What dies, and how often of a hundred times. A frozen process goes on after up to 3 seconds. */
const deaths = { worker: 34, reload: 20, tab: 14, process: 16, freeze: 11, browser: 5 };
export type Death = keyof typeof deaths;

/** Bytes of an image, and times it was judged, after which the storm goes on with a new one. */
const largest = 3 * 1024 * 1024;
const mostChecks = 8;

export class Storm {
  readonly #parts: StormParts;
  #context: BrowserContext | null = null;
  #tabs: Tab[] = [];
  #opened = 0;
  #storage = 1;
  #checks = 0;
  readonly deaths = new Map<Death, number>();
  readonly found = { lost: 0, doubled: 0, torn: 0, belied: 0, unacknowledged: 0, checks: 0 };
  readonly details: string[] = [];
  #unacknowledged = 0;

  constructor(parts: StormParts) {
    this.#parts = parts;
  }

  /** True: something was found that must not be. */
  get foundSomething(): boolean {
    const { lost, doubled, torn, belied } = this.found;
    const { reports } = this.#parts;
    return lost + doubled + torn + belied + reports.torn.length + reports.faults.length > 0;
  }

  /** Writes and kills for so many milliseconds, and until more than so many commits are acknowledged; then judges. */
  async rage(milliseconds: number, acknowledged = 0): Promise<void> {
    const { random, reports } = this.#parts;
    const end = Date.now() + milliseconds;
    while (Date.now() < end || reports.acknowledged <= acknowledged) {
      await this.#openMissing();
      await elapsed(random.below(1200));
      await this.kill(this.#draw());
    }
    await this.check();
  }

  async kill(death: Death): Promise<void> {
    const { random, profile } = this.#parts;
    this.deaths.set(death, (this.deaths.get(death) ?? 0) + 1);
    await this.#openMissing();
    const index = random.below(this.#tabs.length);
    const tab = this.#tabs[index];
    if (!tab) return;
    switch (death) {
      case 'worker':
        await ask(tab, 'kill');
        return;
      case 'reload':
        await tab.page.reload();
        return;
      case 'tab':
        await closeTab(tab);
        this.#tabs.splice(index, 1);
        return;
      case 'process':
        this.#signal('SIGKILL');
        return this.#dropDead();
      case 'freeze': {
        const frozen = this.#signal('SIGSTOP');
        await elapsed(random.below(3000));
        if (frozen !== null) send(frozen, 'SIGCONT');
        return;
      }
      case 'browser': {
        const first = browserProcess(profile);
        if (first === null) throw new Error('the browser’s process is not found');
        send(first, 'SIGKILL');
        while (browserRuns(profile)) await elapsed(20);
        this.#context = null;
        this.#tabs = [];
        await this.check();
      }
    }
  }

  /** Lets all stop, compares what each holds with what is stored, and judges that. */
  async check(): Promise<void> {
    const { reports } = this.#parts;
    const context = await this.#browser();
    await this.#dropDead();
    const stopping = this.#tabs.map(async (tab) => {
      const life = await ask(tab, null);
      if (life === null) return null;
      const stopped = reports.stopped(life);
      await ask(tab, 'stop');
      const can = await stopped;
      if (can === null) reports.faults.push(`${life} does not stop`);
      return can === true ? { tab, life } : null;
    });
    const stopped = (await Promise.all(stopping)).filter((one) => one !== null);
    const held: (readonly [string, Buffer | null])[] = [];
    for (const { tab, life } of stopped) {
      const image = reports.image(life);
      await ask(tab, 'show');
      held.push([life, await image]);
    }
    await Promise.all(this.#tabs.splice(0).map(closeTab));

    const address = { ...this.#nextAddress(), sabotage: 'none' as const, show: true };
    // It comes by itself, perhaps before the page is loaded.
    const image = reports.image(firstLife(address));
    const last = await openTab(context, address);
    const stored = await image;
    await closeTab(last);
    if (stored === null) reports.faults.push('what is stored does not open');
    else await this.#judge(stored, held);
  }

  async end(): Promise<void> {
    await this.#context?.close();
  }

  async #judge(stored: Buffer, held: readonly (readonly [string, Buffer | null])[]): Promise<void> {
    const { reports } = this.#parts;
    const verdict = await judge(stored, reports.claims(this.#name));
    this.#count(verdict);
    for (const [life, image] of held) {
      if (image?.equals(stored)) continue;
      this.found.torn += 1;
      this.details.push(`torn: ${life} holds another image than the stored one`);
    }
    this.#checks += 1;
    if (stored.length < largest && this.#checks < mostChecks) return;
    this.#storage += 1;
    this.#checks = 0;
    this.#unacknowledged = 0;
  }

  #count({ lost, doubled, torn, belied, unacknowledged }: Verdict): void {
    this.found.checks += 1;
    // Those of earlier checks are still there.
    this.found.unacknowledged += unacknowledged - this.#unacknowledged;
    this.#unacknowledged = unacknowledged;
    for (const [kind, found] of Object.entries({ lost, doubled, torn, belied })) {
      this.found[kind as 'lost' | 'doubled' | 'torn' | 'belied'] += found.length;
      for (const one of found.slice(0, 5)) this.details.push(`${kind}: ${one}`);
    }
  }

  get #name(): string {
    return `storage${this.#storage}`;
  }

  async #browser(): Promise<BrowserContext> {
    return (this.#context ??= await this.#parts.launch());
  }

  async #openMissing(): Promise<void> {
    const context = await this.#browser();
    while (this.#tabs.length < this.#parts.tabs) {
      this.#tabs.push(await openTab(context, this.#nextAddress()));
    }
  }

  #nextAddress(): TabAddress {
    const { host, random, sabotage } = this.#parts;
    this.#opened += 1;
    const seed = random.below(2 ** 31);
    return { host, storage: this.#name, number: this.#opened, seed, sabotage, show: false };
  }

  /** Closes the tabs that do not answer. */
  async #dropDead(): Promise<void> {
    const answers = await Promise.all(this.#tabs.map((tab) => ask(tab, null)));
    const dead = this.#tabs.filter((_, index) => answers[index] === null);
    this.#tabs = this.#tabs.filter((tab) => !dead.includes(tab));
    await Promise.all(dead.map(closeTab));
  }

  /** To one of the processes that show tabs; it need not be a tab of ours. */
  #signal(signal: 'SIGKILL' | 'SIGSTOP'): number | null {
    const all = siteProcesses(this.#parts.profile);
    const one = all[this.#parts.random.below(all.length)] ?? null;
    if (one !== null) send(one, signal);
    return one;
  }

  #draw(): Death {
    let dice = this.#parts.random.below(100);
    for (const [death, often] of Object.entries(deaths)) {
      if (dice < often) return death as Death;
      dice -= often;
    }
    return 'worker';
  }
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended by itself.
  }
}
