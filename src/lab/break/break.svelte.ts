/**
 * Owns: the state of one experiment on screen: the guess, the run with the mistake, the one without, whether it holds
 * everywhere.
 * Leaves: running to the explorer's worker; the words to experiments.ts.
 */
import type {
  ExperimentClient,
  Held,
  LockLog,
  OrderOutcome,
  RaceTrace,
  TicketTrial,
  Trial,
} from '../../bridge/experiment-client.ts';
import type { Failure, Result } from '../../engine/failure.ts';
import { overlapping } from '../race/schedule.ts';
import type { ExperimentText } from './experiment.ts';

export type Ran =
  | { readonly type: 'crash'; readonly trial: Trial }
  | { readonly type: 'race'; readonly trace: RaceTrace }
  | { readonly type: 'tickets'; readonly trials: readonly TicketTrial[] }
  | { readonly type: 'slow call'; readonly log: LockLog };

/** One point of "holds everywhere": a crash, or an order of two workers' moves. */
export interface HeldPoint {
  readonly name: string;
  readonly holds: boolean;
}

export class Breaking {
  readonly text: ExperimentText;
  /** The variant, where there are several. */
  variant = $state(0);
  guess = $state<number | null>(null);
  broken = $state.raw<Ran | null>(null);
  fixed = $state.raw<Ran | null>(null);
  held = $state.raw<readonly HeldPoint[]>([]);
  /** All points were run. */
  complete = $state(false);
  busy = $state<'break' | 'fix' | null>(null);
  failure = $state.raw<Failure | null>(null);
  answered = $state<number | null>(null);
  readonly #client: ExperimentClient;
  /** What was asked before another variant was chosen is not of this one. */
  #turn = 0;

  constructor(text: ExperimentText, client: ExperimentClient) {
    this.text = text;
    this.#client = client;
  }

  choose(variant: number): void {
    this.#turn += 1;
    this.variant = variant;
    this.broken = this.busy = this.failure = null;
    this.#unfix();
  }

  async break(): Promise<void> {
    this.#unfix();
    const broken = await this.#doing('break', this.#run(false));
    if (broken !== 'passed') this.broken = broken;
  }

  async fix(): Promise<void> {
    this.#unfix();
    const fixed = await this.#doing('fix', this.#run(true));
    if (fixed === 'passed') return;
    this.fixed = fixed;
    if (fixed !== null) await this.#everywhere();
  }

  #unfix(): void {
    this.fixed = null;
    this.held = [];
    this.complete = false;
    this.answered = null;
  }

  async #everywhere(): Promise<void> {
    const { type } = this.text.kind;
    const turn = this.#turn;
    const add = (point: HeldPoint) => {
      if (turn === this.#turn) this.held = [...this.held, point];
    };
    const crashed = ({ ticketId, crashAt, holds }: Held) =>
      add({ name: type === 'tickets' ? `${ticketId}, ${crashAt}` : crashAt, holds });
    const ordered = ({ order, duplicate }: OrderOutcome) => add({ name: order, holds: !duplicate });
    const rules = { guard: true, claimFirst: false };
    const asked =
      type === 'race'
        ? this.#client.ask('orders', { rules }, ordered)
        : type === 'crash' || type === 'tickets'
          ? this.#client.ask('everywhere', { tickets: type === 'tickets' ? 'all' : 'T104' }, crashed)
          : null;
    if (asked === null) return;
    const done = await this.#doing(
      'fix',
      asked.then((all) => (all.ok ? { ...all, value: true } : all)),
    );
    if (done !== 'passed') this.complete = done === true;
  }

  async #run(fixed: boolean): Promise<Result<Ran>> {
    const { kind } = this.text;
    switch (kind.type) {
      case 'crash': {
        const variant = kind.variants[this.variant]?.id ?? '';
        return taken(this.#client.ask('trial', { variant, fixed }), (trial) => ({ type: 'crash', trial }));
      }
      case 'race': {
        const wanted = { rules: { guard: fixed, claimFirst: false }, schedule: overlapping };
        return taken(this.#client.ask('race', wanted), (trace) => ({ type: 'race', trace }));
      }
      case 'tickets':
        return taken(this.#client.ask('tickets', { fixed }), (trials) => ({ type: 'tickets', trials }));
      case 'slow call':
        return taken(this.#client.ask('locks', { inside: !fixed }), (log) => ({ type: 'slow call', log }));
      case 'load':
        throw new Error('the load is chosen, not run');
    }
  }

  /** Null: it failed. `passed`: another variant was chosen since. */
  async #doing<T>(what: 'break' | 'fix', work: Promise<Result<T>>): Promise<T | null | 'passed'> {
    this.busy = what;
    this.failure = null;
    const turn = this.#turn;
    const done = await work;
    if (turn !== this.#turn) return 'passed';
    this.busy = null;
    if (done.ok) return done.value;
    this.failure = done.failure;
    return null;
  }
}

async function taken<T>(asked: Promise<Result<T>>, as: (value: T) => Ran): Promise<Result<Ran>> {
  const answer = await asked;
  return answer.ok ? { ok: true, value: as(answer.value) } : answer;
}
