/** The console's worker: SQLite over a copy of the lab's database, in memory. It has no way to what is stored. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import type { ToConsole } from './bridge/console-answer.ts';
import { consoleMessages } from './bridge/console-serve.ts';
import { fetchSqlite } from './bridge/fetch-sqlite.ts';
import { cryptoRandom } from './storage/random.ts';

const receive = consoleMessages({
  loadSqlite: () => fetchSqlite(wasmUrl, () => undefined),
  random: cryptoRandom,
  tell: (message) => {
    self.postMessage(message);
  },
});

self.onmessage = (event: MessageEvent<ToConsole>) => {
  receive(event.data);
};
