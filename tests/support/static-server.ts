/**
 * Owns: the built page on a plain static host, in any folders: no special headers, an unknown type for .wasm.
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

/** Where the build under test lies: DIST_DIR names another than the usual one. */
export const distFolder = process.env['DIST_DIR'] ?? 'dist';

export interface StaticServer {
  /** Port on the loopback address. */
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the build under each of these folders, which begin and end with a slash. */
export async function serveDist(...folders: readonly string[]): Promise<StaticServer> {
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const folder = deepestFirst.find((one) => path.startsWith(one));
    const inside = folder === undefined ? null : path.slice(folder.length);
    const file = inside === '' ? 'index.html' : inside;
    if (file === null || normalize(file).startsWith('..')) {
      response.writeHead(404).end();
      return;
    }
    readFile(join(distFolder, file)).then(
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
