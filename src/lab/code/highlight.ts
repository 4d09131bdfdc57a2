/** Owns: a source as lines of pieces, each with the classes of its colour. Text stays text. */
import { classHighlighter, highlightCode } from '@lezer/highlight';
import type { Tree } from './source-tree.ts';

export interface Piece {
  readonly text: string;
  /** `tok-keyword`, …; empty: no colour of its own. */
  readonly classes: string;
}

export function highlightedLines(text: string, tree: Tree): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  highlightCode(
    text.replace(/\n$/, ''),
    tree,
    classHighlighter,
    (piece, classes) => lines.at(-1)?.push({ text: piece, classes }),
    () => lines.push([]),
  );
  return lines;
}
