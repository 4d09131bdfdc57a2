/**
 * Owns: one thread of the fuzzer. As on the page there are two: one looks at a file, with an SQLite of its own; the
 * other is the agent's, and sees nothing of the file but the image that was made of it.
 * Leaves: time-outs, counts and the end of a thread to run.mjs, which starts this bundled.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ForeignFiles } from '../support/foreign-files.ts';
import { testParts } from '../support/lives.ts';
import { testSqlite } from '../support/sqlite.ts';
import { agent } from './agent.ts';
import { inspector } from './inspector.ts';

export type Asked =
  | { readonly type: 'spoilt'; readonly seed: number }
  | { readonly type: 'good' }
  | { readonly type: 'image'; readonly image: Uint8Array; readonly seed: number }
  | { readonly type: 'again'; readonly image: Uint8Array };

/** `failed`: something that must not be. */
export type Answered =
  | { readonly type: 'refused'; readonly story: string; readonly reason: string }
  | { readonly type: 'opened'; readonly story: string; readonly image: Uint8Array }
  | { readonly type: 'done'; readonly image: Uint8Array | null }
  | { readonly type: 'failed'; readonly story: string; readonly what: string };

const sqlite = await testSqlite();
const answer: (asked: Asked) => Promise<Answered> =
  workerData === 'agent'
    ? agent(await testParts())
    : inspector(sqlite, new ForeignFiles((image) => sqlite.openScratch(image)));

parentPort?.on('message', (asked: Asked) => {
  answer(asked)
    .catch((error: unknown): Answered => ({
      type: 'failed',
      story: '',
      what: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }))
    .then((answered) => parentPort?.postMessage(answered));
});
parentPort?.postMessage('ready');
