/**
 * Owns: which lines differ between two sources: the longest common subsequence of their lines.
 * Leaves: showing it to SourceDiff.svelte.
 */
export interface DiffLine {
  /** `removed`: only the first source has it. `added`: only the second one has. */
  readonly type: 'same' | 'removed' | 'added';
  readonly text: string;
}

export type DiffPart =
  | { readonly type: 'lines'; readonly lines: readonly DiffLine[] }
  /** Equal lines, too far from a difference to be shown at first. */
  | { readonly type: 'folded'; readonly lines: readonly DiffLine[] };

/** Each source's lines in their order; where a stretch differs, what was removed stands before what was added. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const common = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ type: 'same', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ type: 'removed', text: left });
      i += 1;
    } else if (right !== undefined) {
      lines.push({ type: 'added', text: right });
      j += 1;
    }
  }
  return lines;
}

/** Equal stretches are folded, but for so many lines on each side of a difference. */
export function foldedDiff(lines: readonly DiffLine[], around: number): readonly DiffPart[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ type }) => type !== 'same'),
  );
  const parts: { readonly type: DiffPart['type']; readonly lines: DiffLine[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const type = near[index] ? 'lines' : 'folded';
    const last = parts.at(-1);
    if (last?.type === type) last.lines.push(line);
    else parts.push({ type, lines: [line] });
  }
  // One or two hidden lines take as much room as saying that they are hidden.
  return parts.map((part) => (part.lines.length < 3 ? { ...part, type: 'lines' } : part));
}

function linesOf(source: string): readonly string[] {
  const lines = source.replace(/\r\n/g, '\n').replace(/\n$/, '');
  return lines === '' ? [] : lines.split('\n');
}

/** For each pair of places: how long the longest common subsequence from there on is. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const table: number[][] = [];
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row: number[] = [];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const below = table[i + 1];
      row[j] = a[i] === b[j] ? (below?.[j + 1] ?? 0) + 1 : Math.max(below?.[j] ?? 0, row[j + 1] ?? 0);
    }
    table[i] = row;
  }
  return table;
}

function at(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}
