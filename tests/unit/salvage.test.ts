/** What can be had of a damaged image is had, whatever its pieces look like: nothing throws on the way to setting it aside. */
import { expect, test } from 'vitest';
import { chunkBytes, pageSize } from '../../src/storage/image-pages.ts';
import { salvage } from '../../src/storage/stored-image.ts';
import type { StoredImage } from '../../src/storage/stored-records.ts';

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

function image(...pieces: readonly unknown[]): StoredImage {
  const entries = pieces.map((value, key) => ({ key, value }));
  return { name: 'damaged', base: undefined, pieces: entries, log: [], setAside: false };
}

test.each<[string, StoredImage, number, readonly (readonly [number, number])[]]>([
  [
    'whole pieces',
    image(filled(chunkBytes, 1), filled(pageSize, 2)),
    chunkBytes + pageSize,
    [[chunkBytes, 2]],
  ],
  [
    'a piece in the middle that is cut off',
    image(filled(pageSize, 1), filled(pageSize, 2)),
    chunkBytes + pageSize,
    [
      [pageSize - 1, 1],
      [pageSize, 0],
      [chunkBytes, 2],
    ],
  ],
  ['a piece that is too long', image(filled(chunkBytes + 9, 1)), chunkBytes, [[chunkBytes - 1, 1]]],
  [
    'a piece that can’t be read',
    image(undefined, filled(pageSize, 2)),
    chunkBytes + pageSize,
    [
      [0, 0],
      [chunkBytes, 2],
    ],
  ],
  ['nothing', image(), 0, []],
])('of %s each byte is at its place', (_, stored, length, bytes) => {
  const had = salvage(stored);
  expect(had.length).toBe(length);
  for (const [at, byte] of bytes) expect(had[at]).toBe(byte);
});
