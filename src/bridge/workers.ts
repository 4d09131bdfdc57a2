/**
 * Owns: the page's wiring: one desk worker for the life of the page, one agent worker a session, and the ports
 * between them. In memory mode the page holds the pages too, so that a killed worker loses nothing.
 * Leaves: which worker files these are to main.ts; what is done over the client to lab/.
 */
import type { Arm } from '../engine/crash.ts';
import type { Answer, Client } from './client.ts';
import { connect } from './client.ts';
import type { CommandLock } from './command-lock.ts';
import type { DeskSettings } from '../world/desk-settings.ts';
import type { DeskInit, FromDesk } from './desk-init.ts';
import type { HttpInit } from './http-init.ts';
import type { Params, Routes } from './protocol.ts';
import { isWriting } from './protocol.ts';
import type { LabView } from './views.ts';

export interface WorkerFiles {
  newAgent(): Worker;
  newDesk(): Worker;
  /** The worker that sends to addresses. */
  newHttp(): Worker;
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
  /** How the service desk behaves from now on; kept for desks that are made later. */
  setDesk(settings: DeskSettings): void;
  /** Where new calls of these tools are sent to from now on, by this agent and later ones. */
  setRoutes(routes: Routes): void;
  /** Told what is left when the desk has used a trouble up. */
  onDeskSettings(listener: (settings: DeskSettings) => void): void;
}

export function labWorkers(files: WorkerFiles): LabWorkers {
  let desk: { readonly worker: Worker; readonly store: OpenOptions['store'] } | null = null;
  let deskLost = (): void => undefined;
  let settings: DeskSettings | null = null;
  let deskSettings: (left: DeskSettings) => void = () => undefined;
  let routes: Routes = {};
  let agent: Client | null = null;
  let http: Worker | null = null;
  let memoryHost: Promise<(port: MessagePort) => void> | null = null;

  function deskFor(store: OpenOptions['store']): Worker {
    if (desk?.store === store) return desk.worker;
    desk?.worker.terminate();
    const worker = files.newDesk();
    worker.postMessage({ type: 'open', store, storageName: `${files.storageName}:world` } satisfies DeskInit);
    if (settings !== null) worker.postMessage({ type: 'set', settings } satisfies DeskInit);
    worker.addEventListener('message', (event: MessageEvent<FromDesk>) => {
      settings = event.data.settings;
      deskSettings(event.data.settings);
    });
    const made = { worker, store };
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (desk !== made) return;
      worker.terminate();
      desk = null;
      deskLost();
    });
    desk = made;
    // What was sent to addresses is in the log of the desk that is there now.
    http?.terminate();
    http = null;
    return worker;
  }
  function httpFor(store: OpenOptions['store']): Worker {
    if (http !== null) return http;
    const { port1, port2 } = new MessageChannel();
    deskFor(store).postMessage({ type: 'connect', port: port1 } satisfies DeskInit, [port1]);
    const worker = files.newHttp();
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (http === worker) http = null;
    });
    worker.postMessage({ type: 'open', desk: port2 } satisfies HttpInit, [port2]);
    http = worker;
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
      const { port1: httpSide, port2: httpPort } = new MessageChannel();
      const client = inTurnOfTabs(connect(files.newAgent()), files.lock);
      // The sender's program is fetched when an agent first wants it; what was said meanwhile waits in the port.
      let sender: MessagePort | null = httpSide;
      client.onPush((push) => {
        if (push.type !== 'sends' || sender === null) return;
        httpFor(store).postMessage({ type: 'connect', port: sender } satisfies HttpInit, [sender]);
        sender = null;
      });
      agent = client;
      connected(client);
      const memory = store === 'memory' ? await memoryPort() : null;
      const params: Params<'open'> = {
        place: memory === null ? { type: 'indexeddb' } : { type: 'memory', port: memory },
        storageName: files.storageName,
        arms,
        selectedRunId,
        deskPort: agentSide,
        httpPort,
        routes,
      };
      const opened = await client.request(
        'open',
        params,
        memory === null ? [agentSide, httpPort] : [agentSide, httpPort, memory],
      );
      return { client, opened };
    },
    onDeskLost: (listener) => {
      deskLost = listener;
    },
    setDesk: (wanted) => {
      settings = wanted;
      desk?.worker.postMessage({ type: 'set', settings: wanted } satisfies DeskInit);
    },
    setRoutes: (wanted) => {
      routes = wanted;
      // A dead agent answers that it is lost; the next one is opened with them.
      void agent?.request('route', { routes });
    },
    onDeskSettings: (listener) => {
      deskSettings = listener;
    },
  };
}

/** A command that writes is sent when no other tab is in the middle of one, or after a short wait. */
function inTurnOfTabs(client: Client, lock: CommandLock): Client {
  const held = new Set<() => void>();
  client.onPush((push) => {
    // A slow call is out: the others need not wait for its answer.
    if (push.type === 'calling') for (const letGo of held) letGo();
  });
  return {
    ...client,
    request: async (command, params, transfer) => {
      if (!isWriting(command)) return client.request(command, params, transfer);
      const letGo = await lock.take();
      held.add(letGo);
      try {
        return await client.request(command, params, transfer);
      } finally {
        held.delete(letGo);
        letGo();
      }
    },
  };
}
