/**
 * Owns: a small server of tools on the loopback address, which answers as each test wants it and keeps what it received.
 * Leaves: what the answers mean to the tests.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Called when the whole request is there. */
export type Answering = (request: ReceivedRequest, response: ServerResponse) => void;

export interface ToolServer {
  /** Without a slash at its end. */
  readonly address: string;
  /** Calls, without the browser's questions whether it may call. */
  readonly calls: ReceivedRequest[];
  /** How calls to this path are answered from now on. */
  answer(path: string, answering: Answering): void;
  /** Resolves when a call to this path has come, or the next time one comes. */
  received(path: string): Promise<ReceivedRequest>;
  close(): Promise<void>;
}

/** Lets pages of all origins call and read. */
export const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'content-type, idempotency-key',
  'access-control-expose-headers': 'retry-after',
} as const;

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answering {
  return (_, response) => {
    response
      .writeHead(status, { ...openToAll, 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

/** `mayBeAsked`: is the question whether a page may call answered well, for this path? */
export async function startToolServer(
  mayBeAsked: (path: string) => boolean = () => true,
): Promise<ToolServer> {
  const answers = new Map<string, Answering>();
  const waiting = new Map<string, (request: ReceivedRequest) => void>();
  const calls: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (incoming.method === 'OPTIONS') {
      response.writeHead(204, mayBeAsked(path) ? openToAll : {}).end();
      return;
    }
    let body = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (part: string) => (body += part));
    incoming.on('end', () => {
      const request = { method: incoming.method ?? '', path, headers: incoming.headers, body };
      calls.push(request);
      waiting.get(path)?.(request);
      (answers.get(path) ?? json(404, {}))(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${String(port)}`,
    calls,
    answer: (path, answering) => answers.set(path, answering),
    received: (path) => {
      const found = calls.find((call) => call.path === path);
      return found ? Promise.resolve(found) : new Promise((resolve) => waiting.set(path, resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
