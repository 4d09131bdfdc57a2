/**
 * Owns: the watch over one test: it fails on any error and on any request elsewhere.
 *
 * What Firefox does not tell over this channel: what a worker writes on its console and throws. An error of a worker
 * that reaches the page (`Worker.onerror`) is told; a violation of the policy is told as an error of the page.
 */
import type { BrowserContext, ConsoleMessage, Request, WebError } from '@playwright/test';

/** What the test's pages did: kept over all its tabs and workers. */
export interface Watch {
  readonly requests: readonly Request[];
  /** Errors on the page, in its workers and on the console, and violations of the page’s policy. A test that expects one takes it out. */
  readonly errors: string[];
  /** URLs of requests to another origin. */
  elsewhere(): readonly string[];
  /** For a test in which calls are sent to this address: requests there, and what the browser writes about it, are no errors. */
  allow(address: string): void;
  end(): void;
}

export function watchOver(context: BrowserContext, origin: string): Watch {
  const requests: Request[] = [];
  const errors: string[] = [];
  const addresses: string[] = [];
  const onRequest = (request: Request): void => {
    requests.push(request);
  };
  const note = (text: string): void => {
    if (!addresses.some((address) => text.includes(address))) errors.push(text);
  };
  const onError = (thrown: WebError): void => {
    const { name, message, stack } = thrown.error();
    note([name, message, stack].join('\n'));
  };
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') {
      note(`console.${message.type()}: ${message.text()} (${message.location().url})`);
    }
  };
  context.on('request', onRequest).on('weberror', onError).on('console', onConsole);
  return {
    requests,
    errors,
    elsewhere: () =>
      requests.map((request) => request.url()).filter((url) => isElsewhere(url, [origin, ...addresses])),
    allow: (address) => {
      addresses.push(new URL(address).origin);
    },
    end: () => {
      context.off('request', onRequest).off('weberror', onError).off('console', onConsole);
    },
  };
}

/** Makes every page of the browser write violations of its policy on the console. Once a browser. */
export async function reportViolations(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`The page’s policy was violated: ${event.violatedDirective}, ${event.blockedURI}`);
    });
  });
}

function isElsewhere(url: string, allowed: readonly string[]): boolean {
  const { protocol, origin } = new URL(url);
  return protocol !== 'blob:' && protocol !== 'data:' && !allowed.includes(origin);
}
