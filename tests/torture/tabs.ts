/** Owns: the tabs of the storm in one browser: opening, asking, replacing those that died. */
import type { BrowserContext, Page } from '@playwright/test';
import type { Life, Sabotage, TorturePage } from './messages.ts';

export interface Tab {
  readonly page: Page;
}

/** The first life of a tab, known before it is opened. */
export function firstLife({ storage, number }: TabAddress): Life {
  return `${storage}-${number}.1`;
}

export interface TabAddress {
  /** The host, up to and with the slash. */
  readonly host: string;
  readonly storage: string;
  readonly number: number;
  readonly seed: number;
  readonly sabotage: Sabotage;
  readonly show: boolean;
}

/** Milliseconds after which a tab that does not answer is taken to be dead. */
const deadAfter = 2_000;

export async function openTab(context: BrowserContext, address: TabAddress): Promise<Tab> {
  const { host, storage, number, seed, sabotage, show } = address;
  const asked = new URLSearchParams({ tab: `${storage}-${number}`, seed: String(seed), storage, sabotage });
  if (show) asked.set('show', '');
  const page = await context.newPage();
  await page.goto(`${host}?${asked.toString()}`);
  return { page };
}

type Ask = Exclude<keyof TorturePage, 'life'>;

/** Asks the tab's page; the life of its worker before that. Null: nobody answers. */
export async function ask({ page }: Tab, what: Ask | null): Promise<Life | null> {
  const answer = page.evaluate((name) => {
    const { torture } = window as unknown as { torture: TorturePage };
    const life = torture.life();
    if (name !== null) torture[name]();
    return life;
  }, what);
  return Promise.race([answer.catch(() => null), afterwards(deadAfter)]);
}

/** Closes it, dead or alive. */
export async function closeTab({ page }: Tab): Promise<void> {
  await Promise.race([page.close().catch(() => undefined), afterwards(10_000)]);
}

function afterwards(milliseconds: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds, null).unref();
  });
}
