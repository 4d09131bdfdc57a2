import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOf, foldedDiff } from '../../src/ui/source-diff.ts';

const shown = (before: string, after: string): string[] =>
  diffOf(before, after).map(({ type, text }) => `${{ same: ' ', removed: '-', added: '+' }[type]}${text}`);

test('a changed line is removed and added, in this order, between the lines that stayed', () => {
  expect(shown('load\nkey = run\nsave\n', 'load\nkey = random\nsave\n')).toEqual([
    ' load',
    '-key = run',
    '+key = random',
    ' save',
  ]);
  expect(shown('a\nb\nc', 'a\nc')).toEqual([' a', '-b', ' c']);
  expect(shown('', 'a\n')).toEqual(['+a']);
  expect(shown('a\r\nb\r\n', 'a\nb\n')).toEqual([' a', ' b']);
});

test('what is not added is the first source, what is not removed the second, and no more differs than has to', () => {
  const source = fc.array(fc.constantFrom('a', 'b', 'c', '}'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(source, source, (before, after) => {
      const lines = diffOf(before.join('\n'), after.join('\n'));
      const without = (gone: string) => lines.filter(({ type }) => type !== gone).map(({ text }) => text);
      expect(without('added')).toEqual(before);
      expect(without('removed')).toEqual(after);
      expect(lines.filter(({ type }) => type === 'same')).toHaveLength(longestCommon(before, after));
    }),
  );
});

test('equal lines far from a difference are folded, and no line is lost', () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${String(index)}`);
  const after = before.with(15, 'other');
  const lines = diffOf(before.join('\n'), after.join('\n'));
  const parts = foldedDiff(lines, 2);
  expect(parts.map(({ type, lines: some }) => [type, some.length])).toEqual([
    ['folded', 13],
    ['lines', 6],
    ['folded', 12],
  ]);
  expect(parts.flatMap((part) => part.lines)).toEqual(lines);
  expect(foldedDiff(diffOf('a\nb', 'a\nb'), 2).flatMap((part) => part.lines)).toHaveLength(2);
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [[first, ...restA], [other, ...restB]] = [a, b];
  if (first === other) return 1 + longestCommon(restA, restB);
  return Math.max(longestCommon(restA, b), longestCommon(a, restB));
}
