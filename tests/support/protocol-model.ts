/**
 * A model of the page store's protocol (open, refresh, commit, compact) with two writers, small enough to be searched
 * through all interleavings. A transaction of IndexedDB is one step. What may happen besides: a writer sleeps
 * between any two steps, an answer is lost (the transaction happened, never happens, or happens later), and the store
 * is cleared and made again.
 *
 * An image is modelled as the text of the commits it holds, such as `a1b1`.
 */

export interface Sabotage {
  /** `commit` does not look whether the base has gone past its generation. */
  readonly commitIgnoresBase?: true;
  /** `compact` does not look whether its tip is in the log after the base. */
  readonly compactIgnoresTip?: true;
  /** Nobody looks at the incarnation. */
  readonly noIncarnation?: true;
  /** A commit in doubt whose base moved is run again instead of being given up. */
  readonly runsAgainInDoubt?: true;
}

export interface Bounds {
  readonly commits: number;
  readonly folds: number;
  /** Answers that may be lost, for each writer. */
  readonly lost: number;
  /** May the store be cleared and made again, once? */
  readonly remade: boolean;
}

export interface Violation {
  readonly type: 'lost' | 'doubled' | 'unreadable';
  readonly steps: readonly string[];
}

interface Point {
  readonly incarnation: number;
  readonly generation: number;
  readonly id: string;
  readonly image: string;
}

interface LogEntry {
  readonly generation: number;
  readonly id: string;
  readonly parent: string;
  readonly commit: string;
  /** The image that it was made on. The protocol cannot see it; the check of a reader can. */
  readonly onto: string;
}

interface Store {
  readonly base: Point;
  readonly log: readonly LogEntry[];
}

type Sent =
  | { readonly type: 'commit'; readonly on: Point; readonly id: string; readonly commit: string }
  | { readonly type: 'compact'; readonly at: Point };

type Outcome = 'saved' | 'conflict' | 'moved' | 'folded' | 'not folded';

type Doing =
  | { readonly type: 'idle' }
  | { readonly type: 'sent'; readonly sent: Sent; readonly doubt: boolean }
  /** Its commit was refused: it has to take in what is new, then runs the body again. */
  | { readonly type: 'behind'; readonly commit: string };

interface Writer {
  readonly name: string;
  readonly memory: Point;
  readonly doing: Doing;
  readonly commits: number;
  readonly folds: number;
  readonly lost: number;
  readonly attempts: number;
}

interface World {
  readonly store: Store;
  readonly writers: readonly Writer[];
  /** Transactions whose answer nobody waits for, and which happen some time. */
  readonly late: readonly Sent[];
  readonly acknowledged: readonly string[];
  readonly mayBeRemade: boolean;
}

/** Searches every interleaving; the first violation found, or null, and how many states there were. */
export function search(
  bounds: Bounds,
  sabotage: Sabotage = {},
): { violation: Violation | null; states: number } {
  const start: Point = { incarnation: 0, generation: 0, id: 'start', image: '' };
  const first: World = {
    store: { base: start, log: [] },
    writers: ['a', 'b'].map((name) => ({
      name,
      memory: start,
      doing: { type: 'idle' },
      commits: bounds.commits,
      folds: bounds.folds,
      lost: bounds.lost,
      attempts: 0,
    })),
    late: [],
    acknowledged: [],
    mayBeRemade: bounds.remade,
  };
  const seen = new Set([JSON.stringify(first)]);
  const open: { world: World; steps: readonly string[] }[] = [{ world: first, steps: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const type = violated(next.world);
    if (type) return { violation: { type, steps: next.steps }, states: seen.size };
    for (const [step, world] of moves(next.world, sabotage)) {
      const key = JSON.stringify(world);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push({ world, steps: [...next.steps, step] });
    }
  }
  return { violation: null, states: seen.size };
}

/** What a fresh reader finds wrong. */
function violated(world: World): Violation['type'] | null {
  const read = opened(world.store);
  if (!read) return 'unreadable';
  const commits: readonly string[] = read.image.match(/../g) ?? [];
  if (new Set(commits).size < commits.length) return 'doubled';
  return world.acknowledged.every((commit) => commits.includes(commit)) ? null : 'lost';
}

function opened({ base, log }: Store): Point | null {
  let point = base;
  for (const entry of log) {
    if (entry.generation !== point.generation + 1 || entry.parent !== point.id || entry.onto !== point.image)
      return null;
    point = { ...point, generation: entry.generation, id: entry.id, image: point.image + entry.commit };
  }
  return point;
}

function* moves(world: World, sabotage: Sabotage): Generator<readonly [string, World]> {
  for (const [index, writer] of world.writers.entries()) {
    const become = (changed: Partial<Writer>, rest: Partial<World> = {}): World => ({
      ...world,
      writers: world.writers.map((other, at) => (at === index ? { ...writer, ...changed } : other)),
      ...rest,
    });
    const { doing, name } = writer;
    switch (doing.type) {
      case 'idle':
        if (writer.commits > 0) {
          yield [
            `${name} builds a commit`,
            become({ commits: writer.commits - 1, ...built(writer, `${name}${writer.commits}`) }),
          ];
        }
        if (writer.folds > 0) {
          const sent: Sent = { type: 'compact', at: writer.memory };
          yield [
            `${name} builds a fold`,
            become({ folds: writer.folds - 1, doing: { type: 'sent', sent, doubt: false } }),
          ];
        }
        yield [`${name} refreshes`, become({ memory: refreshed(world.store, writer.memory, sabotage) })];
        break;
      case 'behind': {
        const memory = refreshed(world.store, writer.memory, sabotage);
        yield [
          `${name} refreshes and runs again`,
          become({ memory, ...built({ ...writer, memory }, doing.commit) }),
        ];
        break;
      }
      case 'sent': {
        const { store, outcome } = done(world.store, doing.sent, sabotage);
        yield [
          `${name} ${doing.sent.type}: ${outcome}`,
          heard(world, become, writer, doing, store, outcome, sabotage),
        ];
        if (writer.lost === 0) break;
        const after: Partial<Writer> = {
          lost: writer.lost - 1,
          doing: doing.sent.type === 'commit' ? { ...doing, doubt: true } : { type: 'idle' },
        };
        yield [`${name} ${doing.sent.type}: ${outcome}, unheard`, become(after, { store })];
        yield [`${name} ${doing.sent.type} never happens`, become(after)];
        yield [`${name} ${doing.sent.type} is late`, become(after, { late: [...world.late, doing.sent] })];
      }
    }
  }
  for (const [index, sent] of world.late.entries()) {
    const { store, outcome } = done(world.store, sent, sabotage);
    yield [
      `a late ${sent.type}: ${outcome}`,
      { ...world, store, late: world.late.filter((_, at) => at !== index) },
    ];
  }
  if (world.mayBeRemade) {
    const base: Point = { incarnation: 1, generation: 0, id: 'remade', image: '' };
    yield [
      'the store is cleared and made again',
      { ...world, store: { base, log: [] }, acknowledged: [], mayBeRemade: false },
    ];
  }
}

function built(writer: Writer, commit: string): Partial<Writer> {
  const sent: Sent = { type: 'commit', on: writer.memory, id: `${writer.name}.${writer.attempts}`, commit };
  return { attempts: writer.attempts + 1, doing: { type: 'sent', sent, doubt: false } };
}

function heard(
  world: World,
  become: (changed: Partial<Writer>, rest?: Partial<World>) => World,
  writer: Writer,
  doing: Doing & { readonly type: 'sent' },
  store: Store,
  outcome: Outcome,
  sabotage: Sabotage,
): World {
  const { sent } = doing;
  if (sent.type === 'compact') return become({ doing: { type: 'idle' } }, { store });
  switch (outcome) {
    case 'saved': {
      const { on, id, commit } = sent;
      const memory = { ...on, generation: on.generation + 1, id, image: on.image + commit };
      return become(
        { memory, doing: { type: 'idle' } },
        { store, acknowledged: [...world.acknowledged, commit].sort() },
      );
    }
    case 'moved':
      // In doubt an earlier attempt may be folded away: the caller is told that nobody knows; it is not run again.
      if (doing.doubt && sabotage.runsAgainInDoubt !== true)
        return become({ doing: { type: 'idle' }, memory: writer.memory }, { store });
      return become({ doing: { type: 'behind', commit: sent.commit } }, { store });
    default:
      return become({ doing: { type: 'behind', commit: sent.commit } }, { store });
  }
}

/** One transaction of the store. */
function done(
  store: Store,
  sent: Sent,
  sabotage: Sabotage,
): { readonly store: Store; readonly outcome: Outcome } {
  const { base, log } = store;
  const point = sent.type === 'commit' ? sent.on : sent.at;
  const sameStore = sabotage.noIncarnation === true || base.incarnation === point.incarnation;
  if (sent.type === 'compact') {
    const tip = log.find((entry) => entry.generation === point.generation);
    const mine =
      sabotage.compactIgnoresTip === true || (base.generation < point.generation && tip?.id === point.id);
    if (!sameStore || !mine) return { store, outcome: 'not folded' };
    const rest = log.filter((entry) => entry.generation > point.generation);
    return { store: { base: { ...point, incarnation: base.incarnation }, log: rest }, outcome: 'folded' };
  }
  const past = sabotage.commitIgnoresBase !== true && base.generation > point.generation;
  if (!sameStore || past) return { store, outcome: base.id === sent.id ? 'saved' : 'moved' };
  const generation = point.generation + 1;
  const there = log.find((entry) => entry.generation === generation);
  if (there) return { store, outcome: there.id === sent.id ? 'saved' : 'conflict' };
  const entry: LogEntry = {
    generation,
    id: sent.id,
    parent: point.id,
    commit: sent.commit,
    onto: point.image,
  };
  const longer = [...log, entry].sort((a, b) => a.generation - b.generation);
  return { store: { base, log: longer }, outcome: 'saved' };
}

/** What a writer holds after a refresh: the log after its point, or all of it, read again. */
function refreshed(store: Store, memory: Point, sabotage: Sabotage): Point {
  const sameStore = sabotage.noIncarnation === true || store.base.incarnation === memory.incarnation;
  if (!sameStore || store.base.generation > memory.generation) return opened(store) ?? memory;
  let point = memory;
  for (const entry of store.log) {
    if (entry.generation <= point.generation) continue;
    if (entry.generation !== point.generation + 1 || entry.parent !== point.id)
      return opened(store) ?? memory;
    point = { ...point, generation: entry.generation, id: entry.id, image: point.image + entry.commit };
  }
  return point;
}
