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

  test('what is deleted, and what never was, is null', async () => {
    const kept = await make();
    value(await kept.keep(image, Uint8Array.of(1)));
    value(await kept.delete('undo'));
    expect(value(await kept.get('undo'))).toBe(null);
    expect(value(await kept.list())).toEqual([]);
  });
}
