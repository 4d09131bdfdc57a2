/** The agent's worker: SQLite and the engine. Chooses the concrete parts; attaches its listener before it awaits. */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import ticketsCsv from '../static/facility_tickets.csv?raw';
import { imagesAt, openLabStorage } from './bridge/lab-opening.ts';
import { labServer } from './bridge/lab-server.ts';
import type { FromWorker, Request } from './bridge/protocol.ts';
import type { Server } from './bridge/server.ts';
import { serve } from './bridge/server.ts';
import { sessionLocks } from './bridge/session-locks.ts';
import { CrashPlan } from './engine/crash.ts';
import { cryptoRandom, randomId } from './storage/random.ts';
import { WaitWatch } from './storage/waits.ts';
import { parseTickets } from './triage/ticket.ts';

const crash = new CrashPlan([], (boundary) => {
  self.postMessage({ type: 'halted', boundary } satisfies FromWorker);
});
const clock = { now: () => new Date().toISOString() };
let server: Server | null = null;
const watch = new WaitWatch((waiting) => server?.push({ type: 'waiting', waiting }));

const workerId = randomId(cryptoRandom);
/** On plain http there are none. */
const locks: LockManager | undefined = navigator.locks;

const lab = labServer({
  crash,
  clock,
  timer: {
    after: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  },
  random: () => Math.random(),
  owners: ({ storageName }) => sessionLocks(locks, storageName, workerId),
  calling: () =>
    server?.inTurn(async () => {
      server?.push({ type: 'calling', view: await lab.view() });
    }),
  sends: () => server?.push({ type: 'sends' }),
  tickets: parseTickets(ticketsCsv),
  sqljsVersion: __SQLJS_VERSION__,
  workerId,
  images: (params) => imagesAt(params, cryptoRandom, clock, watch),
  open: (params, images) =>
    openLabStorage({
      params,
      images,
      watch,
      crash,
      clock,
      random: cryptoRandom,
      wasmUrl,
      loading: (loaded, total) => server?.push({ type: 'loading', loaded, total }),
      changedElsewhere: () =>
        server?.inTurn(async () => {
          const view = await lab.refreshed();
          if (view !== null) server?.push({ type: 'changed', view });
        }),
    }),
});

server = serve(
  {
    postMessage: (message) => {
      self.postMessage(message);
    },
    onRequest: (listener) => {
      self.onmessage = (event: MessageEvent<Request>) => {
        listener(event.data);
      };
    },
    close: () => {
      self.close();
    },
  },
  crash,
  lab,
);
