/** Holds: the SQL console cannot block, and has no way to what is stored. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FromConsole, ToConsole } from '../../src/bridge/console-answer.ts';
import { consoleClient, type Copy } from '../../src/bridge/console-client.ts';
import { consoleMessages } from '../../src/bridge/console-serve.ts';
import { fail, succeed } from '../../src/engine/failure.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { seededRandom } from '../support/random.ts';
import { testSqlite } from '../support/sqlite.ts';

const sqlite = await testSqlite();
const image = freshImage(sqlite, seededRandom(1));
const copyOf = (generation: number): Copy => ({ image, generation });
const never = new AbortController().signal;

/** A worker as the client knows it. `answers` false: its program came, and every task takes for ever. */
class TestWorker {
  static made: TestWorker[] = [];
  onmessage: ((event: { data: FromConsole }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault: () => void }) => void) | null = null;
  terminated = false;
  readonly received: ToConsole[] = [];
  readonly #receive: ((message: ToConsole) => void) | null;

  constructor(how: 'answers' | 'hangs' | 'never loads' | 'cannot load') {
    TestWorker.made.push(this);
    const tell = (data: FromConsole): void => {
      if (!this.terminated) this.onmessage?.({ data });
    };
    this.#receive =
      how === 'answers' || how === 'cannot load'
        ? consoleMessages({
            loadSqlite: () =>
              Promise.resolve(
                how === 'answers'
                  ? succeed(sqlite)
                  : fail({ type: 'SqliteUnavailable', reason: 'the host answered 404' }),
              ),
            random: seededRandom(1),
            tell,
          })
        : null;
    if (how === 'hangs') {
      this.#receive = ({ type }) => {
        if (type === 'copy') tell({ type: 'schema', tables: [] });
      };
      queueMicrotask(() => {
        tell({ type: 'ready' });
      });
    }
  }
  postMessage(message: ToConsole): void {
    this.received.push(message);
    queueMicrotask(() => this.#receive?.(message));
  }
  terminate(): void {
    this.terminated = true;
  }
}

/** `times`: is turned by hand. */
function clientOf(...how: ConstructorParameters<typeof TestWorker>[0][]) {
  TestWorker.made = [];
  const waits: { readonly milliseconds: number; readonly pass: () => void }[] = [];
  const client = consoleClient({
    newWorker: () => new TestWorker(how[TestWorker.made.length] ?? 'answers') as unknown as Worker,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        const pass = (): void => {
          resolve(true);
        };
        waits.push({ milliseconds, pass });
        signal.addEventListener('abort', () => {
          resolve(false);
        });
      }),
  });
  return { client, waits, workers: TestWorker.made };
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('the console’s worker', () => {
  test('is made once, gets a copy once, and answers', async () => {
    const { client, workers } = clientOf('answers');
    const copy = copyOf(3);
    const looked = await client.look(copy, never);
    expect(looked.type === 'schema' && looked.tables.map(({ name }) => name)).toContain('agent_runs');
    for (const sql of ['SELECT 1', 'SELECT 2']) {
      expect(await client.run(copy, 'read', sql, never)).toMatchObject({ type: 'answer' });
    }
    await client.run(copyOf(4), 'read', 'SELECT 3', never);
    expect(workers).toHaveLength(1);
    expect(workers[0]?.received.map(({ type }) => type)).toEqual(['copy', 'read', 'read', 'copy', 'read']);
  });

  test('is ended when a query has not answered in five seconds, and the next query has a new one', async () => {
    const { client, waits, workers } = clientOf('hangs', 'answers');
    const running = client.run(copyOf(1), 'read', 'endless', never);
    await turns();
    expect(waits.at(-1)?.milliseconds).toBe(5000);
    waits.at(-1)?.pass();
    expect(await running).toEqual({ type: 'too-long', seconds: 5 });
    expect(workers[0]?.terminated).toBe(true);
    expect(await client.run(copyOf(1), 'read', 'SELECT 1', never)).toMatchObject({ type: 'answer' });
    expect(workers).toHaveLength(2);
  });

  test('is ended when the person cancels, at whatever it is', async () => {
    for (const how of ['hangs', 'never loads'] as const) {
      const { client, workers } = clientOf(how);
      const cancel = new AbortController();
      const running = client.run(copyOf(1), 'try', 'endless', cancel.signal);
      await turns();
      cancel.abort();
      expect(await running).toEqual({ type: 'cancelled' });
      expect(workers[0]?.terminated).toBe(true);
    }
  });

  test('that cannot be loaded, or takes too long to, is a failure, and can be tried again', async () => {
    const { client, workers } = clientOf('cannot load', 'never loads', 'answers');
    expect(await client.look(copyOf(1), never)).toMatchObject({
      type: 'failed',
      failure: { type: 'SqliteUnavailable' },
    });
    const loading = client.look(copyOf(1), never);
    await turns();
    workers[1]?.onerror?.({ message: '', preventDefault: () => undefined });
    expect(await loading).toEqual({
      type: 'failed',
      failure: { type: 'WorkerNotLoaded', worker: 'console' },
    });
    expect(await client.look(copyOf(1), never)).toMatchObject({ type: 'schema' });
  });

  test('is not used again after a query that may have left something in it', async () => {
    const { client, workers } = clientOf('answers', 'answers');
    await client.run(copyOf(1), 'read', `ATTACH 'left.db' AS l`, never);
    expect(workers[0]?.terminated).toBe(true);
  });
});

describe('what is tried before it is written', () => {
  const refusedFor = async (sql: string): Promise<string | null> => {
    const ran = await clientOf('answers').client.run(copyOf(1), 'try', sql, never);
    if (ran.type !== 'answer') throw new Error(ran.type);
    expect(ran.answer.problem).toBeNull();
    return ran.refused;
  };
  const insert = (version: string): string =>
    `INSERT INTO agent_runs VALUES ('run-1', 'T104', 'running', 'classify_priority', '{}', ${version})`;

  test('may break what must hold', async () => {
    expect(await refusedFor(insert('7'))).toBeNull();
    expect(await refusedFor('SELECT 1')).toBeNull();
  });

  test('is refused where the lab could not show it or open it again', async () => {
    expect(await refusedFor(insert('1e300'))).toContain('version holds');
    expect(await refusedFor(insert("'many'"))).toContain('version holds a text where a whole number belongs');
    expect(await refusedFor(insert('1').replace("'{}'", "x'00'"))).toContain('raw bytes');
  });
});

test('nothing that the console’s worker loads names the browser’s storage', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || !existsSync(path)) return;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    // Types are gone when it runs.
    const found = text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from\s+'(\.[^']+\.ts)'/gms);
    for (const [, to = ''] of found) visit(join(dirname(path), to));
  };
  visit('src/console.worker.ts');
  expect(seen.size).toBeGreaterThan(20);
  const naming = [...seen].filter((path) =>
    /\b(indexedDB|IDB\w+|localStorage|caches|navigator\.(storage|locks)|BroadcastChannel)\b/.test(
      readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
    ),
  );
  expect(naming).toEqual([]);
});
