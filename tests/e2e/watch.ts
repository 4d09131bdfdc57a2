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
  end(): void;
}

export function watchOver(context: BrowserContext, origin: string): Watch {
  const requests: Request[] = [];
  const errors: string[] = [];
  const onRequest = (request: Request): void => {
    requests.push(request);
  };
  const onError = (thrown: WebError): void => {
    const { name, message, stack } = thrown.error();
    errors.push([name, message, stack].join('\n'));
  };
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') {
      errors.push(`console.${message.type()}: ${message.text()} (${message.location().url})`);
    }
  };
  context.on('request', onRequest).on('weberror', onError).on('console', onConsole);
  return {
    requests,
    errors,
    elsewhere: () => requests.map((request) => request.url()).filter((url) => isElsewhere(url, origin)),
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

function isElsewhere(url: string, origin: string): boolean {
  const { protocol, origin: asked } = new URL(url);
  return protocol !== 'blob:' && protocol !== 'data:' && asked !== origin;
}
