/**
 * Owns: finding in the text what SQLite complains about. It names the words, and in a browser not the place.
 * Leaves: what the complaint means to the page.
 */
import type { SqlProblem } from './console-answer.ts';
import { tokensOf, type SqlToken } from './console-sql.ts';

/** What SQLite says of preparing this text; null: nothing. */
export type Prepares = (sql: string) => string | null;

type Place = NonNullable<SqlProblem['place']>;

/**
 * Where in `sql` the message applies, from the statement's start on; null: it names nothing that stands there.
 * A syntax error stands where SQLite first makes this complaint of the text up to there.
 */
export function placeOf(sql: string, start: number, message: string, prepares: Prepares): Place | null {
  const statement = sql.slice(start);
  const tokens = tokensOf(statement);
  const at = (token: SqlToken | undefined): Place | null =>
    token === undefined ? null : { start: start + token.start, length: token.text.length };

  if (message.startsWith('incomplete input')) return at(tokens.at(-1));
  const near = /^near "([\s\S]*)": /.exec(message)?.[1];
  if (near !== undefined) {
    const fitting = tokens.filter(({ text }) => text === near);
    return at(
      fitting.find((token) => prepares(statement.slice(0, token.start + near.length)) === message) ??
        fitting[0],
    );
  }
  const unrecognized = /^unrecognized token: "([\s\S]*)"$/.exec(message)?.[1];
  if (unrecognized !== undefined) {
    const index = tokens.find(({ text }) => text.startsWith(unrecognized))?.start ?? -1;
    return index < 0 ? null : { start: start + index, length: unrecognized.length };
  }
  const named = namedIn(message);
  if (named === null) return null;
  const parts = named.split('.').map((part) => part.toLowerCase());
  return at(
    tokens.find((_, index) =>
      parts.every((part, number) => {
        // The parts of a name stand apart by a dot each.
        const token = tokens[index - 2 * (parts.length - 1 - number)];
        return token !== undefined && nameOf(token) === part;
      }),
    ) ?? tokens.find((token) => nameOf(token) === parts.at(-1)),
  );
}

const naming: readonly RegExp[] = [
  /^no such (?:table|column|function|index|view|collation sequence|module|trigger): (\S+)/,
  /^ambiguous column name: (\S+)/,
  /has no column named (\S+)/,
  /^wrong number of arguments to function (\w+)\(/,
  /^misuse of (?:aggregate|window function|aliased aggregate|aliased window function)(?: function)?:? (\w+)/,
  /^(?:table|view|index) (\S+) (?:already exists|may not be modified)/,
  /^cannot modify (\S+) because/,
  /^foreign key mismatch - "(\S+)"/,
];

function namedIn(message: string): string | null {
  for (const pattern of naming) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

function nameOf({ kind, text }: SqlToken): string {
  return (kind === 'quoted' ? text.slice(1, -1) : text).toLowerCase();
}
