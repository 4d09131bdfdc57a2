/**
 * Owns: a plain static host on the loopback address: no special headers, an unknown type for .wasm. It serves the
 * built page, or another folder, and may take in what a test's own page sends.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.csv': 'text/csv',
  '.webmanifest': 'application/manifest+json',
};

/** Where the build under test lies: DIST_DIR names another than the usual one. */
export const distFolder = process.env['DIST_DIR'] ?? 'dist';

export interface StaticServer {
  /** Port on the loopback address. */
  readonly port: number;
  close(): Promise<void>;
}

export interface Served {
  /** Where the files lie. */
  readonly files: string;
  /** The folders of the address under which they are served: each begins and ends with a slash. */
  readonly folders: readonly string[];
  /** What is done with the body of a POST, by its path. Without it nothing is taken in. */
  readonly take?: (path: string, body: Buffer) => void;
}

/** Serves the build under each of these folders, which begin and end with a slash. */
export function serveDist(...folders: readonly string[]): Promise<StaticServer> {
  return serve({ files: distFolder, folders });
}

export async function serve({ files, folders, take }: Served): Promise<StaticServer> {
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const refuse = (): void => {
      response.writeHead(404).end();
    };
    if (request.method === 'POST') {
      if (!take) return refuse();
      bodyOf(request).then((body) => {
        take(path, body);
        response.writeHead(204).end();
      }, refuse);
      return;
    }
    const folder = deepestFirst.find((one) => path.startsWith(one));
    const inside = folder === undefined ? null : path.slice(folder.length);
    const file = inside === '' ? 'index.html' : inside;
    if (file === null || normalize(file).startsWith('..')) return refuse();
    readFile(join(files, file)).then((body) => {
      response
        .writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
        .end(body);
    }, refuse);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Rejects when the sender dies before the end. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
