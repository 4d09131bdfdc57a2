/**
 * Owns: the demonstration's worker side of the messages: it begins both lanes, and passes their calls to the page.
 * Leaves: what a lane does to demo-lanes.ts.
 */
import { noCrash } from '../engine/crash.ts';
import { fail, type Result } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Clock } from '../engine/ports.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Checksum } from '../storage/checksum.ts';
import { portStorage } from '../storage/port-page-store.ts';
import { randomId, type Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import type { Ticket } from '../triage/ticket.ts';
import { memoryLane, sqliteLane, type LanePorts } from './demo-lanes.ts';
import type { FromDemo, ToDemo } from './demo-messages.ts';
import { whyStopped } from './stopped.ts';

export interface DemoHost {
  readonly ticket: Ticket;
  readonly clock: Clock;
  readonly random: Random;
  sqlite(loading: (loaded: number, total: number) => void): Promise<Result<Sqlite>>;
  checksum(): Promise<Checksum>;
  tell(message: FromDemo): void;
  after(milliseconds: number): Promise<void>;
}

/** Attach to the worker's messages before anything awaits. */
export function demoWorker(host: DemoHost): (message: ToDemo) => void {
  const { ticket, clock, random, tell } = host;
  const waiting = new Map<number, (result: JsonObject) => void>();
  let last = 0;

  async function begin(pages: MessagePort, milliseconds: number): Promise<Result<unknown>> {
    const ports: LanePorts = {
      ticket,
      clock,
      workerId: randomId(random),
      tell,
      call: (lane, tool, toolArguments) =>
        new Promise((resolve) => {
          last += 1;
          waiting.set(last, resolve);
          tell({ type: 'call', id: last, lane, tool, arguments: toolArguments });
        }),
      pause: () => host.after(milliseconds),
    };
    const sqlite = await host.sqlite((loaded, total) => {
      tell({ type: 'loading', loaded, total });
    });
    if (!sqlite.ok) return sqlite;
    const { pages: store } = portStorage(pages);
    const checksum = await host.checksum();
    const opened = await openDatabase({
      sqlite: sqlite.value,
      checksum,
      random,
      store,
      crash: noCrash,
      clock,
    });
    if (!opened.ok) return opened;
    const [, done] = await Promise.all([memoryLane(ports), sqliteLane(opened.value, ports)]);
    return done;
  }

  return (message) => {
    if (message.type === 'answer') {
      waiting.get(message.id)?.(message.result);
      waiting.delete(message.id);
      return;
    }
    begin(message.pages, message.pause)
      .catch((error: unknown) => fail(whyStopped(String(error))))
      .then((done) => {
        tell(done.ok ? { type: 'ended' } : { type: 'failed', failure: done.failure });
      });
  };
}
