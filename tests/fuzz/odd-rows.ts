/**
 * Owns: well-formed files with rows that the lab would never write: any value in any column, by a seed.
 */
import fc from 'fast-check';
import type { Bytes, ForeignFiles } from '../support/foreign-files.ts';

const text = fc.oneof(
  fc.constantFrom(
    'run-T104',
    'run-T101',
    'T104',
    'running',
    'completed',
    'lookup_runbook',
    'draft_reply',
    'finish',
    'checkpoint_saved',
    'tool_executed',
    'run_resumed',
    'version 1',
    'session-1',
    'session-999999999',
    '',
    'null',
    '0',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .json({ maxDepth: 3 })
    .map(
      (value) =>
        `{"priority":"urgent","runbook":{"next_step":"x"},"ticket":{"area":"cold storage","outage_minutes":18,"safety_impact":true},"more":${value}}`,
    ),
  fc.jsonValue().map((value) => `{"ticket":${JSON.stringify(value)},"priority":${JSON.stringify(value)}}`),
  fc.integer({ min: 1, max: 220 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constantFrom(
    '{"a":"\\ud800"}',
    '{"a":1e999}',
    '{"__proto__":{"x":1}}',
    '{"a":1,"a":2}',
    "{'a':1}",
    '[NaN]',
  ),
);
/** As SQL. */
const quoted = (value: string): string =>
  value.includes('\0')
    ? `CAST(x'${Buffer.from(value, 'utf8').toString('hex')}' AS TEXT)`
    : `'${value.replaceAll("'", "''")}'`;
const odd = fc.oneof(
  fc.constantFrom(
    'NULL',
    '1e999',
    '-1e999',
    '-0.0',
    '1.5',
    `x''`,
    `x'00ff'`,
    `CAST(x'ff00' AS TEXT)`,
    `'a' || char(0) || 'b'`,
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    `jsonb('{"a":1}')`,
  ),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.double().map((value) => (Number.isFinite(value) ? String(value) : 'NULL')),
);
/** The usual kind most of the time. */
const either = (usual: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: odd });
const word = either(text.map(quoted));
const number = either(
  fc.oneof(
    fc.integer({ min: -3, max: 12 }).map(String),
    fc.maxSafeInteger().map((value) => String(Math.trunc(value / 10))),
  ),
);
const rows: Readonly<Record<string, readonly fc.Arbitrary<string>[]>> = {
  agent_runs: [
    word,
    word,
    word,
    either(fc.option(text, { nil: null }).map((value) => (value === null ? 'NULL' : quoted(value)))),
    either(json.map(quoted)),
    number,
  ],
  agent_events: [either(fc.constantFrom(`'run-T104'`, `'run-T101'`)), number, word, word, word, word, word],
  tool_effects: [
    either(
      fc.constantFrom(`'run-T104:draft_reply'`, `'run-T104:lookup_runbook'`, `'run-T101:finish:2'`, `'a'`),
    ),
    word,
    either(json.map(quoted)),
  ],
};
const statement = fc.oneof(
  ...Object.entries(rows).map(([table, columns]) =>
    fc.tuple(...columns).map((values) => `INSERT OR REPLACE INTO ${table} VALUES (${values.join(', ')})`),
  ),
  fc
    .tuple(either(json.map(quoted)), number)
    .map(([context, version]) => `UPDATE agent_runs SET context_json = ${context}, version = ${version}`),
  fc
    .tuple(word, fc.constantFrom('session', 'event_type', 'action', 'detail', 'created_at_utc'))
    .map(([value, column]) => `UPDATE agent_events SET ${column} = ${value}`),
  number.map((value) => `UPDATE agent_events SET sequence = sequence + (${value})`),
  fc.constantFrom(
    'DELETE FROM agent_events WHERE sequence = 2',
    'DELETE FROM tool_effects',
    `UPDATE agent_runs SET status = 'failed'`,
    `UPDATE agent_runs SET next_action = 'finish'`,
    `UPDATE agent_runs SET next_action = 'draft_reply'`,
  ),
);

export function withOddRows(files: ForeignFiles, from: Bytes, seed: number): Bytes {
  const [statements = []] = fc.sample(fc.array(statement, { minLength: 1, maxLength: 6 }), {
    seed,
    numRuns: 1,
  });
  return files.by((database) => {
    database.exec('PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF');
    for (const sql of statements) {
      try {
        database.exec(sql);
      } catch {
        // A rule of the file refused this row; the others stand.
      }
    }
  }, from);
}
