/**
 * Owns: what the page tells the desk's worker: which log to open, and a port for each new agent.
 * Leaves: the calls over that port to world/desk-port.ts.
 */
import { openIdbCallLog } from '../world/idb-call-log.ts';
import type { CallLog } from '../world/call-log.ts';
import { memoryCallLog } from '../world/call-log.ts';
import type { Desk } from '../world/desk.ts';
import { serveDesk } from '../world/desk-port.ts';

export type DeskInit =
  | { readonly type: 'open'; readonly store: 'indexeddb' | 'memory'; readonly storageName: string }
  | { readonly type: 'connect'; readonly port: MessagePort };

/** Attach to the desk worker's messages before anything awaits. */
export function deskMessages(parts: Pick<Desk, 'handlers' | 'clock'>): (message: DeskInit) => void {
  let opened: (log: Promise<CallLog>) => void;
  const log = new Promise<CallLog>((resolve) => {
    opened = resolve;
  });
  const desk = log.then((ready): Desk => ({ ...parts, log: ready }));
  return (message) => {
    switch (message.type) {
      case 'open':
        opened(
          message.store === 'memory' ? Promise.resolve(memoryCallLog()) : openIdbCallLog(message.storageName),
        );
        break;
      case 'connect':
        serveDesk(message.port, desk);
        break;
    }
  };
}
