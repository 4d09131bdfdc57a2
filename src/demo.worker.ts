/** The worker of the start page: the agent in a dictionary beside the agent on SQLite. Chooses the concrete parts. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import ticketsCsv from '../static/facility_tickets.csv?raw';
import type { ToDemo } from './bridge/demo-messages.ts';
import { demoWorker } from './bridge/demo-worker.ts';
import { fetchSqlite } from './bridge/fetch-sqlite.ts';
import { loadChecksum } from './storage/checksum.ts';
import { cryptoRandom } from './storage/random.ts';
import { parseTickets } from './triage/ticket.ts';

const ticket = parseTickets(ticketsCsv).find(({ ticketId }) => ticketId === 'T104');
if (ticket === undefined) throw new Error('facility_tickets.csv has no T104');

const receive = demoWorker({
  ticket,
  clock: { now: () => new Date().toISOString() },
  random: cryptoRandom,
  sqlite: (loading) => fetchSqlite(wasmUrl, loading),
  checksum: loadChecksum,
  tell: (message) => {
    self.postMessage(message);
  },
  after: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

self.onmessage = (event: MessageEvent<ToDemo>) => {
  receive(event.data);
};
