/** The worker that looks at one file from elsewhere, with an SQLite of its own, and is then ended by the page. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { fetchSqlite } from './bridge/fetch-sqlite.ts';
import { inspect } from './bridge/file-inspection.ts';
import { cryptoRandom } from './storage/random.ts';

self.onmessage = async (event: MessageEvent<Blob>) => {
  const result = await inspect(
    { loadSqlite: () => fetchSqlite(wasmUrl, () => undefined), random: cryptoRandom },
    event.data,
  );
  self.postMessage(result, { transfer: result.ok ? [result.value.image.buffer] : [] });
};
