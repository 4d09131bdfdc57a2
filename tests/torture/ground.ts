/** Owns: what a storm stands on: the harness, built by Vite as the page is, and a host that serves it and hears it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { serve } from '../support/static-server.ts';
import { Reports } from './reports.ts';

export interface Ground {
  readonly reports: Reports;
  /** The harness's address, up to and with the slash. */
  readonly host: string;
  close(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const files = await mkdtemp(join(tmpdir(), 'crashpoint-torture-'));
  await build({
    root: fileURLToPath(new URL('harness/', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    base: './',
    worker: { format: 'es' },
    build: { outDir: files, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0 },
  });
  const reports = new Reports();
  const server = await serve({ files, folders: ['/'], take: (path, body) => reports.take(path, body) });
  return {
    reports,
    host: `http://torture.localhost:${server.port}/`,
    close: async () => {
      await server.close();
      await rm(files, { recursive: true });
    },
  };
}
