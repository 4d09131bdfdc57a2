/**
 * Owns: reading SQL text as SQLite does, as far as the console needs it: its tokens, its statements, and which of them
 * a person may write to the lab with.
 * Leaves: running it to console-run.ts and console-write.ts.
 */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'text' | 'parameter' | 'mark';
  readonly text: string;
  readonly start: number;
}

export interface SqlStatement {
  readonly sql: string;
  readonly start: number;
  /** Its first word, in capitals. */
  readonly word: string;
}

const patterns: readonly (readonly [SqlToken['kind'] | 'space', RegExp])[] = [
  ['space', /[\s\uFEFF]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /'[^']*(?:''[^']*)*(?:'|$)/y],
  ['quoted', /"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)/y],
  ['word', /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y],
  ['parameter', /[?@:$#][\w$\u0080-\uFFFF]*/y],
  ['mark', /\d[\w.]*|[\s\S]/y],
];

export function tokensOf(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let start = 0; start < sql.length;) {
    const [kind, text] = tokenAt(sql, start);
    if (kind !== 'space') tokens.push({ kind, text, start });
    start += text.length;
  }
  return tokens;
}

function tokenAt(sql: string, start: number): readonly [SqlToken['kind'] | 'space', string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start;
    const found = pattern.exec(sql)?.[0];
    if (found !== undefined && found !== '') return [kind, found];
  }
  return ['mark', sql.charAt(start)];
}

/** The statements between the semicolons, without those that are empty. Of a trigger, which has semicolons inside, parts. */
export function statementsOf(sql: string): readonly SqlStatement[] {
  const groups: SqlToken[][] = [[]];
  for (const token of tokensOf(sql)) {
    if (token.text === ';') groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups.flatMap((tokens) => {
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (first === undefined || last === undefined) return [];
    const text = sql.slice(first.start, last.start + last.text.length);
    return [{ sql: text, start: first.start, word: first.text.toUpperCase() }];
  });
}

const asking: readonly string[] = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'];
const changing: readonly string[] = ['INSERT', 'UPDATE', 'DELETE', 'REPLACE'];

/** Surely changes nothing. */
export function onlyAsks(sql: string): boolean {
  const words = tokensOf(sql).flatMap(({ kind, text }) => (kind === 'word' ? [text.toUpperCase()] : []));
  const [first = ''] = words;
  return asking.includes(first) && (first !== 'WITH' || !words.some((word) => changing.includes(word)));
}

const refusals: readonly (readonly [readonly string[], string])[] = [
  [
    ['CREATE', 'DROP', 'ALTER', 'REINDEX', 'ANALYZE'],
    'it would change the schema, which every version of the page must be able to rely on',
  ],
  [
    ['BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE'],
    'everything that you run here is one transaction already',
  ],
  [['PRAGMA'], 'it would change how the agent’s SQLite works'],
  [['ATTACH', 'DETACH'], 'the lab’s database is the only one there is'],
  [['VACUUM'], 'it would rewrite the whole file; deleting runs gives their room back'],
];

/** Why these statements are not written to the lab's database, for a person; null: they may be tried. */
export function whyNotWritten(sql: string): string | null {
  if (sql.includes('\0')) return 'it holds a zero byte, where SQL ends';
  const parameter = tokensOf(sql).find(({ kind }) => kind === 'parameter');
  if (parameter) return `nothing is bound to the parameter ${parameter.text} here: write the value itself`;
  const chance = tokensOf(sql).find(({ text }) => /^["`[]?random(?:blob)?["`\]]?$/i.test(text));
  if (chance) return `${chance.text} gives another value each time, and not what was tried on the copy`;
  for (const { word } of statementsOf(sql)) {
    if (asking.includes(word) || changing.includes(word)) continue;
    const reason = refusals.find(([words]) => words.includes(word))?.[1];
    return `${word} is not allowed: ${reason ?? 'only SELECT, INSERT, UPDATE and DELETE are'}`;
  }
  return null;
}

/** A value as SQL text that means it. */
export function literal(value: string | number | null | Uint8Array): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `x'${[...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')}'`;
}

/** The query with its numbered parameters (`?1`) replaced by what is bound to them: so it can be read and run alone. */
export function withValues(sql: string, values: readonly (string | number | null | Uint8Array)[]): string {
  let text = '';
  let from = 0;
  for (const token of tokensOf(sql)) {
    if (token.kind !== 'parameter') continue;
    const value = values[Number(token.text.slice(1)) - 1];
    if (value === undefined) continue;
    text += sql.slice(from, token.start) + literal(value);
    from = token.start + token.text.length;
  }
  return text + sql.slice(from);
}
