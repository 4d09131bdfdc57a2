/** What every page store must do, whoever makes it. The makes run this suite, in Node or in the browser. */
import { beforeAll, expect, test } from 'vitest';
import type { Checksum } from '../../src/storage/checksum.ts';
import { loadChecksum } from '../../src/storage/checksum.ts';
import { chunkBytes as pieceBytes, ImagePages, pageSize } from '../../src/storage/image-pages.ts';
import type { PageStore } from '../../src/storage/page-store.ts';
import { sameBytes } from '../../src/storage/recorder-check.ts';
import { assemble } from '../../src/storage/stored-image.ts';
import {
  sealBase,
  sealRecord,
  type BaseImage,
  type Head,
  type LogRecord,
} from '../../src/storage/stored-records.ts';
import { value } from '../support/result.ts';

/** Opens one more store over the same stored image, as another tab would. */
export type OpenTab = () => Promise<PageStore>;

/** `make` gives a place where nothing is stored yet. */
export function pageStoreContract(make: () => Promise<OpenTab>): void {
  let checksum: Checksum;
  beforeAll(async () => {
    checksum = await loadChecksum();
  });

  const start: Head = { incarnation: 'i', generation: 0, id: 'id-0' };
  const baseAt = (head: Head, fill = 0): BaseImage =>
    sealBase(checksum, head, ImagePages.of(new Uint8Array(2 * pageSize).fill(fill)));
  /** A commit that sets the first byte of page 2. */
  const record = (parent: Head, id: string, byte: number): LogRecord =>
    sealRecord(checksum, parent, id, 2, Uint8Array.from([2, 0, 0, 0, 0, 0, 1, 0, byte]));
  const after = (head: Head, id: string): Head => ({ ...head, generation: head.generation + 1, id });

  async function tabs(count: number): Promise<PageStore[]> {
    const open = await make();
    const stores: PageStore[] = [];
    for (let tab = 0; tab < count; tab += 1) {
      const store = await open();
      value(await store.open());
      if (tab === 0) value(await store.create(baseAt(start)));
      stores.push(store);
    }
    return stores;
  }

  async function stored(store: PageStore): Promise<{ head: Head; byte: number | undefined }> {
    const image = value(await store.open());
    if (!image) throw new Error('nothing is stored');
    const assembled = assemble(checksum, image);
    if (assembled.type !== 'image') throw new Error(JSON.stringify(assembled));
    return { head: assembled.head, byte: assembled.pages.page(2)[0] };
  }

  test('nothing is stored at first', async () => {
    const store = await (await make())();
    expect(value(await store.open())).toBe(null);
  });

  test('of two that create the image, one does and the other is told', async () => {
    const open = await make();
    const [a, b] = [await open(), await open()];
    value(await a.open());
    value(await b.open());
    const created = await Promise.all([
      a.create(baseAt({ ...start, incarnation: 'a' })),
      b.create(baseAt({ ...start, incarnation: 'b' })),
    ]);
    expect(created.map(value).sort()).toEqual([false, true]);
    expect((await stored(a)).head).toEqual((await stored(b)).head);
  });

  test('a commit is there for all who open or refresh', async () => {
    const [a, b] = await tabs(2);
    const first = record(start, 'id-1', 7);
    expect(value(await a!.commit(start, first))).toEqual({ type: 'saved' });
    expect(await stored(b!)).toEqual({ head: after(start, 'id-1'), byte: 7 });
    expect(value(await b!.refresh(start))).toEqual({ type: 'news', entries: [{ key: 1, value: first }] });
    expect(value(await b!.refresh(after(start, 'id-1')))).toEqual({ type: 'news', entries: [] });
  });

  test('a commit on a generation that has been written is a conflict and changes nothing', async () => {
    const [a, b] = await tabs(2);
    value(await a!.commit(start, record(start, 'id-a', 1)));
    expect(value(await b!.commit(start, record(start, 'id-b', 2)))).toEqual({ type: 'conflict' });
    expect(await stored(b!)).toEqual({ head: after(start, 'id-a'), byte: 1 });
  });

  test('of many commits at once on one generation exactly one is saved', async () => {
    const stores = await tabs(4);
    const outcomes = await Promise.all(
      stores.map((store, index) => store.commit(start, record(start, `id-${index}`, index))),
    );
    expect(outcomes.map((outcome) => value(outcome).type).sort()).toEqual([
      'conflict',
      'conflict',
      'conflict',
      'saved',
    ]);
  });

  test('the same record sent again is saved once', async () => {
    const [a] = await tabs(1);
    const first = record(start, 'id-1', 7);
    value(await a!.commit(start, first));
    expect(value(await a!.commit(start, first))).toEqual({ type: 'saved' });
    expect((await stored(a!)).head.generation).toBe(1);
  });

  test('folding the log leaves the same image', async () => {
    const [a, b] = await tabs(2);
    value(await a!.commit(start, record(start, 'id-1', 7)));
    const tip = after(start, 'id-1');
    const folded = new Uint8Array(2 * pageSize);
    folded[pageSize] = 7;
    expect(value(await a!.compact(sealBase(checksum, tip, ImagePages.of(folded))))).toBe(true);
    expect(await stored(b!)).toEqual({ head: tip, byte: 7 });
    expect(value(await b!.open())?.log).toEqual([]);
  });

  test('folds of an image of several pieces leave it whole: one piece changed, some cut off, some added', async () => {
    const [a, b] = await tabs(2);
    let head = start;
    const shapes = [
      [2 * pieceBytes + pageSize, 0],
      [2 * pieceBytes + pageSize, pieceBytes + 5],
      [pageSize, 3],
      [pieceBytes + pageSize, pieceBytes + 1],
    ] as const;
    const image = new Uint8Array(3 * pieceBytes);
    for (const [index, [length, changed]] of shapes.entries()) {
      const id = `id-${index + 1}`;
      value(await a!.commit(head, sealRecord(checksum, head, id, length / pageSize, new Uint8Array(0))));
      head = after(head, id);
      image[changed] = index + 1;
      image.fill(0, length);
      const folded = image.slice(0, length);
      expect(value(await a!.compact(sealBase(checksum, head, ImagePages.of(folded))))).toBe(true);
      const assembled = assemble(checksum, value(await b!.open())!);
      if (assembled.type !== 'image') throw new Error(JSON.stringify(assembled));
      expect(assembled.head).toEqual(head);
      expect(sameBytes(assembled.pages.toBytes(), folded)).toBe(true);
    }
  });

  test('a fold keeps the commits after it', async () => {
    const [a] = await tabs(1);
    const one = after(start, 'id-1');
    value(await a!.commit(start, record(start, 'id-1', 1)));
    value(await a!.commit(one, record(one, 'id-2', 2)));
    expect(value(await a!.compact(baseAt(one)))).toBe(true);
    expect(await stored(a!)).toEqual({ head: after(one, 'id-2'), byte: 2 });
  });

  test('who stands before a fold is sent to open again, and its commit is not written', async () => {
    const [a, b] = await tabs(2);
    const one = after(start, 'id-1');
    value(await a!.commit(start, record(start, 'id-1', 1)));
    value(await a!.compact(baseAt(one)));
    expect(value(await b!.commit(start, record(start, 'id-b', 9)))).toEqual({ type: 'moved' });
    expect(value(await b!.refresh(start))).toEqual({ type: 'moved' });
    expect((await stored(b!)).head).toEqual(one);
  });

  test('a record that was folded since it was sent is known as saved', async () => {
    const [a] = await tabs(1);
    const first = record(start, 'id-1', 1);
    value(await a!.commit(start, first));
    value(await a!.compact(baseAt(after(start, 'id-1'))));
    expect(value(await a!.commit(start, first))).toEqual({ type: 'saved' });
    expect((await stored(a!)).head.generation).toBe(1);
  });

  test('a fold by somebody whose tip is not in the log does nothing', async () => {
    const [a] = await tabs(1);
    value(await a!.commit(start, record(start, 'id-1', 1)));
    expect(value(await a!.compact(baseAt(after(start, 'id-other'))))).toBe(false);
    expect(value(await a!.compact(baseAt({ ...start, generation: 5, id: 'id-5' })))).toBe(false);
    expect(value(await a!.compact(baseAt(start)))).toBe(false);
    expect(await stored(a!)).toEqual({ head: after(start, 'id-1'), byte: 1 });
  });

  test('a commit, fold or refresh of another incarnation is refused', async () => {
    const [a] = await tabs(1);
    const other = { ...start, incarnation: 'other' };
    value(await a!.commit(start, record(start, 'id-1', 1)));
    expect(value(await a!.commit(other, record(other, 'id-x', 9)))).toEqual({ type: 'moved' });
    expect(value(await a!.refresh(other))).toEqual({ type: 'moved' });
    expect(value(await a!.compact(baseAt({ ...other, generation: 1, id: 'id-1' })))).toBe(false);
    expect(await stored(a!)).toEqual({ head: after(start, 'id-1'), byte: 1 });
  });

  test('an image that is set aside is no longer the current one, and its commits are refused', async () => {
    const [a, b] = await tabs(2);
    const image = value(await a!.open());
    value(await a!.quarantine(image!.name, 'a test'));
    expect(value(await b!.commit(start, record(start, 'id-1', 1)))).toEqual({ type: 'moved' });
    expect(value(await a!.open())).toBe(null);
    expect(value(await b!.open())).toBe(null);
  });

  test('setting aside a second time leaves the fresh image alone', async () => {
    const [a, b] = await tabs(2);
    const image = value(await a!.open());
    value(await a!.quarantine(image!.name, 'a test'));
    value(await a!.open());
    value(await a!.create(baseAt({ ...start, incarnation: 'fresh' })));
    value(await b!.quarantine(image!.name, 'a test'));
    expect((await stored(b!)).head.incarnation).toBe('fresh');
  });
}
