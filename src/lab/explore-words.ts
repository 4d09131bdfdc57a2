/** Owns: what the explorer's points add up to, in numbers and words: counts, signs, the guess and its score, the CSV. Pure. */
import Papa from 'papaparse';
import type { Point } from '../bridge/explorer-client.ts';

export type Kind = Point['outcome']['kind'];

/** A sign a kind, so that colour never speaks alone. */
export const signs: Readonly<Record<Kind, string>> = {
  plain: '·',
  'not stored': '○',
  reused: '#',
  'called twice': '!',
  'in doubt': '?',
  broken: '×',
};

export const kindWords: Readonly<Record<Kind, string>> = {
  plain: 'went on where it stood',
  'not stored': 'nothing was stored yet: started again',
  reused: 'a saved result was reused',
  'called twice': 'a tool was called a second time',
  'in doubt': 'nobody knew what became of a call: a person had to say',
  broken: 'an invariant is broken, or the reply is another one',
};

export interface Counts {
  readonly points: number;
  readonly completed: number;
  readonly broken: number;
  readonly calledTwice: number;
  readonly reused: number;
}

export function countsOf(points: readonly Point[]): Counts {
  const where = (test: (outcome: Point['outcome']) => boolean) =>
    points.filter(({ outcome }) => test(outcome)).length;
  return {
    points: points.length,
    completed: where(({ status }) => status === 'completed'),
    broken: where(({ broken }) => broken.length > 0),
    calledTwice: where(({ calls }) => Object.values(calls).some((times) => times > 1)),
    reused: where(({ reused }) => reused > 0),
  };
}

/** At how many of the points an invariant will be broken. */
export type Guess = 'none' | 'some' | 'all';

export const guessWords: Readonly<Record<Guess, string>> = {
  none: 'nowhere',
  some: 'at some points',
  all: 'at every point',
};

export function scored(guess: Guess, { points, broken }: Counts): string {
  const right: Guess = broken === 0 ? 'none' : broken === points ? 'all' : 'some';
  const verdict = guess === right ? 'right' : 'wrong';
  return `You said ${guessWords[guess]}: ${verdict}, it is broken at ${String(broken)} of ${String(points)}.`;
}

/** "lookup_runbook.tool.durable, then draft_reply.tool.called" */
export function crashesInWords({ crashes }: Point): string {
  return crashes.join(', then ');
}

export function callsInWords({ outcome }: Point): string {
  return Object.entries(outcome.calls)
    .map(([tool, times]) => `${tool} ${String(times)}`)
    .join(', ');
}

/** A spreadsheet takes a text that begins like this for a formula. */
const formulaStart = /^[=+\-@\t\r\n]/;

/** One line a point. RFC 4180. */
export function pointsCsv(points: readonly Point[]): string {
  const rows = points.map((point) => ({
    first_crash: point.crashes[0] ?? '',
    second_crash: point.crashes[1] ?? '',
    outcome: point.outcome.kind,
    status: point.outcome.status,
    version: point.outcome.version,
    events: point.outcome.events.length,
    effects: point.outcome.effects,
    calls: callsInWords(point),
    reused: point.outcome.reused,
    broken: point.outcome.broken.join(' '),
  }));
  return `${Papa.unparse(rows, { newline: '\r\n', escapeFormulae: formulaStart })}\r\n`;
}
