/** The explorer's worker: it runs and crashes the engine in memory, apart from the lab. Chooses the concrete parts. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import runbooksCsv from '../static/runbooks.csv?raw';
import ticketsCsv from '../static/facility_tickets.csv?raw';
import type { Ask } from './bridge/experiment-messages.ts';
import { experimentMessages } from './bridge/experiment-messages.ts';
import type { ExplorerHost, ToExplorer } from './bridge/explorer-messages.ts';
import { explorerMessages } from './bridge/explorer-messages.ts';
import { fetchSqlite } from './bridge/fetch-sqlite.ts';
import { answerReplay, type ReplayRequest } from './bridge/replay-messages.ts';
import { succeed } from './engine/failure.ts';
import { loadChecksum } from './storage/checksum.ts';
import { cryptoRandom } from './storage/random.ts';
import { parseTickets } from './triage/ticket.ts';
import { dispatchTools } from './triage/dispatch-tools.ts';
import { triageTools } from './triage/tools.ts';

const host: ExplorerHost = {
  tickets: parseTickets(ticketsCsv),
  parts: async () => {
    const sqlite = await fetchSqlite(wasmUrl, () => undefined);
    if (!sqlite.ok) return sqlite;
    const checksum = await loadChecksum();
    return succeed({
      sqlite: sqlite.value,
      checksum,
      random: cryptoRandom,
      handlers: triageTools(runbooksCsv),
      remote: dispatchTools(runbooksCsv),
    });
  },
  tell: (message) => {
    self.postMessage(message);
  },
  now: () => performance.now(),
};
const explore = explorerMessages(host);
const experiment = experimentMessages(host, (message) => {
  self.postMessage(message);
});

self.onmessage = ({ data }: MessageEvent<ToExplorer | Ask | ReplayRequest>) => {
  if (data.type === 'ask') experiment(data);
  else if (data.type === 'replay') void answerReplay(host.parts, data).then(self.postMessage.bind(self));
  else explore(data);
};
