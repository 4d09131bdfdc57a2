/**
 * Owns: opening the lab's storage in the agent's worker: SQLite loaded with its progress told, the database where
 * the page wants it, the way to the desk, the hint between tabs.
 * Leaves: each of these to storage/ and world/.
 */
import type { Result } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import type { Clock, CrashPort } from '../engine/ports.ts';
import { loadChecksum } from '../storage/checksum.ts';
import { openDatabase } from '../storage/open-database.ts';
import { idbStorage } from '../storage/idb-page-store.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import { portStorage } from '../storage/port-page-store.ts';
import type { Random } from '../storage/random.ts';
import { joinTabs } from '../storage/tabs.ts';
import { usualWaits, type WaitWatch } from '../storage/waits.ts';
import type { DeskClient } from '../world/desk-port.ts';
import type { OutsideClient } from '../world/desk-port.ts';
import { connectDesk, connectHttp } from '../world/desk-port.ts';
import { fetchSqlite } from './fetch-sqlite.ts';
import type { LabStorage } from './lab-storage.ts';
import type { Params } from './protocol.ts';

export interface Opening {
  readonly params: Params<'open'>;
  readonly crash: CrashPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly wasmUrl: string;
  readonly images: ImageStorage;
  readonly watch: WaitWatch;
  /** Told as the program arrives, in bytes; `total` 0: unknown. */
  loading(loaded: number, total: number): void;
  /** Another tab wrote. */
  changedElsewhere(): void;
}

/** Where the page wants the images to be. Nothing is opened yet. */
export function imagesAt(
  { place, storageName }: Params<'open'>,
  random: Random,
  clock: Clock,
  watch: WaitWatch,
): ImageStorage {
  if (place.type === 'memory') return portStorage(place.port);
  const waits = { ...usualWaits, watch };
  return idbStorage({ factory: indexedDB, storageName, random, clock, waits });
}

/** How long the world outside may take to answer a call whose tool has no limit of its own. */
const deskSeconds = 20;

export interface OpenedStorage {
  readonly storage: LabStorage;
  readonly desk: DeskClient;
  readonly http: OutsideClient;
}

export async function openLabStorage(opening: Opening): Promise<Result<OpenedStorage>> {
  const { params, crash, clock, random, images } = opening;
  const desk = connectDesk(params.deskPort, crash, deskSeconds, opening.watch);
  const http = connectHttp(params.httpPort, crash, deskSeconds, opening.watch);
  const sqlite = await fetchSqlite(opening.wasmUrl, (loaded, total) => {
    opening.loading(loaded, total);
  });
  if (!sqlite.ok) return sqlite;
  const { storageName, place } = params;
  const checksum = await loadChecksum();
  const tabs = place.type === 'memory' ? null : joinTabs(storageName, opening.changedElsewhere);
  const database = await openDatabase({
    sqlite: sqlite.value,
    store: images.pages,
    checksum,
    crash,
    random,
    clock,
    announce: (generation) => tabs?.announce(generation),
  });
  if (!database.ok) return database;
  return succeed({
    storage: { database: database.value, kept: images.kept, sqlite: sqlite.value, random, clock },
    desk,
    http,
  });
}
