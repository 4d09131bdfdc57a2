import { expect, test } from 'vitest';
import { readSql } from '../../src/bridge/console-run.ts';
import { hintFor, lineAt } from '../../src/lab/console/hints.ts';
import { recipesFor } from '../../src/lab/console/recipes.ts';
import { freshImage } from '../../src/storage/schema.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';
import { seededRandom } from '../support/random.ts';
import { testSqlite } from '../support/sqlite.ts';

const sqlite = await testSqlite();
const image = freshImage(sqlite, seededRandom(1));

test.each([
  'SELECT FROM lab',
  'SELECT (1',
  'SELECT * FROM nowhere',
  'SELECT nope FROM lab',
  'SELECT id FROM lab AS a, lab AS b',
  'SELECT nope(1)',
  'SELECT 1 FROM lab WHERE count(*) > 1',
  "SELECT 'open",
  "INSERT INTO lab (id, lab_id) VALUES (1, 'x')",
  "INSERT INTO run_details VALUES ('r', 'w', 1, 'f', NULL, NULL, NULL)",
  'UPDATE lab SET lab_id = NULL',
  "INSERT INTO lab (id, lab_id) VALUES (2, 'x')",
  'SELECT 1 UNION SELECT 1, 2',
  "SELECT json_extract('no', '$.a')",
  'INSERT INTO lab (nope) VALUES (1)',
  'INSERT INTO lab (id) VALUES (1, 2)',
  'DELETE FROM sqlite_schema',
])('what SQLite says of %s is explained', (sql) => {
  const { problem } = readSql(sqlite, image, sql);
  expect(hintFor(problem?.message ?? 'no problem'), problem?.message).not.toBeNull();
});

test('a place is told by its line and column, split where it is marked', () => {
  expect(lineAt('SELECT 1;\n  FROM x\n', 12, 4)).toEqual({
    line: 2,
    column: 3,
    before: '  ',
    marked: 'FROM',
    after: ' x',
  });
  expect(lineAt('a', 1, 0)).toEqual({ line: 1, column: 2, before: 'a', marked: '', after: '' });
  expect(lineAt("'a\nb", 0, 4)).toMatchObject({ line: 1, marked: "'a" });
});

test('every recipe runs alone, on a lab with a run; each invariant gives no row there', async () => {
  const lab = await openLab(await testParts());
  must(await lab.server.handlers.start({ ticketId: 'T104' }));
  const view = must(await lab.server.handlers.step({ runId: 'run-T104', version: 0 }));
  const copy = must(await lab.server.handlers.readCopy({}));
  await lab.close();
  expect(copy.generation).toBe(view.storage.generation);
  const [about, invariants] = recipesFor(view);
  for (const { sql, name } of about?.recipes ?? []) {
    expect(readSql(sqlite, copy.image, sql).problem, name).toBeNull();
  }
  expect(invariants?.recipes.map(({ name }) => name.slice(0, 2))).toEqual(
    view.invariants.map(({ id }) => id),
  );
  for (const { sql, name } of invariants?.recipes ?? []) {
    const { problem, results } = readSql(sqlite, copy.image, sql);
    expect(problem, name).toBeNull();
    expect(
      results.map(({ rows }) => rows),
      name,
    ).toEqual([[]]);
  }
});
