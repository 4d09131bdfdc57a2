/**
 * Owns: spoiling a database file, by a seed: blind changes of bytes, and changes that know the file format.
 * Leaves: what SQLite itself writes at our wish to odd-rows.ts and lies.ts.
 */
import type { Bytes } from '../support/foreign-files.ts';
import type { SeededRandom } from '../support/random.ts';

type Mutation = (bytes: Bytes, random: SeededRandom) => Bytes;

const interesting = [
  0, 1, 2, 3, 4, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
];

export function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

function oddNumber(random: SeededRandom, near: number): number {
  return (
    pick(random, [
      pick(random, interesting),
      near + 1,
      near - 1,
      near ^ (1 << random.below(16)),
      random.below(65536),
    ]) >>> 0
  );
}

function pageSizeOf(bytes: Bytes): number {
  const declared = bytes.length >= 18 ? new DataView(bytes.buffer).getUint16(16) : 0;
  return declared === 1 ? 65536 : Math.max(512, declared);
}

/** Where a page that the file has begins. */
function somePage(bytes: Bytes, random: SeededRandom): number {
  const size = pageSizeOf(bytes);
  return size * random.below(Math.max(1, Math.floor(bytes.length / size)));
}

/** Where the header of a page's b-tree begins: behind the file's own in the first one. */
function treeHeader(page: number): number {
  return page === 0 ? 100 : page;
}

function set16(bytes: Bytes, at: number, value: number): void {
  if (at + 2 <= bytes.length) new DataView(bytes.buffer).setUint16(at, value & 0xffff);
}

/** Where one of a page's cells begins. */
function someCell(bytes: Bytes, random: SeededRandom): number {
  const page = somePage(bytes, random);
  const header = treeHeader(page);
  if (header + 12 > bytes.length) return 0;
  const view = new DataView(bytes.buffer);
  const cells = Math.min(view.getUint16(header + 3), 200);
  const pointers = header + ((bytes[header] ?? 0) < 8 ? 12 : 8);
  const pointer = pointers + 2 * random.below(Math.max(1, cells));
  return pointer + 2 <= bytes.length ? page + view.getUint16(pointer) : 0;
}

function patchedCopy(bytes: Bytes, change: (copy: Bytes) => void): Bytes {
  const copy = bytes.slice();
  if (copy.length > 0) change(copy);
  return copy;
}

export const schemaWords = [
  'TEXT',
  'INTEGER',
  'BLOB',
  'PRIMARY',
  'UNIQUE',
  'NOT',
  'NULL',
  'CHECK',
  'TABLE',
  'INDEX',
  'VIEW',
  'TRIGGER',
  'CREATE',
  'WITHOUT',
  'STRICT',
  'agent_runs',
  'agent_events',
  'tool_effects',
  'run_id',
  'sequence',
  'version',
];

export const mutations: Readonly<Record<string, Mutation>> = {
  'bits flipped': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      for (let times = 1 + random.below(8); times > 0; times -= 1) {
        const at = random.below(copy.length);
        copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      }
    }),
  'bytes overwritten': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const at = random.below(copy.length);
      const length = Math.min(1 + random.below(pick(random, [4, 40, 4000])), copy.length - at);
      copy.set(
        random.below(2) === 0
          ? random.bytes(length)
          : new Uint8Array(length).fill(pick(random, [0, 0xff, 0x41])),
        at,
      );
    }),
  'header field': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const at = pick(
        random,
        [16, 18, 19, 20, 21, 22, 23, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 92, 96],
      );
      if (at + 4 > copy.length) return;
      const view = new DataView(copy.buffer);
      if (at >= 24) view.setUint32(at, oddNumber(random, view.getUint32(at)));
      else copy[at] = oddNumber(random, copy[at] ?? 0) & 0xff;
    }),
  'pages swapped': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const size = pageSizeOf(copy);
      const [a, b] = [somePage(copy, random), somePage(copy, random)];
      const first = copy.slice(a, a + size);
      copy.copyWithin(a, b, b + size);
      copy.set(first.subarray(0, Math.max(0, copy.length - b)), b);
    }),
  'page doubled': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const from = somePage(copy, random);
      copy.copyWithin(somePage(copy, random), from, from + pageSizeOf(copy));
    }),
  truncation: (bytes, random) => {
    const size = pageSizeOf(bytes);
    const whole = size * random.below(Math.floor(bytes.length / size) + 1);
    return bytes.slice(0, random.below(3) === 0 ? random.below(bytes.length + 1) : whole);
  },
  insertion: (bytes, random) => {
    const at = random.below(bytes.length + 1);
    const more = random.bytes(1 + random.below(pick(random, [3, 600, 5000])));
    const made = new Uint8Array(bytes.length + more.length);
    made.set(bytes.subarray(0, at));
    made.set(more, at);
    made.set(bytes.subarray(at), at + more.length);
    return made;
  },
  deletion: (bytes, random) => {
    const at = random.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + random.below(pick(random, [3, 600, 5000])));
    const made = new Uint8Array(bytes.length - (end - at));
    made.set(bytes.subarray(0, at));
    made.set(bytes.subarray(end), at);
    return made;
  },
  'b-tree header': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const header = treeHeader(somePage(copy, random));
      if (header + 12 > copy.length) return;
      const field = random.below(6);
      if (field === 0) copy[header] = pick(random, [2, 5, 10, 13, 0, 1, 255]);
      else if (field === 5) new DataView(copy.buffer).setUint32(header + 8, oddNumber(random, 2));
      else set16(copy, header + [1, 3, 5, 7][field - 1]!, oddNumber(random, 10));
    }),
  'cell pointer': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const page = somePage(copy, random);
      set16(
        copy,
        treeHeader(page) + 8 + 2 * random.below(12),
        oddNumber(random, someCell(copy, random) - page),
      );
    }),
  'cell varint': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const at = someCell(copy, random) + random.below(14);
      const varint = pick(random, [
        [0],
        [1],
        [0x7f],
        [0x81, 0],
        [0xff, 0x7f],
        [0x8f, 0xff, 0xff, 0xff, 0x7f],
        Array<number>(9).fill(0xff),
        [random.below(128)],
      ]);
      for (const [offset, byte] of varint.entries()) if (at + offset < copy.length) copy[at + offset] = byte;
    }),
  'page number': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const at = pick(random, [
        someCell(copy, random),
        somePage(copy, random),
        somePage(copy, random) + pageSizeOf(copy) - 4,
      ]);
      if (at >= 0 && at + 4 <= copy.length)
        new DataView(copy.buffer).setUint32(
          at,
          random.below(2) === 0 ? random.below(40) : oddNumber(random, 3),
        );
    }),
  'schema text': (bytes, random) =>
    patchedCopy(bytes, (copy) => {
      const text = Buffer.from(copy.buffer).toString('latin1');
      const found = [...text.matchAll(new RegExp(pick(random, schemaWords), 'g'))];
      const at = found.length === 0 ? 0 : pick(random, found).index;
      const word = Buffer.from(
        random.below(2) === 0 ? pick(random, schemaWords) : String.fromCharCode(random.below(256)),
        'latin1',
      );
      copy.set(word.subarray(0, Math.max(0, copy.length - at)), at);
    }),
};
