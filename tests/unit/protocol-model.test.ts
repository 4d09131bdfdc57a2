import { expect, test } from 'vitest';
import { search, type Bounds } from '../support/protocol-model.ts';

const lost: Bounds = { commits: 2, folds: 1, lost: 1, remade: false };
const twice: Bounds = { commits: 2, folds: 1, lost: 0, remade: false };
const remade: Bounds = { commits: 2, folds: 1, lost: 0, remade: true };

test.each([
  ['lost answers', lost],
  ['two commits each', twice],
  ['a store that is cleared and made again', remade],
  ['lost answers and a store made again', { ...lost, commits: 1, remade: true }],
])('no interleaving of two writers loses or doubles an acknowledged commit: %s', (_, bounds) => {
  const { violation, states } = search(bounds);
  expect(violation).toBe(null);
  expect(states).toBeGreaterThan(1000);
});

test('without the look at the base in commit the search finds a loss', () => {
  expect(search(twice, { commitIgnoresBase: true }).violation).not.toBe(null);
});

test('without the look at the tip in compact the search finds a loss', () => {
  expect(search(twice, { compactIgnoresTip: true }).violation).not.toBe(null);
});

test('without the incarnation the search finds a loss', () => {
  expect(search(remade, { noIncarnation: true }).violation).not.toBe(null);
});

test('when a commit in doubt is run again after a fold the search finds that it is doubled', () => {
  expect(search(lost, { runsAgainInDoubt: true }).violation?.type).toBe('doubled');
});
