import { expect, test } from 'vitest';
import { lessonRows, lessonTables, type Bytes } from '../support/foreign-files.ts';
import { files, reasonFor } from '../support/inspected.ts';

const many = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
const setDetail = (sql: string): string =>
  `UPDATE agent_events SET detail = ${sql} WHERE run_id = 'run-T104' AND sequence = 3`;
const setContext = (sql: string): string =>
  `UPDATE agent_runs SET context_json = ${sql} WHERE run_id = 'run-T104'`;

test.each<[string, Bytes, string]>([
  [
    'a key is missing and was needed',
    files.of(
      lessonTables.replace('run_id TEXT PRIMARY KEY', 'run_id TEXT').replace(/,\s+FOREIGN KEY[^\n]*/, '') +
        lessonRows +
        'INSERT INTO agent_runs SELECT * FROM agent_runs',
    ),
    'two rows of its table agent_runs have the same run_id',
  ],
  [
    'two events have one sequence',
    files.of(
      lessonTables.replace(/,\s+PRIMARY KEY \(run_id, sequence\)/, '') +
        lessonRows +
        'UPDATE agent_events SET sequence = 2',
    ),
    'two rows of its table agent_events have the same run_id and sequence',
  ],
  [
    'a run has no id',
    files.lesson(`INSERT INTO agent_runs VALUES (NULL, 'T1', 'running', 'finish', '{}', 0)`),
    'in row 3 of its table agent_runs, run_id holds nothing (NULL) where a text belongs',
  ],
  [
    'a foreign key points nowhere',
    files.lesson(`INSERT INTO agent_events VALUES ('gone', 1, 's', 't', 'a', 'd', 'now')`),
    'a row of agent_events points at a row of agent_runs that does not exist',
  ],
  [
    'a text has a NUL in it',
    files.lesson(setDetail(`'version' || char(0) || '2'`)),
    'in row 4 of its table agent_events, detail holds a text with a zero byte (NUL) in it, where for some of SQLite’s functions a text ends',
  ],
  [
    'a text is not UTF-8',
    files.lesson(setDetail(`CAST(x'76ff32' AS TEXT)`)),
    'in row 4 of its table agent_events, detail holds bytes that are no UTF-8 text',
  ],
  [
    'a text is half a character of UTF-16',
    files.lesson(setDetail(`CAST(x'00d8' AS TEXT)`), `PRAGMA encoding = 'UTF-16le';`),
    'it holds bytes that are no UTF-16le text',
  ],
  [
    'a blob stands where a text belongs',
    files.lesson(setDetail(`x'76657273'`)),
    'in row 4 of its table agent_events, detail holds raw bytes (a BLOB) where a text belongs',
  ],
  [
    'a context is JSON in SQLite’s own binary form',
    files.lesson(setContext(`jsonb('{"a":1}')`)),
    'in row 2 of its table agent_runs, context_json holds raw bytes (a BLOB) where a text belongs',
  ],
  [
    'a number stands where a text belongs',
    files.of(
      lessonTables.replace('ticket_id TEXT', 'ticket_id INTEGER') +
        lessonRows +
        `UPDATE agent_runs SET ticket_id = 104`,
    ),
    'in row 1 of its table agent_runs, ticket_id holds a number where a text belongs',
  ],
  ...[
    [`'three'`, 'a text where a whole number belongs'],
    ['1e999', 'a fraction or no finite number where a whole number belongs'],
    ['1.5', 'a fraction or no finite number where a whole number belongs'],
    ['9007199254740993', 'a number beyond 1000000000000000, too large to count on from exactly'],
    ['-9223372036854775808', 'a number beyond 1000000000000000, too large to count on from exactly'],
  ].map(([version = '', holds = '']): [string, Bytes, string] => [
    `a version is ${version}`,
    files.lesson(`UPDATE agent_runs SET version = ${version}`),
    `in row 1 of its table agent_runs, version holds ${holds}`,
  ]),
  [
    'a context is nested 100,000 deep',
    files.lesson(setContext(`replace(hex(zeroblob(50000)), '0', '[')`)),
    'in row 2 of its table agent_runs, context_json holds JSON that is nested deeper than 200 levels',
  ],
  [
    'a context has 50 MB',
    files.lesson(setContext(`'{"a":"' || hex(zeroblob(26214400)) || '"}'`)),
    'in row 2 of its table agent_runs, context_json holds more than 1 MB',
  ],
  [
    'a detail has 11 KB',
    files.lesson(setDetail(`hex(zeroblob(5632))`)),
    'in row 4 of its table agent_events, detail holds a text of more than 10 KB',
  ],
  [
    'all contexts together have 33 MB',
    files.lesson(
      `${many(34)} INSERT INTO agent_runs SELECT 'r' || i, 't', 'completed', NULL, hex(zeroblob(500000)), 0 FROM n`,
    ),
    'its table agent_runs holds more than 32 MB of text',
  ],
  [
    'there are 1,002 runs',
    files.lesson(
      `${many(1000)} INSERT INTO agent_runs SELECT 'r' || i, 't', 'completed', NULL, '{}', 0 FROM n`,
    ),
    'it holds 1002 runs; the lab shows up to 1000',
  ],
  [
    'a run has 502 saved results',
    files.lesson(`${many(501)} INSERT INTO tool_effects SELECT 'run-T104:' || i, 't', '{}' FROM n`),
    'its run run-T104 has 502 saved results; the lab shows up to 500 of a run',
  ],
  [
    'a run has 1,003 events',
    files.lesson(
      `${many(1000)} INSERT INTO agent_events SELECT 'run-T104', i + 9, 's', 'e', 'a', 'd', 't' FROM n`,
    ),
    'its run run-T104 has 1003 events; the lab shows up to 1000 of a run',
  ],
  [
    'the events of a run have 3 MB',
    files.lesson(
      `${many(300)} INSERT INTO agent_events SELECT 'run-T104', i + 9, 's', 'e', 'a', hex(zeroblob(5000)), 't' FROM n`,
    ),
    'the events of its run run-T104 hold more than 2 MB',
  ],
])('a file is refused with the reason when %s', (_, bytes, reason) => {
  expect(reasonFor(bytes)).toBe(reason);
});
