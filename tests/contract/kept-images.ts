/** What every place for kept images must do. */
import { expect, test } from 'vitest';
import type { KeptImages } from '../../src/storage/kept-images.ts';
import { value } from '../support/result.ts';

export function keptImagesContract(make: () => Promise<KeptImages>): void {
  const image = {
    name: 'undo',
    kind: 'reset',
    reason: '',
    atUtc: '2025-01-01T00:00:00.000Z',
    runs: 2,
    replacedBy: 5,
  } as const;

  test('what is kept is listed without content and given back byte for byte', async () => {
    const kept = await make();
    value(await kept.keep(image, Uint8Array.of(1, 2, 3)));
    expect(value(await kept.list())).toEqual([{ ...image, bytes: 3 }]);
    expect(value(await kept.get('undo'))).toEqual(Uint8Array.of(1, 2, 3));
  });

  test('keeping under the same name replaces', async () => {
    const kept = await make();
    value(await kept.keep(image, Uint8Array.of(1)));
    value(await kept.keep({ ...image, kind: 'opened' }, Uint8Array.of(2)));
    expect(value(await kept.list())).toEqual([{ ...image, kind: 'opened', bytes: 1 }]);
    expect(value(await kept.get('undo'))).toEqual(Uint8Array.of(2));
  });

  test('what was replaced by a generation that was seen is dropped, unless an undo still reaches it', async () => {
    const kept = await make();
    for (const [name, replacedBy] of [
      ['first', 4],
      ['reachable', 5],
      ['later', 6],
    ] as const)
      value(await kept.keep({ ...image, name, replacedBy }, Uint8Array.of(replacedBy)));
    value(await kept.keep({ ...image, name: 'aside', kind: 'newer', replacedBy: null }, Uint8Array.of(0)));
    value(await kept.dropReplaced(5, 'reachable'));
    expect(
      value(await kept.list())
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['aside', 'later', 'reachable']);
    expect(value(await kept.get('first'))).toBe(null);
    expect(value(await kept.get('later'))).toEqual(Uint8Array.of(6));
    value(await kept.dropReplaced(6, null));
    expect(value(await kept.list()).map(({ name }) => name)).toEqual(['aside']);
  });

  test('what is deleted, and what never was, is null', async () => {
    const kept = await make();
    value(await kept.keep(image, Uint8Array.of(1)));
    value(await kept.delete('undo'));
    expect(value(await kept.get('undo'))).toBe(null);
    expect(value(await kept.list())).toEqual([]);
  });
}
