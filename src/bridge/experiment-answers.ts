/**
 * Owns: the answer to each question of experiment-messages.ts: trials, crashes everywhere, races, and the two models.
 * Leaves: running to explorer/, the models to mistakes/.
 */
import { explorer } from '../explorer/explore.ts';
import {
  movesOf,
  orders,
  race,
  racedAction,
  type Race,
  type RaceRules,
  type RaceTrace,
} from '../explorer/race.ts';
import type { ExplorerParts } from '../explorer/session.ts';
import { trial } from '../explorer/trial.ts';
import { experiments } from '../mistakes/experiments.ts';
import { kneeOf, loadOf, thinks } from '../mistakes/many-writers.ts';
import { ruleAsAgent } from '../mistakes/rule-as-agent.ts';
import { busyTimeout, callTakes, headStart, slowCall, writeTakes } from '../mistakes/slow-call.ts';
import { sound } from '../mistakes/sound.ts';
import type { Ticket } from '../triage/ticket.ts';
import type { OrderOutcome, Questions, TicketTrial } from './experiment-messages.ts';

type ModelName = 'locks' | 'load';
export type RunName = Exclude<keyof Questions, ModelName>;

type Runs = {
  readonly [Q in RunName]: (
    parts: ExplorerParts,
    wanted: Questions[Q]['wanted'],
    tell: (part: Questions[Q]['part']) => void,
  ) => Promise<Questions[Q]['answer']>;
};

const lessonTicket = 'T104';

/** Those that run the engine. */
export function runs(tickets: readonly Ticket[]): Runs {
  const races = new Map<string, Promise<Race>>();
  const lesson = (): Ticket => {
    const ticket = tickets.find(({ ticketId }) => ticketId === lessonTicket);
    if (ticket === undefined) throw new Error(`there is no ticket ${lessonTicket}`);
    return ticket;
  };
  function raceUnder(parts: ExplorerParts, rules: RaceRules): Promise<Race> {
    const name = JSON.stringify(rules);
    const made = races.get(name) ?? race(parts, lesson(), rules);
    races.set(name, made);
    return made;
  }
  return {
    trial: (parts, { variant, fixed }) => {
      const found = experiments.find((one) => one.variant.id === variant);
      if (found === undefined) throw new Error(`there is no experiment ${variant}`);
      const subject = { ticket: lesson(), variant: fixed ? sound : found.variant };
      return trial(parts, subject, fixed ? found.soundCrashAt : found.crashAt);
    },
    tickets: async (parts, { fixed }) => {
      const done: TicketTrial[] = [];
      for (const ticket of tickets) {
        const tried = await trial(parts, { ticket, variant: fixed ? sound : ruleAsAgent }, null);
        done.push({ ...tried, ticketId: ticket.ticketId, expectedPriority: ticket.expectedPriority });
      }
      return done;
    },
    everywhere: async (parts, wanted, tell) => {
      for (const ticket of wanted.tickets === 'all' ? tickets : [lesson()]) {
        const { ticketId } = ticket;
        const made = await explorer(parts, { ticket, variant: sound });
        await made.one(({ crashes, outcome }) => {
          const holds = outcome.broken.length === 0 && outcome.status === 'completed';
          tell({ ticketId, crashAt: crashes[0] ?? '', holds });
        }, new AbortController().signal);
      }
      return null;
    },
    race: async (parts, { rules, schedule }) => (await raceUnder(parts, rules)).run(schedule),
    orders: async (parts, { rules }, tell) => {
      const made = await raceUnder(parts, rules);
      for (const order of orders) {
        const schedule = movesOf(order);
        tell({ order, schedule, ...outcomeOf(await made.run(schedule)) });
      }
      return null;
    },
  };
}

const writersShown = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64] as const;

/** Those that need no database. */
export const modelling: {
  readonly [Q in ModelName]: (wanted: Questions[Q]['wanted']) => Questions[Q]['answer'];
} = {
  locks: ({ inside }) => ({
    attempts: slowCall(inside),
    times: { callTakes, writeTakes, busyTimeout, headStart },
  }),
  load: ({ writers, ...load }) => {
    const points = writersShown.map((count) => loadOf(count, load));
    return { points, chosen: loadOf(writers, load), knee: kneeOf(points, load), thinks };
  },
};

function outcomeOf({ moves, evidence, calls }: RaceTrace): Omit<OrderOutcome, 'order' | 'schedule'> {
  const stops = moves.flatMap(({ did }) => (did.type === 'stopped' ? [did.failure.type] : []));
  return {
    calls: calls.filter(({ tool }) => tool === racedAction).length,
    conflicts: stops.filter((type) => type === 'StateConflict').length,
    turnedAway: stops.filter((type) => type === 'ClaimedElsewhere').length,
    duplicate: evidence.violated.some(({ id }) => id === 'I5'),
  };
}
