/**
 * Owns: opening what is stored: made first where there is nothing, checked, set aside when it is damaged.
 * Leaves: the checks to stored-image.ts; what SQLite thinks of the image to sound-image.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { CrashPort } from '../engine/ports.ts';
import type { Checksum } from './checksum.ts';
import { ImagePages } from './image-pages.ts';
import type { PageStore } from './page-store.ts';
import { randomId, type Random } from './random.ts';
import { assemble, type LogSize } from './stored-image.ts';
import { knownFormat, sealBase, type Head, type StoredImage } from './stored-records.ts';

export interface OpenedImage {
  readonly head: Head;
  /** Its very arrays: the live file goes on in them. */
  readonly pages: ImagePages;
  readonly log: LogSize;
  readonly name: string;
}

export interface ImageParts {
  readonly crash: CrashPort;
  readonly store: PageStore;
  readonly checksum: Checksum;
  readonly random: Random;
  /** Bytes of log after which it is folded, in place of the usual; tests fold often. */
  readonly foldAfter?: number;
}

/**
 * Reads the stored image and checks it; stores `fresh()` first where there is none.
 * Failures: ImageDamaged (it was set aside; opening again starts fresh), FormatNewer, and the store's.
 */
export async function openImage(
  parts: ImageParts,
  fresh: () => Uint8Array,
): Promise<Result<OpenedImage, StorageFailure>> {
  const stored = await parts.store.open();
  if (!stored.ok) return stored;
  if (stored.value) return checkedImage(parts, stored.value);
  const head = { incarnation: randomId(parts.random), generation: 0, id: randomId(parts.random) };
  const created = await parts.store.create(sealBase(parts.checksum, head, ImagePages.of(fresh())));
  if (!created.ok) return created;
  const again = await parts.store.open();
  if (!again.ok) return again;
  return again.value ? checkedImage(parts, again.value) : fail({ type: 'StorageGone', replaced: false });
}

/** Sets a damaged image aside and says so. */
export async function setAside(
  store: PageStore,
  name: string,
  reason: string,
): Promise<Result<never, StorageFailure>> {
  const done = await store.quarantine(name, reason);
  return done.ok ? fail({ type: 'ImageDamaged', reason, quarantined: name }) : done;
}

/** The image of the last commit; a damaged one is set aside. */
export async function checkedImage(
  parts: ImageParts,
  stored: StoredImage,
): Promise<Result<OpenedImage, StorageFailure>> {
  const assembled = assemble(parts.checksum, stored);
  switch (assembled.type) {
    case 'image':
      return succeed({ ...assembled, name: stored.name });
    case 'newer':
      return fail({
        type: 'FormatNewer',
        what: 'image',
        image: stored.name,
        stored: assembled.stored,
        known: knownFormat,
      });
    case 'damaged':
      return setAside(parts.store, stored.name, assembled.reason);
  }
}
