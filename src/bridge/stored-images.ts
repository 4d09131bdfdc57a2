/**
 * Owns: what can be asked of the stored images whether or not the database opened: images that were set aside, the
 * bytes of one that can't be opened, starting fresh beside one.
 * Leaves: storing them to storage/; the open database to lab-server.ts.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import { salvage } from '../storage/stored-image.ts';
import type { QuarantinedImage } from './protocol.ts';
import type { Handlers } from './server.ts';

type Commands = 'quarantined' | 'exportQuarantined' | 'deleteQuarantined' | 'exportStored' | 'startBeside';

export function storedImages(images: () => ImageStorage): Pick<Handlers, Commands> {
  async function listed(): Promise<Result<readonly QuarantinedImage[]>> {
    const all = await images().kept.list();
    if (!all.ok) return all;
    return succeed(
      all.value.flatMap(({ name, kind, reason, atUtc, bytes }) =>
        kind === 'quarantined' || kind === 'newer' ? [{ name, kind, reason, atUtc, bytes }] : [],
      ),
    );
  }
  return {
    quarantined: listed,
    exportQuarantined: async ({ name }) => {
      const bytes = await images().kept.get(name);
      if (!bytes.ok) return bytes;
      return bytes.value === null ? fail({ type: 'ImageNotKept', name }) : succeed(bytes.value);
    },
    deleteQuarantined: async ({ name }) => {
      const deleted = await images().kept.delete(name);
      return deleted.ok ? listed() : deleted;
    },
    exportStored: async () => {
      const stored = await images().pages.open();
      if (!stored.ok) return stored;
      if (stored.value === null) return fail({ type: 'ImageNotKept', name: 'the current database' });
      return succeed(salvage(stored.value));
    },
    startBeside: ({ image }) =>
      images().pages.quarantine(image, 'a newer version of this page wrote it', 'newer'),
  };
}
