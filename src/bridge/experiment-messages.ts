/**
 * Owns: what a screen asks the explorer's worker beside an exploration, and answering it there: one map of questions, each
 * with what is wanted, the parts that stream in, and the answer.
 * Leaves: running to explorer/; the page's side to experiment-client.ts.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import { explorer } from '../explorer/explore.ts';
import type { RaceMove, RaceRules, RaceTrace } from '../explorer/race.ts';
import { movesOf, orders, race, racedAction, type Race } from '../explorer/race.ts';
import type { ExplorerParts } from '../explorer/session.ts';
import { trial, type Trial } from '../explorer/trial.ts';
import { experiments } from '../mistakes/experiments.ts';
import { ruleAsAgent } from '../mistakes/rule-as-agent.ts';
import { sound } from '../mistakes/sound.ts';
import type { Ticket } from '../triage/ticket.ts';
import type { ExplorerHost } from './explorer-messages.ts';
import { whyStopped } from './stopped.ts';

/** One crash of the step without a mistake, and whether everything held. */
export interface Held {
  readonly ticketId: string;
  readonly crashAt: string;
  readonly holds: boolean;
}

export interface TicketTrial extends Trial {
  readonly ticketId: string;
  readonly expectedPriority: string;
}

export interface OrderOutcome {
  readonly order: string;
  readonly calls: number;
  readonly conflicts: number;
  /** Turned away by another worker's claim. */
  readonly turnedAway: number;
  /** One version, saved twice. */
  readonly duplicate: boolean;
}

export interface Questions {
  /** One variant, one crash. `fixed`: without the mistake, at the same instant. */
  readonly trial: {
    readonly wanted: { readonly variant: string; readonly fixed: boolean };
    readonly part: never;
    readonly answer: Trial;
  };
  /** What the model says, or the rule, of each ticket; no crash. */
  readonly tickets: {
    readonly wanted: { readonly fixed: boolean };
    readonly part: never;
    readonly answer: readonly TicketTrial[];
  };
  /** The step without a mistake, crashed at every boundary. */
  readonly everywhere: {
    readonly wanted: { readonly tickets: 'T104' | 'all' };
    readonly part: Held;
    readonly answer: null;
  };
  readonly race: {
    readonly wanted: { readonly rules: RaceRules; readonly schedule: readonly RaceMove[] };
    readonly part: never;
    readonly answer: RaceTrace;
  };
  readonly orders: {
    readonly wanted: { readonly rules: RaceRules };
    readonly part: OrderOutcome;
    readonly answer: null;
  };
}
export type QuestionName = keyof Questions;

export interface Ask<Q extends QuestionName = QuestionName> {
  readonly type: 'ask';
  readonly id: number;
  readonly question: Q;
  readonly wanted: Questions[Q]['wanted'];
}

export type FromExperiment =
  | { readonly type: 'part'; readonly id: number; readonly part: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Result<unknown, Failure> };

type Answering = {
  readonly [Q in QuestionName]: (
    parts: ExplorerParts,
    wanted: Questions[Q]['wanted'],
    tell: (part: Questions[Q]['part']) => void,
  ) => Promise<Result<Questions[Q]['answer']>>;
};

const lessonTicket = 'T104';

/** Attach to the worker's messages before anything awaits. */
export function experimentMessages(
  host: Pick<ExplorerHost, 'tickets' | 'parts'>,
  tell: (message: FromExperiment) => void,
): (message: Ask) => void {
  const races = new Map<string, Promise<Race>>();
  let parts: Promise<Result<ExplorerParts>> | null = null;
  const lesson = (): Ticket => {
    const ticket = host.tickets.find(({ ticketId }) => ticketId === lessonTicket);
    if (ticket === undefined) throw new Error(`there is no ticket ${lessonTicket}`);
    return ticket;
  };
  function raceUnder(parts: ExplorerParts, rules: RaceRules): Promise<Race> {
    const name = JSON.stringify(rules);
    const made = races.get(name) ?? race(parts, lesson(), rules);
    races.set(name, made);
    return made;
  }

  const answering: Answering = {
    trial: async (parts, { variant, fixed }) => {
      const found = experiments.find((one) => one.variant.id === variant);
      if (found === undefined) throw new Error(`there is no experiment ${variant}`);
      const subject = { ticket: lesson(), variant: fixed ? sound : found.variant };
      return succeed(await trial(parts, subject, fixed ? found.soundCrashAt : found.crashAt));
    },
    tickets: async (parts, { fixed }) => {
      const done: TicketTrial[] = [];
      for (const ticket of host.tickets) {
        const tried = await trial(parts, { ticket, variant: fixed ? sound : ruleAsAgent }, null);
        done.push({ ...tried, ticketId: ticket.ticketId, expectedPriority: ticket.expectedPriority });
      }
      return succeed(done);
    },
    everywhere: async (parts, { tickets }, part) => {
      for (const ticket of tickets === 'all' ? host.tickets : [lesson()]) {
        const { ticketId } = ticket;
        const made = await explorer(parts, { ticket, variant: sound });
        await made.one(({ crashes, outcome }) => {
          const holds = outcome.broken.length === 0 && outcome.status === 'completed';
          part({ ticketId, crashAt: crashes[0] ?? '', holds });
        }, new AbortController().signal);
      }
      return succeed(null);
    },
    race: async (parts, { rules, schedule }) => succeed(await (await raceUnder(parts, rules)).run(schedule)),
    orders: async (parts, { rules }, part) => {
      const made = await raceUnder(parts, rules);
      for (const order of orders) part(outcomeOf(order, await made.run(movesOf(order))));
      return succeed(null);
    },
  };

  async function answer<Q extends QuestionName>({ id, question, wanted }: Ask<Q>): Promise<Result<unknown>> {
    parts ??= host.parts();
    const ready = await parts;
    if (!ready.ok) {
      parts = null;
      return ready;
    }
    return answering[question](ready.value, wanted, (part) => {
      tell({ type: 'part', id, part });
    });
  }
  return (ask) => {
    answer(ask)
      .catch((error: unknown) => fail(whyStopped(String(error))))
      .then((answered) => {
        tell({ type: 'answer', id: ask.id, answer: answered });
      });
  };
}

function outcomeOf(order: string, { moves, evidence, calls }: RaceTrace): OrderOutcome {
  const stops = moves.flatMap(({ did }) => (did.type === 'stopped' ? [did.failure.type] : []));
  return {
    order,
    calls: calls.filter(({ tool }) => tool === racedAction).length,
    conflicts: stops.filter((type) => type === 'StateConflict').length,
    turnedAway: stops.filter((type) => type === 'ClaimedElsewhere').length,
    duplicate: evidence.violated.some(({ id }) => id === 'I5'),
  };
}
