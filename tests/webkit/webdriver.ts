/** Owns: speaking WebDriver (W3C) to WebKitGTK with fetch, and starting and ending its driver under Xvfb. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as elapsed } from 'node:timers/promises';

const port = 14_455;
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

export type WindowHandle = string;

/** What is missing on this machine, in a sentence; null: nothing. */
export function missing(): string | null {
  const there = ['/usr/bin/WebKitWebDriver', '/usr/bin/xvfb-run'].every((file) => existsSync(file));
  return there && miniBrowser() !== null
    ? null
    : 'WebKitGTK’s driver is not here: apt-get install webkit2gtk-driver xvfb xauth';
}

function miniBrowser(): string | null {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const places = folders
    .flatMap((folder) => ['4.1', '4.0'].map((version) => `/usr/lib/${folder}/webkit2gtk-${version}`))
    .concat('/usr/libexec/webkit2gtk-4.1');
  return places.map((place) => `${place}/MiniBrowser`).find((file) => existsSync(file)) ?? null;
}

export class WebDriver {
  readonly #process: ChildProcess;
  readonly #session: string;
  /** Version of WebKit, as the driver tells it. */
  readonly version: string;

  private constructor(process: ChildProcess, session: string, version: string) {
    this.#process = process;
    this.#session = session;
    this.version = version;
  }

  static async start(): Promise<WebDriver> {
    const driver = ['WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'];
    const started = spawn('xvfb-run', ['-a', '-s', '-screen 0 1280x1024x24', ...driver], {
      stdio: 'ignore',
      detached: true,
    });
    for (let tries = 0; !(await answers()); tries += 1) {
      if (tries > 300) throw new Error('the driver does not answer');
      await elapsed(100);
    }
    const options = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    const session = (await send('POST', '/session', { capabilities })) as {
      readonly sessionId: string;
      readonly capabilities: { readonly browserVersion?: string };
    };
    return new WebDriver(started, session.sessionId, session.capabilities.browserVersion ?? 'unknown');
  }

  async end(): Promise<void> {
    await this.#call('DELETE', '').catch(() => undefined);
    // Its own group: the driver and its screen.
    if (this.#process.pid !== undefined) process.kill(-this.#process.pid, 'SIGTERM');
  }

  open(url: string): Promise<unknown> {
    return this.#call('POST', '/url', { url });
  }

  reload(): Promise<unknown> {
    return this.#call('POST', '/refresh', {});
  }

  /** Runs this function on the page; it sees nothing from here but its arguments. */
  async run<T, A extends readonly unknown[]>(body: (...args: A) => T, ...args: A): Promise<T> {
    const script = `return (${body.toString()})(...arguments)`;
    return (await this.#call('POST', '/execute/sync', { script, args })) as T;
  }

  /** Clicks, as a person does, on the element that this function finds on the page. False: it finds none. */
  async click<A extends readonly unknown[]>(
    find: (...args: A) => Element | null,
    ...args: A
  ): Promise<boolean> {
    const found = (await this.run(find, ...args)) as Readonly<Record<string, string>> | null;
    const id = found?.[elementKey];
    if (id === undefined) return false;
    await this.#call('POST', `/element/${id}/click`, {});
    return true;
  }

  async newTab(): Promise<WindowHandle> {
    const { handle } = (await this.#call('POST', '/window/new', { type: 'tab' })) as { handle: WindowHandle };
    return handle;
  }

  async window(): Promise<WindowHandle> {
    return (await this.#call('GET', '/window')) as WindowHandle;
  }

  switchTo(handle: WindowHandle): Promise<unknown> {
    return this.#call('POST', '/window', { handle });
  }

  closeTab(): Promise<unknown> {
    return this.#call('DELETE', '/window');
  }

  #call(method: string, path: string, body?: unknown): Promise<unknown> {
    return send(method, `/session/${this.#session}${path}`, body);
  }
}

async function answers(): Promise<boolean> {
  return send('GET', '/status').then(
    () => true,
    () => false,
  );
}

async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { readonly value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { readonly error: string; readonly message: string };
  throw new Error(`${path}: ${error}: ${message}`);
}
