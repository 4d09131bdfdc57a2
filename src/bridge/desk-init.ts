/**
 * Owns: what the page tells the desk's worker: which log to open, and a port for each new agent.
 * Leaves: the calls over that port to world/desk-port.ts.
 */
import { IdbConnection } from '../storage/idb-connection.ts';
import type { CallLog } from '../world/call-log.ts';
import { memoryCallLog } from '../world/call-log.ts';
import type { Desk } from '../world/desk.ts';
import { serveDesk } from '../world/desk-port.ts';
import { callStores, idbCallLog } from '../world/idb-call-log.ts';

export type DeskInit =
  | { readonly type: 'open'; readonly store: 'indexeddb' | 'memory'; readonly storageName: string }
  | { readonly type: 'connect'; readonly port: MessagePort };

/** Attach to the desk worker's messages before anything awaits. */
export function deskMessages(parts: Pick<Desk, 'handlers' | 'clock'>): (message: DeskInit) => void {
  let opened: (desk: Desk) => void;
  const desk = new Promise<Desk>((resolve) => {
    opened = resolve;
  });
  return (message) => {
    switch (message.type) {
      case 'open':
        opened({ ...parts, log: openLog(message.store, message.storageName) });
        break;
      case 'connect':
        serveDesk(message.port, desk);
        break;
    }
  };
}

function openLog(store: 'indexeddb' | 'memory', storageName: string): CallLog {
  if (store === 'memory') return memoryCallLog();
  return idbCallLog(new IdbConnection(indexedDB, storageName, callStores));
}
