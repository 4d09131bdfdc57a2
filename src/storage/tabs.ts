/**
 * Owns: the hint between tabs that something was written. It only saves waiting: a tab that misses it finds out at
 * its next commit, by the page store. Where the browser has no BroadcastChannel nothing is said.
 */

export interface Tabs {
  /** Tells the other tabs that this one wrote. */
  announce(generation: number): void;
  close(): void;
}

/** `news` is called when another tab, of the same storage name, has written. */
export function joinTabs(storageName: string, news: (generation: number) => void): Tabs {
  if (typeof BroadcastChannel === 'undefined') return { announce: () => undefined, close: () => undefined };
  const channel = new BroadcastChannel(storageName);
  channel.onmessage = (event: MessageEvent<unknown>) => {
    if (typeof event.data === 'number') news(event.data);
  };
  return {
    announce: (generation) => channel.postMessage(generation),
    close: () => channel.close(),
  };
}
