/**
 * Owns: the state of the crash explorer: what is explored, the points as they stream in, which one is looked at, the guess.
 * Leaves: running to the explorer's worker; words and counts to explore-words.ts.
 */
import type {
  Choices,
  Exploration,
  ExplorerClient,
  Point,
  VariantView,
  Wanted,
} from '../bridge/explorer-client.ts';
import type { Failure } from '../engine/failure.ts';
import { readLink, usual } from './explore-link.ts';
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
  wanted = $state.raw<Wanted>(usual);
  variants = $state.raw<readonly VariantView[]>([]);
  workflows = $state.raw<Choices['workflows']>([]);
  /** Only the correct engine runs this workflow. */
  correctOnly = $derived(
    this.workflows.find(({ name }) => name === this.wanted.workflow)?.hasMistakes === false,
  );
  progress = $state.raw<Progress>({ type: 'idle' });
  exploration = $state.raw<Exploration | null>(null);
  points = $state.raw<readonly Point[]>([]);
  /** What the points on screen belong to. */
  explored = $state.raw<Wanted | null>(null);
  chosen = $state<number | null>(null);
  guess = $state<Guess | null>(null);
  compared = $state.raw<readonly Compared[]>([]);
  counts = $derived(countsOf(this.points));
  /** What the address names and there is none of. */
  unknown = $state.raw<readonly string[]>([]);
  readonly tickets: readonly string[];
  readonly #client: ExplorerClient;
  /** The crashes of the point that the address names, until the exploration has come by. */
  #sought: readonly string[] = [];
  #hash = '';

  constructor(client: ExplorerClient, tickets: readonly string[]) {
    this.#client = client;
    this.tickets = tickets;
  }

  /** The address of the screen: what it names is explored as soon as that can be. */
  open(hash: string): void {
    this.#hash = hash;
    this.#follow();
  }

  offered(choices: Choices): void {
    this.variants = choices.variants;
    this.workflows = choices.workflows;
    this.#follow();
  }

  #follow(): void {
    if (this.variants.length === 0 || this.#hash === '') return;
    const { variants, workflows } = this;
    const linked = readLink(this.#hash, { variants, workflows }, this.tickets);
    this.#hash = '';
    if (linked === null) return;
    this.wanted = linked.wanted;
    this.run();
    this.unknown = linked.unknown;
    this.#sought = linked.at;
  }

  begin(): void {
    this.#client.begin((failure) => (this.progress = { type: 'failed', failure }));
  }

  want(part: Partial<Wanted>): void {
    this.wanted = { ...this.wanted, ...part };
    if (this.correctOnly) this.wanted = { ...this.wanted, variant: 'correct' };
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
      const { ticketId } = this.wanted;
      this.#explore({ ticketId, workflow: usual.workflow, variant: variant.id, crashes: 'one' }, () => {
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
    this.unknown = [];
    this.#sought = [];
    this.progress = { type: 'running' };
    this.#client.explore(wanted, {
      begun: (exploration) => (this.exploration = exploration),
      points: (points) => {
        this.points = [...this.points, ...points];
        this.#find();
      },
      ended: (milliseconds) => {
        this.progress = { type: 'done', milliseconds };
        if (this.#sought.length > 0) {
          this.unknown = [...this.unknown, `this run has no crash “${this.#sought.join(', then ')}”`];
        }
        ended();
      },
      failed: (failure) => (this.progress = { type: 'failed', failure }),
    });
  }

  #find(): void {
    if (this.#sought.length === 0) return;
    const wanted = this.#sought.join();
    const found = this.points.findIndex(({ crashes }) => crashes.join() === wanted);
    if (found < 0) return;
    this.chosen = found;
    this.#sought = [];
  }
}
