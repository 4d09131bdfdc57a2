/**
 * Owns: opening the lab's storage in the agent's worker: SQLite loaded with its progress told, the database where
 * the page wants it, the way to the desk, the hint between tabs.
 * Leaves: each of these to storage/ and world/.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock, CrashPort } from '../engine/ports.ts';
import { loadChecksum } from '../storage/checksum.ts';
import { openDatabase } from '../storage/database.ts';
import { idbStorage } from '../storage/idb-page-store.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import { portStorage } from '../storage/port-page-store.ts';
import type { Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import { loadSqlite } from '../storage/sqlite.ts';
import { joinTabs } from '../storage/tabs.ts';
import { usualWaits, type WaitWatch } from '../storage/waits.ts';
import type { DeskClient } from '../world/desk-port.ts';
import type { OutsideClient } from '../world/desk-port.ts';
import { connectDesk, connectHttp } from '../world/desk-port.ts';
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
  const sqlite = await fetchSqlite(opening);
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

/** Fetches the program as bytes: a host may serve .wasm under any type. */
async function fetchSqlite({ wasmUrl, loading }: Opening): Promise<Result<Sqlite>> {
  const refused = (reason: string) => fail({ type: 'SqliteUnavailable', reason } as const);
  try {
    const response = await fetch(wasmUrl);
    if (!response.ok || response.body === null)
      return refused(`the host answered ${String(response.status)}`);
    // Compressed in transit, the length is that of the compressed bytes: then the total is unknown.
    const total = response.headers.has('content-encoding')
      ? 0
      : Number(response.headers.get('content-length') ?? 0);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let loaded = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      loaded += part.value.length;
      loading(loaded, total);
    }
    return await loadSqlite(await new Blob(parts).arrayBuffer());
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}
