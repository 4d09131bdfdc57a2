/**
 * Owns: the state of the crash explorer: what is explored, the points as they stream in, which one is looked at, the guess.
 * Leaves: running to the explorer's worker; words and counts to explore-words.ts.
 */
import type { Exploration, ExplorerClient, Point, VariantView, Wanted } from '../bridge/explorer-client.ts';
import type { Failure } from '../engine/failure.ts';
import type { Guess } from './explore-words.ts';
import { countsOf, type Counts } from './explore-words.ts';

export type Progress =
  | { readonly type: 'idle' }
  | { readonly type: 'running' }
  | { readonly type: 'done'; readonly milliseconds: number }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly failure: Failure };

export interface Compared {
  readonly variant: VariantView;
  readonly counts: Counts;
}

export class Explore {
  wanted = $state.raw<Wanted>({ ticketId: 'T104', variant: 'correct', crashes: 'one' });
  variants = $state.raw<readonly VariantView[]>([]);
  progress = $state.raw<Progress>({ type: 'idle' });
  exploration = $state.raw<Exploration | null>(null);
  points = $state.raw<readonly Point[]>([]);
  /** What the points on screen belong to. */
  explored = $state.raw<Wanted | null>(null);
  chosen = $state<number | null>(null);
  guess = $state<Guess | null>(null);
  compared = $state.raw<readonly Compared[]>([]);
  counts = $derived(countsOf(this.points));
  readonly #client: ExplorerClient;

  constructor(client: ExplorerClient) {
    this.#client = client;
  }

  begin(): void {
    this.#client.begin((failure) => (this.progress = { type: 'failed', failure }));
  }

  want(part: Partial<Wanted>): void {
    this.wanted = { ...this.wanted, ...part };
  }

  run(): void {
    this.compared = [];
    this.#explore(this.wanted, () => undefined);
  }

  /** One crash at every boundary, with each engine in turn. */
  compareAll(): void {
    this.compared = [];
    const next = (at: number): void => {
      const variant = this.variants[at];
      if (variant === undefined) return;
      this.#explore({ ...this.wanted, variant: variant.id, crashes: 'one' }, () => {
        this.compared = [...this.compared, { variant, counts: this.counts }];
        next(at + 1);
      });
    };
    next(0);
  }

  stop(): void {
    this.#client.stop();
    if (this.progress.type === 'running') this.progress = { type: 'stopped' };
  }

  #explore(wanted: Wanted, ended: () => void): void {
    this.points = [];
    this.exploration = null;
    this.chosen = null;
    this.explored = wanted;
    this.progress = { type: 'running' };
    this.#client.explore(wanted, {
      begun: (exploration) => (this.exploration = exploration),
      points: (points) => (this.points = [...this.points, ...points]),
      ended: (milliseconds) => {
        this.progress = { type: 'done', milliseconds };
        ended();
      },
      failed: (failure) => (this.progress = { type: 'failed', failure }),
    });
  }
}
