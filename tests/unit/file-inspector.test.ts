import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fileInspector } from '../../src/bridge/file-inspector.ts';
import { inspect } from '../../src/bridge/file-inspection.ts';
import { fail, succeed } from '../../src/engine/failure.ts';
import { limits } from '../../src/storage/files/limits.ts';
import { files } from '../support/inspected.ts';
import { seededRandom } from '../support/random.ts';
import { testSqlite } from '../support/sqlite.ts';

/** A worker that does what the test says. */
class FakeWorker extends EventTarget {
  readonly posted: unknown[] = [];
  terminated = 0;

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  terminate(): void {
    this.terminated += 1;
  }
}

const file = new Blob(['x']);
let workers: FakeWorker[];
const inspector = fileInspector(() => {
  const worker = new FakeWorker();
  workers.push(worker);
  return worker as unknown as Worker;
});

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the worker that looks at a file', () => {
  test('gets the file, answers, and is ended', async () => {
    const looking = inspector.inspect(file, new AbortController().signal);
    expect(workers[0]?.posted).toEqual([file]);
    workers[0]?.dispatchEvent(
      new MessageEvent('message', { data: fail({ type: 'FileRefused', reason: 'no' }) }),
    );
    expect(await looking).toEqual(fail({ type: 'FileRefused', reason: 'no' }));
    expect(workers[0]?.terminated).toBeGreaterThan(0);
  });

  test('is not even started for a file that is too large', async () => {
    const large = { size: limits.ours.bytes + 1 } as Blob;
    expect(await inspector.inspect(large, new AbortController().signal)).toEqual(
      fail({ type: 'FileRefused', reason: 'it is larger than 128 MB' }),
    );
    expect(workers).toEqual([]);
  });

  test('is ended when it takes too long, and the file is refused with the reason', async () => {
    const looking = inspector.inspect(file, new AbortController().signal);
    vi.advanceTimersByTime(119_000);
    expect(workers[0]?.terminated).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(await looking).toEqual(
      fail({ type: 'FileRefused', reason: 'looking at it took longer than 120 seconds' }),
    );
    expect(workers[0]?.terminated).toBe(1);
  });

  test('is ended when the person no longer waits', async () => {
    const cancel = new AbortController();
    const looking = inspector.inspect(file, cancel.signal);
    cancel.abort();
    expect(await looking).toBeNull();
    expect(workers[0]?.terminated).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may fault: then the file is refused', async () => {
    const looking = inspector.inspect(file, new AbortController().signal);
    workers[0]?.dispatchEvent(Object.assign(new Event('error'), { message: 'out of bounds' }));
    expect(await looking).toEqual(
      fail({ type: 'FileRefused', reason: 'looking at it ended in a fault (out of bounds)' }),
    );
  });
});

describe('looking at a file never throws', () => {
  const random = seededRandom(1);
  const loadSqlite = async () => succeed(await testSqlite());

  test('when the browser cannot read it', async () => {
    const gone = { arrayBuffer: () => Promise.reject(new Error('NotReadable')) } as unknown as Blob;
    expect(await inspect({ loadSqlite, random }, gone)).toEqual(
      fail({ type: 'FileRefused', reason: 'the browser could not read it (NotReadable)' }),
    );
  });

  test('when the database program does not come', async () => {
    const unavailable = fail({ type: 'SqliteUnavailable', reason: 'offline' } as const);
    expect(await inspect({ loadSqlite: () => Promise.resolve(unavailable), random }, file)).toEqual(
      unavailable,
    );
  });

  test('and says which invariants its rows break', async () => {
    const bytes = files.lesson(`UPDATE agent_runs SET version = 7 WHERE run_id = 'run-T104'`);
    expect(await inspect({ loadSqlite, random }, new Blob([bytes]))).toMatchObject({
      ok: true,
      value: { broken: [{ id: 'I4', violations: 1 }] },
    });
  });
});
