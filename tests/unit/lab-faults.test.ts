/** The lab's commands when another tab was first, and when what is stored is gone or a newer page's. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { memoryStorage } from '../../src/storage/image-storage.ts';
import { openLab, type OpenedLab } from '../support/lab.ts';
import { must, steppingClock, testParts, type Parts } from '../support/lives.ts';

let parts: Parts;
let storage: ImageStorage;
const labs: OpenedLab[] = [];
beforeAll(async () => {
  parts = await testParts();
});
beforeEach(() => {
  storage = memoryStorage(steppingClock());
});
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

async function tab(): Promise<OpenedLab['server']['handlers']> {
  const lab = await openLab(parts, storage);
  labs.push(lab);
  return lab.server.handlers;
}

async function evict(): Promise<void> {
  must(await storage.pages.quarantine(must(await storage.pages.open())?.name ?? '', 'evicted'));
}

test.each(['step', 'resume'] as const)(
  '%s from a version that is not stored any more is a conflict that names both, and writes nothing',
  async (command) => {
    const [a, b] = [await tab(), await tab()];
    must(await a.start({ ticketId: 'T104' }));
    must(await a.step({ runId: 'run-T104', version: 0 }));
    const failed = await b[command]({ runId: 'run-T104', version: 0 });
    expect(failed).toEqual({
      ok: false,
      failure: { type: 'StateConflict', runId: 'run-T104', expected: 0, stored: 1 },
    });
    const seen = must(await b.view({ selectedRunId: 'run-T104' }));
    expect(seen.storage.generation).toBe(2);
    must(await b[command]({ runId: 'run-T104', version: seen.selected?.run.version ?? -1 }));
  },
);

test('going on with a run that is over says that, whatever version was seen', async () => {
  const [a, b] = [await tab(), await tab()];
  must(await a.start({ ticketId: 'T104' }));
  for (let version = 0; version < 4; version += 1) must(await a.step({ runId: 'run-T104', version }));
  expect(await b.step({ runId: 'run-T104', version: 2 })).toMatchObject({
    failure: { type: 'RunNotRunning', status: 'completed' },
  });
});

test('a refresh brings what others wrote, and null when that is nothing', async () => {
  const [a, b] = [await tab(), await tab()];
  must(await a.start({ ticketId: 'T104' }));
  expect(must(await b.refresh({}))?.counts.runs).toBe(1);
  expect(must(await b.refresh({}))).toBe(null);
});

test('when the stored database is gone, the last commit can be had from memory and stored again', async () => {
  const a = await tab();
  must(await a.start({ ticketId: 'T104' }));
  await evict();
  const gone = { ok: false, failure: { type: 'StorageGone', replaced: false } };
  expect(await a.step({ runId: 'run-T104', version: 0 })).toEqual(gone);
  expect(await a.exportDatabase({})).toEqual(gone);
  expect(Buffer.from(must(await a.exportMemory({}))).toString('latin1')).toContain('run-T104');
  expect(must(await a.storeAgain({})).counts.runs).toBe(1);
  must(await a.step({ runId: 'run-T104', version: 0 }));
  const b = await tab();
  expect(must(await b.view({ selectedRunId: null })).selected?.run.version).toBe(1);
});

test('what another tab has stored since is not overwritten by storing again', async () => {
  const a = await tab();
  must(await a.start({ ticketId: 'T104' }));
  await evict();
  const b = await tab();
  expect(await a.storeAgain({})).toEqual({ ok: false, failure: { type: 'StorageGone', replaced: true } });
  expect(must(await b.view({ selectedRunId: null })).counts.runs).toBe(0);
});

test('starting beside a newer image keeps it, listed as what it is, and a reset or start never deletes it', async () => {
  const a = await tab();
  must(await a.start({ ticketId: 'T104' }));
  const bytes = must(await a.exportStored({}));
  const image = must(await storage.pages.open())?.name ?? '';
  must(await a.startBeside({ image }));
  const b = await tab();
  expect(must(await b.view({ selectedRunId: null })).counts.runs).toBe(0);
  expect(must(await b.quarantined({}))).toMatchObject([{ name: image, kind: 'newer', bytes: bytes.length }]);
  must(await b.start({ ticketId: 'T101' }));
  must(await b.reset({}));
  must(await b.start({ ticketId: 'T102' }));
  expect(must(await b.exportQuarantined({ name: image }))).toEqual(bytes);
  expect(must(await b.deleteQuarantined({ name: image }))).toEqual([]);
});

test('the copy that undo would bring back can be given up for its room, and then there is no undo', async () => {
  const a = await tab();
  must(await a.start({ ticketId: 'T104' }));
  expect(must(await a.reset({})).undo).toMatchObject({ runs: 1, what: 'reset' });
  expect(must(await a.deleteFormer({})).undo).toBe(null);
  expect(must(await storage.kept.list())).toEqual([]);
  expect((await a.undo({})).ok).toBe(false);
});
