/**
 * Owns: saying in words for a person what SQLite, or the browser, found wrong with a file.
 * Leaves: what the lab itself finds wrong to the files that look.
 */

/** As in "This file cannot be opened: …". SQLite's own words stand in brackets, for those who look them up. */
const known: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/malformed database schema \((.*?)\)/, ([, name = '']) => `its list of tables is damaged (at ${name})`],
  [
    /UNIQUE constraint failed: (.*)/,
    ([, columns = '']) => {
      const [table = ''] = columns.split('.');
      const names = columns.split(', ').map((column) => column.slice(column.indexOf('.') + 1));
      return `two rows of its table ${table} have the same ${names.join(' and ')}`;
    },
  ],
  [
    /no such collation sequence: (.*)/,
    ([, name = '']) => `it sorts by a rule that this page does not have (collation ${name})`,
  ],
  [
    /(?:unknown|no such) function: (.*)/,
    ([, name = '']) => `it computes by a function that this page does not have (${name})`,
  ],
  [
    /table "?(\w+)"? already exists/,
    ([, name = '']) => `it has a table ${name} of another kind than the lab’s`,
  ],
  [/malformed|disk I\/O error/, ([words = '']) => `its inner structure is damaged (${words})`],
  [/not a database|unsupported file format/, ([words = '']) => `its header is damaged (${words})`],
  [
    /out of memory|Array buffer allocation|Invalid typed array length|too big/i,
    () => 'it needs more memory than the browser gives',
  ],
];

export function whyNotOpened(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  for (const [pattern, words] of known) {
    const found = pattern.exec(message);
    if (found) return words(found);
  }
  return `SQLite cannot read it (${message})`;
}
