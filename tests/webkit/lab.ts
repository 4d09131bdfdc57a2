/** Owns: the lab in WebKit, found and read by its words as a person does. */
import { setTimeout as elapsed } from 'node:timers/promises';
import type { EventRow } from '../e2e/lab-page.ts';
import type { WebDriver, WindowHandle } from './webdriver.ts';

export interface Shown {
  /** The worker's state line says LIVE. */
  readonly live: boolean;
  /** A mark that a reload takes away. */
  readonly sameDocument: boolean;
  readonly events: readonly EventRow[];
  /** "run-T104 completed v4" */
  readonly runs: readonly string[];
  readonly report: readonly string[];
  readonly invariants: readonly string[];
  /** What was stored before the restart, and what happens now. */
  readonly card: string;
}

const patience = 60_000;

export class Lab {
  readonly #driver: WebDriver;
  readonly #window: WindowHandle;

  constructor(driver: WebDriver, window: WindowHandle) {
    this.#driver = driver;
    this.#window = window;
  }

  async open(address: string): Promise<void> {
    await this.#front();
    await this.#driver.open(`${address}#/lab`);
    await this.until('a live worker', ({ live }) => live);
  }

  async reload(): Promise<void> {
    await this.#front();
    await this.#driver.reload();
    await this.until('a live worker', ({ live }) => live);
  }

  /** Clicks on the button of this name, once it is there and enabled. */
  async press(name: string): Promise<void> {
    await this.#front();
    await this.#eventually(`the button ${name}`, () =>
      this.#driver.click((wanted) => {
        const enabled = [...document.querySelectorAll('button')].filter(
          (button) => !button.disabled && button.ariaDisabled !== 'true' && button.checkVisibility(),
        );
        return enabled.find((button) => button.textContent.trim() === wanted) ?? null;
      }, name),
    );
  }

  async arm(boundary: string): Promise<void> {
    await this.press('Crash at…');
    await this.#eventually(boundary, () =>
      this.#driver.click(
        (wanted) => document.querySelector(`input[type=radio][value="${wanted}"]`),
        boundary,
      ),
    );
    await this.press(`Arm ${boundary}`);
  }

  /** Does something that makes the tab reload, and waits for the next page's worker. */
  async acrossReload(act: () => Promise<void>): Promise<void> {
    await this.#front();
    await this.#driver.run(() => {
      Object.assign(window, { beforeTheReload: true });
    });
    await act();
    await this.until('another page with a live worker', ({ live, sameDocument }) => live && !sameDocument);
  }

  /** Resolves with what is shown once it is as wanted. */
  async until(what: string, wanted: (shown: Shown) => boolean): Promise<Shown> {
    await this.#front();
    let last: Shown | null = null;
    await this.#eventually(
      () => `${what}; shown is ${JSON.stringify(last)}`,
      async () => {
        last = await this.#driver.run(read);
        return wanted(last);
      },
    );
    return last ?? (await this.#driver.run(read));
  }

  #front(): Promise<unknown> {
    return this.#driver.switchTo(this.#window);
  }

  /** A command that fails while the page reloads is asked again. */
  async #eventually(what: string | (() => string), look: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + patience;
    let why = '';
    while (Date.now() < end) {
      try {
        if (await look()) return;
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
      }
      await elapsed(100);
    }
    throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()} ${why}`);
  }
}

/** Runs on the page. */
function read(): Shown {
  const section = (title: string) =>
    [...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === title);
  const all = (root: Element | undefined, selector: string) => [...(root?.querySelectorAll(selector) ?? [])];
  const words = (element: Element | null | undefined) =>
    element?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  const text = document.body.innerText;
  return {
    live: text.includes('LIVE'),
    sameDocument: 'beforeTheReload' in window,
    events: all(section('agent_events'), 'tbody tr').map((row) => {
      const [sequence = '', session = '', eventType = '', action = '', detail = ''] = all(row, 'td').map(
        words,
      );
      return {
        sequence: Number(sequence.replace(/^\D+/, '')),
        session: session.replace(/^\W+/, ''),
        eventType,
        action,
        detail,
      };
    }),
    runs: all(section('Runs'), 'li').map(words),
    report: (section('Report')?.querySelector('pre')?.innerText ?? '').split('\n'),
    invariants: all(section('Invariants'), 'summary').map(
      (one) => `${words(one.querySelector('strong'))} ${words(one.querySelector('.chip'))}`,
    ),
    card: words(document.querySelector('section[aria-labelledby="restart-title"]')),
  };
}
