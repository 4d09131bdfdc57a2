/**
 * Owns: what SQLite's commonest complaints mean, in plain words, and where a place in a text is.
 * Leaves: SQLite's own words, which stand before them, as they are.
 */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^near ".*": syntax error/s,
    'The text is right up to the marked word. Often a comma, a bracket or a keyword before it is missing or one too many; or it is a keyword itself, and a name only in double quotes.',
  ],
  [/^incomplete input/, 'The text ends too early: a bracket may be open, or a part be missing at the end.'],
  [
    /^no such table/,
    'Look at the tables beside the editor. Names are written in full: agent_runs, not runs.',
  ],
  [
    /^no such column/,
    'Look at the columns beside the editor. A text stands in single quotes: in double quotes, or without, it is a name.',
  ],
  [
    /^ambiguous column name/,
    'More than one table has this column. Put the table’s name before it: agent_runs.run_id.',
  ],
  [
    /^no such function/,
    'SQLite has no function of this name. Its dates, for example, are date() and strftime().',
  ],
  [
    /^misuse of aggregate/,
    'count(), sum() and the like are worked out after WHERE. Put the condition into HAVING, after GROUP BY.',
  ],
  [/^unrecognized token/, 'A quote may be open, or a character stands here that SQL does not know.'],
  [
    /^UNIQUE constraint failed/,
    'There is a row with this key already. That is the rule which keeps a result from being saved twice.',
  ],
  [
    /^FOREIGN KEY constraint failed/,
    'A row points to one that is not there, or that you are about to delete: begin with the rows that point at it.',
  ],
  [/^NOT NULL constraint failed/, 'This column must hold a value.'],
  [/^CHECK constraint failed/, 'The table has a rule for this value, and the value breaks it.'],
  [
    /^SELECTs to the left and right of .* do not have the same number/,
    'Both sides of UNION must give the same number of columns.',
  ],
  [/^malformed JSON/, 'A text that is no JSON was read as JSON. Ask json_valid(column) first.'],
  [/has no column named/, 'Look at the columns beside the editor.'],
  [/values for \d+ columns|has \d+ columns but \d+ values/, 'There must be as many values as columns.'],
  [/may not be modified|is not allowed|readonly/, 'SQLite keeps this table for itself.'],
  [
    /^out of memory|too big/,
    'The query wanted more memory than there is. Ask for less: fewer columns, or a LIMIT.',
  ],
];

/** Null: SQLite's words have to do. */
export function hintFor(message: string): string | null {
  return hints.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

/** The line that a place is in, split at it. Lines and columns count from 1. */
export function lineAt(
  text: string,
  start: number,
  length: number,
): {
  readonly line: number;
  readonly column: number;
  readonly before: string;
  readonly marked: string;
  readonly after: string;
} {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', start);
  const end = newline < 0 ? text.length : newline;
  const to = Math.min(start + length, end);
  return {
    line: text.slice(0, from).split('\n').length,
    column: start - from + 1,
    before: text.slice(from, start),
    marked: text.slice(start, to),
    after: text.slice(to, end),
  };
}
