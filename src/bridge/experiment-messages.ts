/**
 * Owns: what a screen asks the explorer's worker beside an exploration: one map of questions, each with what is wanted, the
 * parts that stream in, and the answer; and answering in the worker.
 * Leaves: the answers to experiment-answers.ts; the page's side to experiment-client.ts.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { RaceMove, RaceRules, RaceTrace } from '../explorer/race.ts';
import type { ExplorerParts } from '../explorer/session.ts';
import type { Trial } from '../explorer/trial.ts';
import type { Attempt } from '../mistakes/locks.ts';
import type { Load, LoadPoint } from '../mistakes/many-writers.ts';
import { modelling, runs, type RunName } from './experiment-answers.ts';
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
  /** `AABBABAB`: whose move comes when. */
  readonly order: string;
  readonly schedule: readonly RaceMove[];
  readonly calls: number;
  readonly conflicts: number;
  /** Turned away by another worker's claim. */
  readonly turnedAway: number;
  /** One version, saved twice. */
  readonly duplicate: boolean;
}

/** The lock log of E6's model, with the times that it was given, in milliseconds. */
export interface LockLog {
  readonly attempts: readonly Attempt[];
  readonly times: Readonly<Record<'callTakes' | 'writeTakes' | 'busyTimeout' | 'headStart', number>>;
}

export interface LoadCurve {
  readonly points: readonly LoadPoint[];
  /** The point that was asked for. */
  readonly chosen: LoadPoint;
  /** The fewest writers at which people notice; null: none of these. */
  readonly knee: number | null;
  /** Between two writes a writer does other things for so long, on average, in milliseconds. */
  readonly thinks: number;
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
  /** The two models of SQLite's rule. */
  readonly locks: {
    readonly wanted: { readonly inside: boolean };
    readonly part: never;
    readonly answer: LockLog;
  };
  readonly load: {
    readonly wanted: Load & { readonly writers: number };
    readonly part: never;
    readonly answer: LoadCurve;
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

/** Attach to the worker's messages before anything awaits. */
export function experimentMessages(
  host: Pick<ExplorerHost, 'tickets' | 'parts'>,
  tell: (message: FromExperiment) => void,
): (message: Ask) => void {
  const running = runs(host.tickets);
  let parts: Promise<Result<ExplorerParts>> | null = null;

  async function answer<Q extends QuestionName>({ id, question, wanted }: Ask<Q>): Promise<Result<unknown>> {
    if (isModel(question)) return succeed(modelling[question](wanted as never));
    parts ??= host.parts();
    const ready = await parts;
    if (!ready.ok) {
      parts = null;
      return ready;
    }
    const run = running[question as RunName] as Running;
    return succeed(
      await run(ready.value, wanted, (part) => {
        tell({ type: 'part', id, part });
      }),
    );
  }
  return (ask) => {
    answer(ask)
      .catch((error: unknown) => fail(whyStopped(String(error))))
      .then((answered) => {
        tell({ type: 'answer', id: ask.id, answer: answered });
      });
  };
}

/** What was wanted was typed where it was sent. */
type Running = (parts: ExplorerParts, wanted: unknown, tell: (part: unknown) => void) => Promise<unknown>;

function isModel(question: QuestionName): question is keyof typeof modelling {
  return question in modelling;
}
