/**
 * Owns: how many tabs have this page open, as far as they answer: each says hello, here and bye over a
 * BroadcastChannel. A frozen or cached tab says nothing and is not counted.
 * Leaves: showing the number. Nothing is decided by it.
 */

type Message = { readonly type: 'hello' | 'here' | 'bye'; readonly tab: string };

export interface PresenceParts {
  /** Null: the browser has none, and nobody is counted. */
  readonly channel: () => BroadcastChannel | null;
  /** Random, new for each tab. */
  readonly tab: string;
  /** Tabs that are open, this one among them. */
  readonly count: (tabs: number) => void;
}

export interface Presence {
  /** Asks everybody again: who does not answer any more is gone. */
  ask(): void;
  /** This tab is not to be counted until it joins again. */
  leave(): void;
  join(): void;
}

/** Milliseconds within which a tab that is awake answers. */
const answerTime = 1_000;

export function tabPresence({ channel, tab, count }: PresenceParts): Presence {
  let open: BroadcastChannel | null = null;
  /** Others that were heard, each with the round in which it was heard last. */
  const others = new Map<string, number>();
  let round = 0;

  function say(type: Message['type']): void {
    open?.postMessage({ type, tab } satisfies Message);
  }
  function tell(): void {
    if (open !== null) count(others.size + 1);
  }
  function hear(message: Message | null): void {
    if (message === null || message.tab === tab) return;
    if (message.type === 'bye') others.delete(message.tab);
    else others.set(message.tab, round);
    if (message.type === 'hello') say('here');
    tell();
  }
  function ask(): void {
    if (open === null) return;
    round += 1;
    const asked = round;
    say('hello');
    setTimeout(() => {
      if (asked !== round) return;
      for (const [other, heard] of others) if (heard < asked) others.delete(other);
      tell();
    }, answerTime);
  }

  return {
    ask,
    leave: () => {
      say('bye');
      open?.close();
      open = null;
      others.clear();
    },
    join: () => {
      if (open !== null) return;
      open = channel();
      if (open === null) return;
      open.onmessage = (event: MessageEvent<unknown>) => hear(messageFrom(event.data));
      tell();
      ask();
    },
  };
}

/** Whatever another version of this page says, only what is understood is heard. */
function messageFrom(data: unknown): Message | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, tab } = data as { readonly type?: unknown; readonly tab?: unknown };
  const known = type === 'hello' || type === 'here' || type === 'bye';
  return known && typeof tab === 'string' ? { type, tab } : null;
}
