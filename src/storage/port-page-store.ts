/**
 * Owns: storage that lives at the other end of a MessagePort. Where IndexedDB is refused the page holds the pages in
 * its memory, so that a worker that is killed loses nothing that was acknowledged.
 * Each call is one message, so each is carried out wholly or not at all, whenever the worker ends.
 */
import type { ImageStorage } from './image-storage.ts';
import type { KeptImages } from './kept-images.ts';
import type { PageStore } from './page-store.ts';

type Storing = Pick<PageStore, 'open' | 'create' | 'refresh' | 'commit' | 'compact' | 'quarantine'>;

/** Every call with its values and its answer, from the two ports. */
type Calls = {
  [M in keyof Storing as `pages.${M}`]: Storing[M];
} & {
  [M in keyof KeptImages as `kept.${M}`]: KeptImages[M];
};

type CallName = keyof Calls;
type Values<C extends CallName> = Parameters<Calls[C]>;
type Answered<C extends CallName> = Awaited<ReturnType<Calls[C]>>;

interface Call {
  readonly id: number;
  readonly call: CallName;
  readonly values: readonly unknown[];
}

interface Reply {
  readonly id: number;
  readonly answer: unknown;
  /** The message of a fault at the other end, or null. */
  readonly fault: string | null;
}

/** Answers calls with `storage`, for as long as the port lives. In the page. */
export function hostStorage(port: MessagePort, storage: ImageStorage): void {
  const { pages, kept } = storage;
  const calls: Calls = {
    'pages.open': () => pages.open(),
    'pages.create': (image) => pages.create(image),
    'pages.refresh': (head) => pages.refresh(head),
    'pages.commit': (head, record) => pages.commit(head, record),
    'pages.compact': (image) => pages.compact(image),
    'pages.quarantine': (name, reason, kind) => pages.quarantine(name, reason, kind),
    'kept.keep': (image, content) => kept.keep(image, content),
    'kept.list': () => kept.list(),
    'kept.get': (name) => kept.get(name),
    'kept.delete': (name) => kept.delete(name),
    'kept.dropReplaced': (generation, reachable) => kept.dropReplaced(generation, reachable),
  };
  port.onmessage = (event: MessageEvent<Call>) => {
    const { id, call, values } = event.data;
    const reply = (answer: unknown, fault: string | null): void =>
      port.postMessage({ id, answer, fault } satisfies Reply);
    // The values were typed where they were sent.
    const method = calls[call] as (...values: readonly unknown[]) => Promise<unknown>;
    method(...values).then(
      (answer) => reply(answer, null),
      (error: unknown) => reply(null, String(error)),
    );
  };
}

/** The storage at the other end of the port. In the worker. */
export function portStorage(port: MessagePort): ImageStorage {
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  port.onmessage = (event: MessageEvent<Reply>) => {
    waiting.get(event.data.id)?.(event.data);
    waiting.delete(event.data.id);
  };
  function call<C extends CallName>(name: C, ...values: Values<C>): Promise<Answered<C>> {
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      waiting.set(id, (reply) => {
        if (reply.fault === null) resolve(reply.answer as Answered<C>);
        else reject(new Error(reply.fault));
      });
      port.postMessage({ id, call: name, values } satisfies Call);
    });
  }
  return {
    pages: {
      kind: 'memory',
      open: () => call('pages.open'),
      create: (image) => call('pages.create', image),
      refresh: (head) => call('pages.refresh', head),
      commit: (head, record) => call('pages.commit', head, record),
      compact: (image) => call('pages.compact', image),
      quarantine: (name, reason, kind) => call('pages.quarantine', name, reason, kind),
      close: () => port.close(),
    },
    kept: {
      keep: (image, content) => call('kept.keep', image, content),
      list: () => call('kept.list'),
      get: (name) => call('kept.get', name),
      delete: (name) => call('kept.delete', name),
      dropReplaced: (generation, reachable) => call('kept.dropReplaced', generation, reachable),
    },
  };
}
