/**
 * Owns: the lab's database with what is kept beside it: the image that *Undo* brings back, and damaged images.
 * Leaves: the commands to lab-server.ts; how images are kept to storage/.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import type { AgentDatabase } from '../storage/database.ts';
import type { KeptImages } from '../storage/kept-images.ts';
import type { Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import type { QuarantinedImage } from './protocol.ts';
import type { LabView, StorageView } from './views.ts';

export interface LabStorage {
  readonly database: AgentDatabase;
  readonly kept: KeptImages;
  readonly sqlite: Sqlite;
  readonly random: Random;
  readonly clock: Clock;
}

const undoName = 'undo';

export function storageView({ database }: LabStorage): StorageView {
  const { kind, generation, bytes, savedAtUtc } = database.state;
  return { kind, generation, bytes, savedAtUtc };
}

/** Keeps the durable image for *Undo*, in place of what was kept before. */
export async function keepForUndo(storage: LabStorage, kind: 'reset' | 'opened'): Promise<Result<null>> {
  const { database, kept, clock } = storage;
  const runs = await database.read((reader) =>
    Number(reader.get('SELECT COUNT(*) AS n FROM agent_runs')?.['n']),
  );
  const image = { name: undoName, kind, reason: '', atUtc: clock.now(), runs };
  return kept.keep(image, await database.image());
}

/** What *Undo* would bring back; null when there is nothing, or when a run has started since the reset. */
export async function undoView(storage: LabStorage, runsNow: number): Promise<Result<LabView['undo']>> {
  const listed = await storage.kept.list();
  if (!listed.ok) return listed;
  const undo = listed.value.find((image) => image.name === undoName);
  if (undo === undefined || undo.kind === 'quarantined') return succeed(null);
  if (undo.kind === 'reset' && runsNow > 0) return succeed(null);
  return succeed({ runs: undo.runs, what: undo.kind, atUtc: undo.atUtc });
}

export async function undoImage({ kept }: LabStorage): Promise<Result<Uint8Array>> {
  const image = await kept.get(undoName);
  if (!image.ok) return image;
  if (image.value === null) return fail({ type: 'NothingToUndo' });
  return succeed(image.value);
}

export function dropUndo({ kept }: LabStorage): Promise<Result<null>> {
  return kept.delete(undoName);
}

export async function quarantinedImages({ kept }: LabStorage): Promise<Result<readonly QuarantinedImage[]>> {
  const listed = await kept.list();
  if (!listed.ok) return listed;
  const images = listed.value.filter((image) => image.kind === 'quarantined');
  return succeed(images.map(({ name, reason, atUtc, bytes }) => ({ name, reason, atUtc, bytes })));
}

export async function quarantinedBytes({ kept }: LabStorage, name: string): Promise<Result<Uint8Array>> {
  const bytes = await kept.get(name);
  if (!bytes.ok) return bytes;
  return bytes.value === null ? fail({ type: 'ImageNotKept', name }) : succeed(bytes.value);
}
