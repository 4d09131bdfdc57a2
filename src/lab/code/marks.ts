/**
 * Owns: which lines of the sources the last command is known to have run, and which file an event is about.
 * Leaves: where boundaries stand in the sources to boundaries-in-source.ts.
 */
import type { SourceFile } from '../../bridge/engine-sources.ts';
import type { Announcement } from './boundaries-in-source.ts';

/** Line numbers, from 1. */
export interface Marks {
  /** They announced a boundary that was reached, or handed its name on. */
  readonly ran: ReadonlySet<number>;
  /** Lines of the functions around them: some of them ran, and nothing tells which. */
  readonly around: ReadonlySet<number>;
}

type Text = Pick<SourceFile, 'path' | 'text'>;

/** By path; a file without a mark is not in it. */
export function marksOf(
  files: readonly Text[],
  announcements: readonly Announcement[],
  reached: readonly string[],
): ReadonlyMap<string, Marks> {
  const marks = new Map<string, Marks>();
  for (const { path, text } of files) {
    const found = announcements.filter(
      (one) => one.path === path && reached.some((boundary) => one.matches.test(boundary)),
    );
    if (found.length === 0) continue;
    const ran = new Set(found.flatMap((one) => linesBetween(text, one)));
    const around = new Set(found.flatMap((one) => (one.around ? linesBetween(text, one.around) : [])));
    marks.set(path, { ran, around });
  }
  return marks;
}

/** Where this boundary is announced: paths and lines. */
export function announcedAt(
  files: readonly Text[],
  announcements: readonly Announcement[],
  boundary: string,
): readonly { readonly path: string; readonly line: number }[] {
  return announcements
    .filter(({ kind, matches }) => kind === 'reach' && matches.test(boundary))
    .map(({ path, from }) => ({
      path,
      line: lineOf(files.find((file) => file.path === path)?.text ?? '', from),
    }));
}

/** The file that writes events of this type: among several, the one in which more of the last command ran. */
export function fileOfEvent(
  files: readonly Text[],
  marks: ReadonlyMap<string, Marks>,
  eventType: string | null,
): string {
  const named = `'${eventType ?? 'run_started'}'`;
  // Who writes an event calls `appendEvent`; its own file asks for some of them.
  const writing = files.filter(
    ({ text }) =>
      text.includes(named) && text.includes('appendEvent(') && !text.includes('function appendEvent('),
  );
  const ran = (path: string): number => marks.get(path)?.ran.size ?? 0;
  const [most] = [...writing].sort((a, b) => ran(b.path) - ran(a.path));
  return most?.path ?? files[0]?.path ?? '';
}

function linesBetween(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const first = lineOf(text, from);
  const last = lineOf(text, to);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
