/**
 * Owns: in words for a person, what is odd in a file that is about to be opened, and what of it stays behind.
 * Leaves: finding it out to the file's worker; showing it to FileDialogs.svelte.
 */
import type { FileNote, Inspection } from '../bridge/file-inspector.ts';
import { counted } from '../ui/formats.ts';

const mostNames = 5;
const longestName = 40;

/** One sentence or two each; none for a file in which nothing is odd. `fileName`: as the person knows it. */
export function oddities(fileName: string, { report, broken }: Inspection): readonly string[] {
  return [
    ...report.notes.map((note) => noteInWords(fileName, note)),
    ...broken.map(
      ({ id, title, violations }) =>
        `${id} is broken in it (${title}): ${counted(violations, 'violation')}. It is shown as it is.`,
    ),
  ];
}

function noteInWords(fileName: string, note: FileNote): string {
  switch (note.type) {
    case 'write-ahead':
      return `It was last written in write-ahead mode. If a file “${fileName}-wal” lies beside it, the latest changes are in there and missing here: close the program that writes the database, and choose the file again.`;
    case 'utf-16':
      return 'Its text is UTF-16. Here it is stored as UTF-8.';
    case 'left-out':
      return `${named(note.what, note.names)} ${isOrAre(note.names)} left out: nothing that a file brings along runs here.`;
    case 'declared-anew':
      return `${named('table', note.names)} ${isOrAre(note.names)} declared there in another way (keys, types, rules or indexes). Here the lab’s own declaration holds; the rows stay as they are.`;
    case 'further-tables':
      return `${named('further table', note.names)} ${note.names.length === 1 ? 'comes' : 'come'} along with all rows, without rules and indexes.`;
  }
}

/** "Its view a", "Its 7 views (a, b, c, d, e, …)". */
function named(what: string, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(clipped);
  if (names.length === 1) return `Its ${what} ${shown.join('')}`;
  return `Its ${counted(names.length, what)} (${[...shown, ...(names.length > mostNames ? ['…'] : [])].join(', ')})`;
}

function isOrAre(names: readonly string[]): string {
  return names.length === 1 ? 'is' : 'are';
}

function clipped(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}
