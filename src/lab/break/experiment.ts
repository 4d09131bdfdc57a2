/**
 * Owns: what an experiment's text is made of.
 * Leaves: the eight texts to experiments.ts.
 */
import type { SourceName } from '../../bridge/mistake-sources.ts';

export type ExperimentKind =
  /** One crash; the variants by their ids, of which one is chosen. */
  | { readonly type: 'crash'; readonly variants: readonly { readonly id: string; readonly label: string }[] }
  | { readonly type: 'race' }
  | { readonly type: 'tickets' }
  | { readonly type: 'slow call' }
  | { readonly type: 'load' };

export interface Answer {
  readonly text: string;
  readonly right: boolean;
  readonly feedback: string;
}

export interface ExperimentText {
  readonly id: string;
  readonly title: string;
  /** For the list, a sentence. */
  readonly sentence: string;
  /** What people do, and why it is tempting. */
  readonly people: string;
  readonly kind: ExperimentKind;
  readonly question: string;
  /** What one may guess; an invariant by its id first. */
  readonly guesses: readonly string[];
  /** The file with the mistake; shown beside the step without it. */
  readonly source: SourceName;
  readonly why: { readonly question: string; readonly answers: readonly Answer[] };
}

/** What a model stands in for; null: nothing, all of it is real. The badge “model” says so wherever it is shown. */
export function standsIn({ type }: ExperimentKind): 'SQLite' | 'a language model' | null {
  if (type === 'slow call' || type === 'load') return 'SQLite';
  return type === 'tickets' ? 'a language model' : null;
}

export function answer(text: string, feedback: string): Answer {
  return { text, right: false, feedback };
}
export function right(text: string, feedback: string): Answer {
  return { text, right: true, feedback };
}
export function crash(id: string): ExperimentKind {
  return { type: 'crash', variants: [{ id, label: '' }] };
}
