/** How many tabs have the page open, as far as they answer. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tabPresence, type Presence } from '../../src/bridge/presence.ts';

/** Tabs of one browser: what one posts, all others hear, unless they are frozen. */
class Browser {
  readonly #tabs = new Set<FakeChannel>();
  channel(): FakeChannel {
    const channel = new FakeChannel(this.#tabs);
    this.#tabs.add(channel);
    return channel;
  }
}

class FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  frozen = false;
  readonly #tabs: Set<FakeChannel>;
  constructor(tabs: Set<FakeChannel>) {
    this.#tabs = tabs;
  }
  postMessage(data: unknown): void {
    for (const tab of this.#tabs) if (tab !== this && !tab.frozen) tab.onmessage?.({ data });
  }
  close(): void {
    this.#tabs.delete(this);
  }
}

let browser: Browser;
beforeEach(() => {
  vi.useFakeTimers();
  browser = new Browser();
});
afterEach(() => {
  vi.useRealTimers();
});

function tab(name: string): { presence: Presence; counts: number[]; channels: FakeChannel[] } {
  const counts: number[] = [];
  const channels: FakeChannel[] = [];
  const presence = tabPresence({
    tab: name,
    count: (tabs) => counts.push(tabs),
    channel: () => {
      const channel = browser.channel();
      channels.push(channel);
      return channel as unknown as BroadcastChannel;
    },
  });
  presence.join();
  return { presence, counts, channels };
}

test('a tab that joins is counted by all, and by itself', () => {
  const [a, b, c] = [tab('a'), tab('b'), tab('c')];
  expect([a, b, c].map(({ counts }) => counts.at(-1))).toEqual([3, 3, 3]);
});

test('a tab that leaves is not counted from then on, and is again when it joins again', () => {
  const [a, b] = [tab('a'), tab('b')];
  b.presence.leave();
  expect(a.counts.at(-1)).toBe(1);
  b.presence.join();
  expect([a, b].map(({ counts }) => counts.at(-1))).toEqual([2, 2]);
});

test('a tab that is dead or frozen is not counted after the next question, and a frozen one is when it wakes', async () => {
  const [a, b] = [tab('a'), tab('b')];
  for (const channel of b.channels) channel.frozen = true;
  a.presence.ask();
  expect(a.counts.at(-1)).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(a.counts.at(-1)).toBe(1);
  for (const channel of b.channels) channel.frozen = false;
  b.presence.ask();
  expect(a.counts.at(-1)).toBe(2);
});

test('a tab that answers stays counted, however often it is asked', async () => {
  const [a] = [tab('a'), tab('b')];
  for (let asked = 0; asked < 5; asked += 1) {
    a.presence.ask();
    await vi.advanceTimersByTimeAsync(5_000);
  }
  expect(new Set(a.counts.slice(1))).toEqual(new Set([2]));
});

test('what is not understood is not counted, and without a channel nobody is', () => {
  const a = tab('a');
  const stranger = browser.channel();
  for (const data of [null, 7, 'hello', { type: 'hello' }, { type: 'moo', tab: 'x' }])
    stranger.postMessage(data);
  expect(a.counts.at(-1)).toBe(1);
  const counts: number[] = [];
  tabPresence({ tab: 'b', channel: () => null, count: (tabs) => counts.push(tabs) }).join();
  expect(counts).toEqual([]);
});
