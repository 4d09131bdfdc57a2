/**
 * Owns: what must hold after an image has been opened in the lab: each request gives a result and none throws,
 * what is stored is sound, and what is reopened is what was stored.
 */
import { memoryStorage } from '../../src/storage/image-storage.ts';
import type { Result } from '../../src/engine/failure.ts';
import { openLab } from '../support/lab.ts';
import { must, steppingClock, type Parts } from '../support/lives.ts';
import type { Answered, Asked } from './worker.ts';

/** Enough to come past each action of a run. */
const steps = 4;
/** Of a file with many runs these are worked on. */
const runsWorkedOn = 3;

export function agent(parts: Parts): (asked: Asked) => Promise<Answered> {
  return async (asked) => {
    if (asked.type !== 'image') throw new Error('the agent’s worker gets images only');
    const storage = memoryStorage(steppingClock());
    const lab = await openLab(parts, storage);
    try {
      const { handlers } = lab.server;
      const opened = must(await handlers.importFile({ image: asked.image }));
      const results: Result<unknown>[] = [];
      for (const run of opened.runs.slice(-runsWorkedOn)) {
        const { runId } = run;
        let { version } = run;
        results.push(await handlers.resume({ runId, version }));
        for (let step = 0; step < steps; step += 1) {
          const stepped = await handlers.step({ runId, version });
          results.push(stepped);
          if (stepped.ok) version = stepped.value.selected?.run.version ?? version;
        }
        must(await handlers.view({ selectedRunId: runId }));
      }
      if (!results.every((result) => typeof result.ok === 'boolean')) throw new Error('no result');
      must(await handlers.start({ ticketId: 'T104' }));
      const trace = must(await handlers.exportTrace({ runId: null }));
      if (!trace.startsWith('run_id,')) throw new Error('no trace');
      const image = must(await handlers.exportDatabase({}));
      assertSound(parts, image);
      await assertStored(parts, storage, image);
      return { type: 'done', image };
    } finally {
      await lab.close();
    }
  };
}

function assertSound(parts: Parts, image: Uint8Array): void {
  const database = parts.sqlite.openScratch(image);
  try {
    const check = JSON.stringify(database.exec('PRAGMA integrity_check')[0]?.values);
    if (check !== '[["ok"]]') throw new Error(`the exported image is damaged: ${check}`);
    if (database.exec('PRAGMA foreign_key_check').length > 0) throw new Error('a row points nowhere');
  } finally {
    database.close();
  }
}

/** A later session reads the same bytes, and shows them. */
async function assertStored(
  parts: Parts,
  storage: ReturnType<typeof memoryStorage>,
  image: Uint8Array,
): Promise<void> {
  const later = await openLab(parts, storage);
  try {
    must(later.opened);
    const again = must(await later.server.handlers.exportDatabase({}));
    if (Buffer.compare(again, image) !== 0) throw new Error('what is reopened is not what was stored');
  } finally {
    await later.close();
  }
}
