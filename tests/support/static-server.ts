/**
 * Owns: the built page on a plain static host, in any folder: no special headers, an unknown type for .wasm.
 */
import { createServer } from 'node:http';
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

export interface StaticServer {
  /** Port on the loopback address. */
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `dist` under `folder`, which begins and ends with a slash. */
export async function serveDist(folder: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const inside = path.startsWith(folder) ? path.slice(folder.length) : null;
    const file = inside === '' ? 'index.html' : inside;
    if (file === null || normalize(file).startsWith('..')) {
      response.writeHead(404).end();
      return;
    }
    readFile(join('dist', file)).then(
      (body) => {
        response
          .writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
          .end(body);
      },
      () => {
        response.writeHead(404).end();
      },
    );
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
