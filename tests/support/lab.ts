/**
 * Owns: the lab's server in Node, as the agent's worker runs it: over a memory that outlives it, with a service desk.
 * Leaves: what is asked of it to the tests.
 */
import { readFileSync } from 'node:fs';
import { labServer, type LabServer } from '../../src/bridge/lab-server.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import type { Result } from '../../src/engine/failure.ts';
import type { Owners } from '../../src/engine/ports.ts';
import { succeed } from '../../src/engine/failure.ts';
import { memoryStorage, type ImageStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom, randomId } from '../../src/storage/random.ts';
import { parseTickets } from '../../src/triage/ticket.ts';
import { connectDesk, connectHttp, serveDesk } from '../../src/world/desk-port.ts';
import type { Desk } from '../../src/world/desk.ts';
import { newDesk } from './desk.ts';
import type { Parts } from './lives.ts';
import { nobodyElse, open, steppingClock, stillTimer } from './lives.ts';

const tickets = parseTickets(readFileSync('static/facility_tickets.csv', 'utf8'));

export interface OpenedLab {
  readonly server: LabServer;
  readonly opened: Result<LabView>;
  readonly storage: ImageStorage;
  /** Ends the worker: its database is closed, what is stored stays. */
  close(): Promise<void>;
}

/** One worker's server, opened. */
export async function openLab(
  parts: Parts,
  storage?: ImageStorage,
  over: { readonly desk?: Partial<Desk>; readonly owners?: Owners; readonly calling?: () => void } = {},
): Promise<OpenedLab> {
  const clock = steppingClock();
  const images = storage ?? memoryStorage(clock);
  const crash = new CrashPlan();
  let close = (): Promise<void> => Promise.resolve();
  let alive = true;
  // A worker that has ended hears of no answer, and of no time that was up.
  const mortal = <A extends readonly unknown[], R>(ask: (...asked: A) => Promise<R>) => {
    return async (...asked: A): Promise<R> => {
      const answer = await ask(...asked);
      return alive ? answer : new Promise<R>(() => undefined);
    };
  };
  const { port1, port2 } = new MessageChannel();
  const { port1: http1, port2: http2 } = new MessageChannel();
  serveDesk(port1, Promise.resolve(newDesk({ clock, ...over.desk })));
  const server = labServer({
    crash,
    clock,
    tickets,
    sqljsVersion: 'test',
    workerId: randomId(cryptoRandom),
    images: () => images,
    open: async () => {
      const database = await open(parts, images.pages, crash, clock);
      const { sqlite } = parts;
      const desk = connectDesk(port2, crash, 5);
      close = () => database.close();
      return succeed({
        storage: { database, kept: images.kept, sqlite, random: cryptoRandom, clock },
        desk: { ...desk, call: mortal(desk.call), status: mortal(desk.status) },
        http: connectHttp(http2, crash, 5),
      });
    },
    owners: () => over.owners ?? nobodyElse,
    timer: stillTimer,
    random: () => 0.5,
    calling: over.calling ?? (() => undefined),
    sends: () => undefined,
  });
  const opened = await server.handlers.open({
    place: { type: 'indexeddb' },
    storageName: 'test',
    arms: [],
    selectedRunId: null,
    deskPort: port2,
    httpPort: http2,
    routes: {},
  });
  return {
    server,
    opened,
    storage: images,
    close: async () => {
      alive = false;
      await close();
      port1.close();
      port2.close();
      http1.close();
    },
  };
}
