/** The worker that looks at one file from elsewhere, with an SQLite of its own, and is then ended by the page. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { inspect } from './bridge/file-inspection.ts';
import { fail } from './engine/failure.ts';
import { cryptoRandom } from './storage/random.ts';
import { loadSqlite } from './storage/sqlite.ts';

self.onmessage = async (event: MessageEvent<Blob>) => {
  const result = await inspect({ loadSqlite: fetchSqlite, random: cryptoRandom }, event.data);
  self.postMessage(result, { transfer: result.ok ? [result.value.image.buffer] : [] });
};

async function fetchSqlite(): ReturnType<typeof loadSqlite> {
  try {
    const response = await fetch(wasmUrl);
    if (response.ok) return await loadSqlite(await response.arrayBuffer());
    return fail({ type: 'SqliteUnavailable', reason: `the host answered ${String(response.status)}` });
  } catch (error) {
    return fail({
      type: 'SqliteUnavailable',
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}
