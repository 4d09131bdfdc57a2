/** IndexedDB that does not answer: every wait ends, is told once it is felt, and gets shorter until an answer comes. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { IdbConnection } from '../../src/storage/idb-connection.ts';
import { usualWaits, WaitWatch, type Waiting } from '../../src/storage/waits.ts';

/** Answers nothing by itself: the test does. */
class FakeTransaction {
  oncomplete: (() => void) | null = null;
  onabort: (() => void) | null = null;
  readonly error = null;
  calledOff = false;
  abort(): void {
    this.calledOff = true;
  }
}

class FakeDatabase {
  version = 1;
  closed = 0;
  readonly transactions: FakeTransaction[] = [];
  transaction(): FakeTransaction {
    const transaction = new FakeTransaction();
    this.transactions.push(transaction);
    return transaction;
  }
  close(): void {
    this.closed += 1;
  }
}

class FakeFactory {
  readonly database = new FakeDatabase();
  readonly requests: { onsuccess: (() => void) | null; result: FakeDatabase }[] = [];
  answers = true;
  open(): object {
    const request = { onsuccess: null as (() => void) | null, result: this.database };
    this.requests.push(request);
    if (this.answers) queueMicrotask(() => request.onsuccess?.());
    return request;
  }
  get idb(): IDBFactory {
    return this as unknown as IDBFactory;
  }
}

let factory: FakeFactory;
let told: (Waiting | null)[];
let connection: IdbConnection;
beforeEach(() => {
  vi.useFakeTimers();
  factory = new FakeFactory();
  told = [];
  const watch = new WaitWatch((waiting) => told.push(waiting));
  connection = new IdbConnection(factory.idb, 'name', ['store'], { ...usualWaits, watch });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A write that is asked for: how it ended, once it has. */
function writing(): { ended: string | null } {
  const state: { ended: string | null } = { ended: null };
  void connection
    .write<null>(['store'], () => undefined)
    .then((result) => {
      state.ended = result.ok ? 'ok' : result.failure.type;
    });
  return state;
}

describe('a transaction without an answer', () => {
  test('is in doubt after 15 seconds, the next ones after 2, and after an answer it is 15 again', async () => {
    const first = writing();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(first.ended).toBe(null);
    await vi.advanceTimersByTimeAsync(1);
    expect(first.ended).toBe('OutcomeUnknown');
    expect(factory.database.transactions[0]?.calledOff).toBe(true);

    const second = writing();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(second.ended).toBe('OutcomeUnknown');

    factory.database.transactions[0]?.oncomplete?.();
    const third = writing();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(third.ended).toBe(null);
    factory.database.transactions.at(-1)?.oncomplete?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(third.ended).toBe('ok');
  });

  test('is told from the second second on, over all attempts, until an answer comes', async () => {
    writing();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(13_001);
    const seconds = told.map((one) => one?.seconds);
    expect(seconds.slice(0, 13)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    const last = seconds.at(-1) ?? 0;
    writing();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told.at(-1)).toEqual({ what: 'commit', seconds: last + 1 });
    expect(told).not.toContain(null);
    factory.database.transactions.at(-1)?.oncomplete?.();
    expect(told.at(-1)).toBe(null);
  });

  test('that is answered at once is not told', async () => {
    const one = writing();
    await vi.advanceTimersByTimeAsync(0);
    factory.database.transactions[0]?.oncomplete?.();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(one.ended).toBe('ok');
    expect(told).toEqual([]);
  });
});

describe('an open without an answer', () => {
  test('is tried twice, told, and then fails', async () => {
    factory.answers = false;
    const one = writing();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(one.ended).toBe(null);
    await vi.advanceTimersByTimeAsync(1);
    expect(one.ended).toBe('StorageStuck');
    expect(factory.requests).toHaveLength(2);
    expect(told[0]).toEqual({ what: 'open', seconds: 2 });
  });

  test('that comes late is closed, not left open behind everybody’s back', async () => {
    factory.answers = false;
    writing();
    await vi.advanceTimersByTimeAsync(10_000);
    for (const request of factory.requests) request.onsuccess?.();
    expect(factory.database.closed).toBe(2);
  });
});

test('a database of a newer page is closed at once and told with both versions', async () => {
  factory.database.version = 3;
  const read = await connection.read(['store'], () => undefined);
  expect(read).toEqual({
    ok: false,
    failure: { type: 'FormatNewer', what: 'database', image: 'name', stored: 3, known: 1 },
  });
  expect(factory.database.closed).toBe(1);
});

test('what is read outside of a transaction is waited for no longer, and told as well', async () => {
  const reading = connection.within(new Promise<never>(() => undefined));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await reading).toEqual({ ok: false, failure: { type: 'StorageStuck', what: 'read', seconds: 15 } });
  expect(told[0]).toEqual({ what: 'read', seconds: 2 });
  expect(await connection.within(Promise.resolve(7))).toEqual({ ok: true, value: 7 });
});
