/** Owns: fetching the database program, with its progress told. As bytes: a host may serve .wasm under any type. */
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import { loadSqlite } from '../storage/sqlite.ts';

/** `loading` is told as the program arrives, in bytes; `total` 0: unknown. Never throws. */
export async function fetchSqlite(
  wasmUrl: string,
  loading: (loaded: number, total: number) => void,
): Promise<Result<Sqlite>> {
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
