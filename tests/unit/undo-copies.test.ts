/** The copy that Undo brings back: there as long as it is promised, and not put in place when it is damaged. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { dropUnreachable, replaceLab, type LabStorage } from '../../src/bridge/lab-storage.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { memoryStorage, type ImageStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom } from '../../src/storage/random.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { openLab } from '../support/lab.ts';
import { must, open, steppingClock, testParts, type Parts } from '../support/lives.ts';

let parts: Parts;
let images: ImageStorage;
beforeAll(async () => {
  parts = await testParts();
});
beforeEach(() => {
  images = memoryStorage(steppingClock());
});

/** Another tab on the same storage, without any lock between them. */
async function tab(): Promise<LabStorage> {
  const clock = steppingClock();
  const database = await open(parts, images.pages, new CrashPlan(), clock);
  return { database, kept: images.kept, sqlite: parts.sqlite, random: cryptoRandom, clock };
}

async function keptNames(): Promise<readonly string[]> {
  return must(await images.kept.list()).map(({ name }) => name);
}

test('a tab that gives room back leaves what another tab has kept and is about to replace', async () => {
  const [a, b] = [await tab(), await tab()];
  const { commit } = images.pages;
  images.pages.commit = async (...values) => {
    images.pages.commit = commit;
    await dropUnreachable(b);
    return commit.apply(images.pages, values);
  };
  must(await replaceLab(a, 'reset', freshImage(a.sqlite, a.random)));
  expect(await keptNames()).toHaveLength(1);

  // What has seen the reset knows what its undo reaches.
  must(await b.database.refresh());
  await dropUnreachable(b);
  expect(await keptNames()).toHaveLength(1);
});

test('what a reset kept that was never committed is given back once others have gone on', async () => {
  const [a, b] = [await tab(), await tab()];
  const bytes = await a.database.image();
  must(
    await a.kept.keep(
      { name: 'orphan', kind: 'reset', reason: '', atUtc: '', runs: 0, replacedBy: 1 },
      bytes,
    ),
  );
  await dropUnreachable(b);
  expect(await keptNames()).toEqual(['orphan']);
  must(await replaceLab(b, 'reset', freshImage(b.sqlite, b.random)));
  await dropUnreachable(b);
  expect(await keptNames()).not.toContain('orphan');
});

test('a copy that is damaged is not brought back: what is stored stays', async () => {
  const { server, close } = await openLab(parts, images);
  const { handlers } = server;
  must(await handlers.start({ ticketId: 'T104' }));
  must(await handlers.reset({}));
  const [image] = must(await images.kept.list());
  if (image === undefined) throw new Error('nothing was kept');
  const content = must(await images.kept.get(image.name)) ?? new Uint8Array(0);
  const before = must(await handlers.exportDatabase({}));
  for (const damaged of [content.fill(255, 4096, 8192), content.subarray(0, 5000), new Uint8Array(4096)]) {
    must(await images.kept.keep(image, damaged));
    expect(await handlers.undo({})).toMatchObject({ ok: false, failure: { type: 'CopyDamaged' } });
    expect(must(await handlers.exportDatabase({}))).toEqual(before);
  }
  must(await handlers.start({ ticketId: 'T101' }));
  await close();
});
