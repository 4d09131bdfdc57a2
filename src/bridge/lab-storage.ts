/**
 * Owns: the lab's database with what is kept beside it: the image that *Undo* brings back, and damaged images.
 * Leaves: the commands to lab-server.ts; how images are kept to storage/.
 *
 * Which kept image *Undo* would bring back stands in the database that replaced it, so both change in one commit;
 * it ends with the next run that starts.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock, Reader } from '../engine/ports.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import type { KeptImages } from '../storage/kept-images.ts';
import type { Random } from '../storage/random.ts';
import { randomId } from '../storage/random.ts';
import { whyUnsoundBytes } from '../storage/sound-image.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import type { LabView, StorageView } from './views.ts';

export interface LabStorage {
  readonly database: AgentDatabase;
  readonly kept: KeptImages;
  readonly sqlite: Sqlite;
  readonly random: Random;
  readonly clock: Clock;
}

/** The lab's own id: it ties the outside world's log to this database. What replaces a lab is a lab of its own. */
export function readLabId(reader: Reader): string {
  return String(reader.get('SELECT lab_id FROM lab WHERE id = 1')?.['lab_id']);
}

/** Name of the kept image that *Undo* brings back; null: nothing was replaced, or a run has started since. */
export function readUndoName(reader: Reader): string | null {
  const row = reader.get(
    `SELECT undo_name FROM lab WHERE id = 1 AND undo_runs = (SELECT COUNT(*) FROM agent_runs)`,
  );
  return typeof row?.['undo_name'] === 'string' ? row['undo_name'] : null;
}

export function storageView({ database }: LabStorage): StorageView {
  const { kind, generation, bytes, savedAtUtc, readOnly } = database.state;
  return { kind, generation, bytes, savedAtUtc, readOnly };
}

/** Puts `bytes` in place of the lab's database, which is kept for *Undo*. */
export async function replaceLab(
  storage: LabStorage,
  what: 'reset' | 'opened',
  bytes: Uint8Array,
): Promise<Result<null>> {
  const { database, kept, clock, random } = storage;
  const name = `undo-${randomId(random)}`;
  let runs = 0;
  return database.replace(what === 'reset' ? 'reset' : 'import', {
    bytes,
    guard: (reader) => {
      runs = Number(reader.get('SELECT COUNT(*) AS n FROM agent_runs')?.['n']);
      return succeed(null);
    },
    keep: (image) => {
      const replacedBy = database.state.generation + 1;
      return kept.keep({ name, kind: what, reason: '', atUtc: clock.now(), runs, replacedBy }, image);
    },
    adjust: (transaction) => {
      transaction.run(
        'UPDATE lab SET lab_id = ?, undo_name = ?, undo_runs = (SELECT COUNT(*) FROM agent_runs) WHERE id = 1',
        [randomId(random), name],
      );
    },
  });
}

/** Brings back what the last reset or import replaced. Fails with NothingToUndo, ImageNotKept and CopyDamaged. */
export async function undoReplacement(storage: LabStorage): Promise<Result<null>> {
  const { database, kept } = storage;
  const name = await database.read(readUndoName);
  if (name === null) return fail({ type: 'NothingToUndo' });
  const image = await kept.get(name);
  if (!image.ok) return image;
  if (image.value === null) return fail({ type: 'ImageNotKept', name });
  const reason = whyUnsoundBytes(storage.sqlite, image.value);
  if (reason !== null) return fail({ type: 'CopyDamaged', reason });
  return database.replace('undo', {
    bytes: image.value,
    guard: (reader) => (readUndoName(reader) === name ? succeed(null) : fail({ type: 'NothingToUndo' })),
  });
}

/** What *Undo* would bring back. */
export async function undoView({ kept }: LabStorage, name: string | null): Promise<LabView['undo']> {
  if (name === null) return null;
  const listed = await kept.list();
  const image = listed.ok ? listed.value.find((one) => one.name === name) : undefined;
  if (image === undefined || image.kind === 'quarantined' || image.kind === 'newer') return null;
  return { runs: image.runs, what: image.kind, atUtc: image.atUtc, bytes: image.bytes };
}

/** Deletes kept images that no *Undo* can reach any more. One that can't be deleted now stays until the next time. */
export async function dropUnreachable({ database, kept }: LabStorage): Promise<void> {
  const reachable = await database.read(readUndoName);
  await kept.dropReplaced(database.state.generation, reachable);
}

/** Deletes the copy that *Undo* would bring back. */
export async function deleteFormer({ database, kept }: LabStorage): Promise<Result<null>> {
  const name = await database.read(readUndoName);
  return name === null ? succeed(null) : kept.delete(name);
}
