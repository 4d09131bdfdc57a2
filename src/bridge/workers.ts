/**
 * Owns: the page's wiring: one desk worker for the life of the page, one agent worker a session, and the ports
 * between them. In memory mode the page holds the pages too, so that a killed worker loses nothing.
 * Leaves: which worker files these are to main.ts; what is done over the client to lab/.
 */
import type { Arm } from '../engine/crash.ts';
import type { Answer, Client } from './client.ts';
import { connect } from './client.ts';
import type { CommandLock } from './command-lock.ts';
import type { DeskInit } from './desk-init.ts';
import type { Params } from './protocol.ts';
import { isWriting } from './protocol.ts';
import type { LabView } from './views.ts';

export interface WorkerFiles {
  newAgent(): Worker;
  newDesk(): Worker;
  /** `crashpoint:<base path>`: several copies of this page may share one origin. */
  readonly storageName: string;
  /** Among the tabs: taken for each command that writes. */
  readonly lock: CommandLock;
}

export interface OpenOptions {
  readonly store: 'indexeddb' | 'memory';
  readonly arms: readonly Arm[];
  readonly selectedRunId: string | null;
  /** Told before the request is sent, so that no push is missed. */
  readonly connected: (client: Client) => void;
}

export interface LabWorkers {
  /** A new agent worker, and the reply to `open`. Terminate the old client first. */
  open(options: OpenOptions): Promise<{ readonly client: Client; readonly opened: Answer<LabView> }>;
  /** The desk's program did not arrive, or the desk died: the next `open` makes another one. */
  onDeskLost(listener: () => void): void;
}

export function labWorkers(files: WorkerFiles): LabWorkers {
  let desk: { readonly worker: Worker; readonly store: OpenOptions['store'] } | null = null;
  let deskLost = (): void => undefined;
  let memoryHost: Promise<(port: MessagePort) => void> | null = null;

  function deskFor(store: OpenOptions['store']): Worker {
    if (desk?.store === store) return desk.worker;
    desk?.worker.terminate();
    const worker = files.newDesk();
    worker.postMessage({ type: 'open', store, storageName: `${files.storageName}:world` } satisfies DeskInit);
    const made = { worker, store };
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (desk !== made) return;
      worker.terminate();
      desk = null;
      deskLost();
    });
    desk = made;
    return worker;
  }
  async function memoryPort(): Promise<MessagePort> {
    memoryHost ??= import('./memory-host.ts').then((module) => module.createMemoryHost());
    const channel = new MessageChannel();
    (await memoryHost)(channel.port1);
    return channel.port2;
  }

  return {
    open: async ({ store, arms, selectedRunId, connected }) => {
      const { port1: deskSide, port2: agentSide } = new MessageChannel();
      deskFor(store).postMessage({ type: 'connect', port: deskSide } satisfies DeskInit, [deskSide]);
      const client = inTurnOfTabs(connect(files.newAgent()), files.lock);
      connected(client);
      const memory = store === 'memory' ? await memoryPort() : null;
      const params: Params<'open'> = {
        place: memory === null ? { type: 'indexeddb' } : { type: 'memory', port: memory },
        storageName: files.storageName,
        arms,
        selectedRunId,
        deskPort: agentSide,
      };
      const opened = await client.request(
        'open',
        params,
        memory === null ? [agentSide] : [agentSide, memory],
      );
      return { client, opened };
    },
    onDeskLost: (listener) => {
      deskLost = listener;
    },
  };
}

/** A command that writes is sent when no other tab is in the middle of one, or after a short wait. */
function inTurnOfTabs(client: Client, lock: CommandLock): Client {
  return {
    ...client,
    request: async (command, params, transfer) => {
      if (!isWriting(command)) return client.request(command, params, transfer);
      const letGo = await lock.take();
      try {
        return await client.request(command, params, transfer);
      } finally {
        letGo();
      }
    },
  };
}
