/**
 * Owns: what the page and the desk's worker tell each other: which log to open, how the desk behaves, a port for each
 * new agent and for who sends to addresses; back comes what is left of the settings.
 * Leaves: the calls over those ports to world/desk-port.ts.
 */
import { IdbConnection } from '../storage/idb-connection.ts';
import type { CallLog } from '../world/call-log.ts';
import { memoryCallLog } from '../world/call-log.ts';
import type { Desk } from '../world/desk.ts';
import { serveDesk } from '../world/desk-port.ts';
import type { DeskSettings } from '../world/desk-settings.ts';
import { DeskRules } from '../world/desk-settings.ts';
import { callStores, idbCallLog } from '../world/idb-call-log.ts';

export type DeskInit =
  | { readonly type: 'open'; readonly store: 'indexeddb' | 'memory'; readonly storageName: string }
  | { readonly type: 'connect'; readonly port: MessagePort }
  /** In force for the calls that come from now on. Without it the desk is kind. */
  | { readonly type: 'set'; readonly settings: DeskSettings };

/** A trouble that comes once was used up: these settings are left. */
export interface FromDesk {
  readonly type: 'settings';
  readonly settings: DeskSettings;
}

/** Attach to the desk worker's messages before anything awaits. */
export function deskMessages(
  parts: Omit<Desk, 'log' | 'rules'>,
  tell: (message: FromDesk) => void,
): (message: DeskInit) => void {
  const rules = new DeskRules((settings) => {
    tell({ type: 'settings', settings });
  });
  let opened: (desk: Desk) => void;
  const desk = new Promise<Desk>((resolve) => {
    opened = resolve;
  });
  return (message) => {
    switch (message.type) {
      case 'open':
        opened({ ...parts, rules, log: openLog(message.store, message.storageName) });
        break;
      case 'connect':
        serveDesk(message.port, desk);
        break;
      case 'set':
        rules.set(message.settings);
        break;
    }
  };
}

function openLog(store: 'indexeddb' | 'memory', storageName: string): CallLog {
  if (store === 'memory') return memoryCallLog();
  return idbCallLog(new IdbConnection(indexedDB, storageName, callStores));
}
