import { expect, test } from 'vitest';
import type { RaceTrace, Violation } from '../../src/bridge/experiment-client.ts';
import { standsIn } from '../../src/lab/break/experiment.ts';
import { experimentTexts } from '../../src/lab/break/experiments.ts';
import { scoreOf } from '../../src/lab/break/ran-words.ts';
import { experiments } from '../../src/mistakes/experiments.ts';

test('there are eight, in order, each with one right answer and a sentence for every answer', () => {
  expect(experimentTexts.map(({ id }) => id)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8']);
  for (const { why, guesses } of experimentTexts) {
    expect(why.answers).toHaveLength(3);
    expect(why.answers.filter(({ right }) => right)).toHaveLength(1);
    expect(why.answers.every(({ feedback }) => feedback.length > 20)).toBe(true);
    expect(new Set(guesses).size).toBe(guesses.length);
  }
});

test('what a crash shows is run at a crash that is known, and what catches it can be guessed', () => {
  const shown = experimentTexts.flatMap((text) =>
    text.kind.type === 'crash' ? text.kind.variants.map(({ id }) => ({ id, text })) : [],
  );
  expect(shown.map(({ id }) => id)).toEqual(experiments.map(({ variant }) => variant.id));
  for (const { id, text } of shown) {
    const catches = experiments.find(({ variant }) => variant.id === id)?.catches ?? 'nothing';
    expect(text.guesses.some((guess) => guess.startsWith(`${catches}:`))).toBe(true);
  }
});

test('a guess is quoted, and scored by what the run broke', () => {
  const violation: Violation = { id: 'I5', title: '', sql: '', columns: [], rows: [] };
  const ran = (violated: readonly Violation[]) => {
    const evidence = { run: undefined, events: [], effects: [], violated };
    const trace: RaceTrace = { moves: [], standing: { A: null, B: null }, evidence, calls: [] };
    return { type: 'race', trace } as const;
  };
  expect(scoreOf('I5: one checkpoint event', ran([violation]))).toBe('You said I5: right, it is I5.');
  expect(scoreOf('I1: a next action', ran([violation]))).toBe('You said I1: wrong, it is I5.');
  expect(scoreOf('none of them', ran([]))).toBe('You said none of them: right, none is broken.');
  expect(scoreOf('none of them', ran([violation]))).toBe('You said none of them: wrong, it is I5.');
  const log = (gotAt: number | null) => {
    const attempts = [{ writer: 1, wantedAt: 0, gotAt, endedAt: 5 }];
    return { type: 'slow call', log: { attempts, times } } as const;
  };
  const times = { callTakes: 1, writeTakes: 1, busyTimeout: 1, headStart: 1 };
  expect(scoreOf('it is refused', log(null))).toBe('You said “it is refused”: right, it is refused.');
  expect(scoreOf('it is refused', log(3))).toBe('You said “it is refused”: wrong, it is not refused.');
});

test('where a model stands in for something, it is known of what', () => {
  const those = experimentTexts.flatMap(({ id, kind }) => (standsIn(kind) === null ? [] : [id]));
  expect(those).toEqual(['e6', 'e7', 'e8']);
});
