import { describe, expect, test } from 'vitest';
import type { FileNote } from '../../src/storage/files/inspect-file.ts';
import { lessonRows, lessonTables } from '../support/foreign-files.ts';
import { allRows, files, found, inspected } from '../support/inspected.ts';

const lessonContent = allRows(files.lesson());

describe('what a file would run', () => {
  test.each<[string, string, FileNote[]]>([
    [
      'a trigger that inserts',
      `CREATE TRIGGER spy AFTER UPDATE ON agent_runs BEGIN INSERT INTO agent_events SELECT new.run_id, 99, 's', 'e', 'a', 'd', 't'; END`,
      [{ type: 'left-out', what: 'trigger', names: ['spy'] }],
    ],
    [
      'triggers that raise, and that call each other for ever',
      `CREATE TRIGGER stop BEFORE INSERT ON agent_events BEGIN SELECT raise(ABORT, 'no'); END;
       CREATE TRIGGER round AFTER INSERT ON tool_effects BEGIN INSERT INTO tool_effects SELECT new.idempotency_key || 'x', 'a', 'b'; END`,
      [{ type: 'left-out', what: 'trigger', names: ['stop', 'round'] }],
    ],
    [
      'a view that never ends',
      `CREATE VIEW forever AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`,
      [{ type: 'left-out', what: 'view', names: ['forever'] }],
    ],
    [
      'a view that doubles at each of sixty steps',
      Array.from(
        { length: 60 },
        (_, at) =>
          `CREATE VIEW v${at} AS SELECT a.* FROM ${at ? `v${at - 1}` : 'agent_runs'} AS a, ${at ? `v${at - 1}` : 'agent_runs'} AS b;`,
      ).join(''),
      [{ type: 'left-out', what: 'view', names: Array.from({ length: 60 }, (_, at) => `v${at}`) }],
    ],
    [
      'a view with an INSTEAD OF trigger',
      `CREATE VIEW v AS SELECT * FROM agent_runs; CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN DELETE FROM agent_runs; END`,
      [
        { type: 'left-out', what: 'trigger', names: ['t'] },
        { type: 'left-out', what: 'view', names: ['v'] },
      ],
    ],
    [
      'an index over an expression',
      'CREATE INDEX picky ON agent_events (json(detail)) WHERE sequence > 9999',
      [{ type: 'declared-anew', names: ['agent_events'] }],
    ],
    [
      'a virtual table, whose shadow tables stay as what they are',
      `CREATE VIRTUAL TABLE docs USING fts4 (body); INSERT INTO docs VALUES ('hello');`,
      [
        { type: 'left-out', what: 'virtual table', names: ['docs'] },
        {
          type: 'further-tables',
          names: ['docs_content', 'docs_segments', 'docs_segdir', 'docs_docsize', 'docs_stat'],
        },
      ],
    ],
  ])('%s stays behind, and the person is told', (_, sql, notes) => {
    const { image, report } = inspected(files.lesson(sql));
    expect(report.notes).toEqual(notes);
    expect(allRows(image)).toEqual(lessonContent);
    expect(found(image, `SELECT DISTINCT type FROM sqlite_schema ORDER BY 1`)).toEqual([
      ['index'],
      ['table'],
    ]);
  });

  test.each([
    [
      'a CHECK that asks for 200 MB',
      'status TEXT NOT NULL',
      `status TEXT NOT NULL CHECK (length(hex(zeroblob(100000000))) > 0)`,
    ],
    ['a CHECK that no row meets', 'status TEXT NOT NULL', `status TEXT NOT NULL CHECK (status <> 'x')`],
    ['a generated column', 'next_action TEXT,', 'next_action TEXT, shout AS (upper(status)) VIRTUAL,'],
    ['a default of its own', 'next_action TEXT,', `next_action TEXT DEFAULT (hex(randomblob(9))),`],
    ['a collation', 'run_id TEXT PRIMARY KEY', 'run_id TEXT COLLATE NOCASE PRIMARY KEY'],
  ])('%s of a table of ours is not taken over', (_, from, to) => {
    const { image, report } = inspected(
      files.by((database) => {
        database.exec(lessonTables.replace(from, to) + 'PRAGMA ignore_check_constraints = ON');
        for (const insert of lessonRows.split(/;\s*\n/)) {
          const columns = 'run_id, ticket_id, status, next_action, context_json, version';
          database.exec(insert.replace('INTO agent_runs VALUES', `INTO agent_runs (${columns}) VALUES`));
        }
      }),
    );
    expect(report.notes).toEqual([{ type: 'declared-anew', names: ['agent_runs'] }]);
    expect(allRows(image)).toEqual(lessonContent);
    expect(found(image, `SELECT sql FROM sqlite_schema WHERE name = 'agent_runs'`)).toEqual(
      found(files.lesson(), `SELECT sql FROM sqlite_schema WHERE name = 'agent_runs'`),
    );
  });
});
