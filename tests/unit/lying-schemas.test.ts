import { describe, expect, test } from 'vitest';
import { lie } from '../support/foreign-files.ts';
import { files, inspected, reasonFor } from '../support/inspected.ts';

describe('a schema that lies is refused with a reason', () => {
  const its = (name: string): string => `WHERE name = '${name}'`;
  const rootOf = (name: string): string => `(SELECT rootpage FROM sqlite_schema ${its(name)})`;
  const damagedList = /^its list of tables is damaged \(at /;
  const damaged = /^its inner structure is damaged \(/;

  test.each<[string, string, RegExp]>([
    ['a root page that is the schema’s own', `rootpage = 1 ${its('agent_runs')}`, damagedList],
    ['a root page beyond the file', `rootpage = 99999 ${its('agent_runs')}`, damagedList],
    ['a negative root page', `rootpage = -5 ${its('agent_runs')}`, damagedList],
    ['a root page that is a word', `rootpage = 'two' ${its('agent_runs')}`, damagedList],
    ['no root page', `rootpage = NULL ${its('agent_runs')}`, damagedList],
    ['the root page of nothing', `rootpage = 0 ${its('agent_runs')}`, damaged],
    ['the root page of another table', `rootpage = ${rootOf('agent_events')} ${its('agent_runs')}`, damaged],
    [
      'an index with the root page of a table',
      `rootpage = ${rootOf('agent_runs')} ${its('sqlite_autoindex_agent_runs_1')}`,
      damaged,
    ],
    [
      'another table’s name in its SQL',
      `sql = replace(sql, 'agent_runs', 'agent_ruin') ${its('agent_runs')}`,
      damagedList,
    ],
    ['another statement in its SQL', `sql = 'DROP TABLE agent_events' ${its('agent_runs')}`, damagedList],
    ['a query in its SQL', `sql = 'CREATE TABLE agent_runs AS SELECT 1' ${its('agent_runs')}`, damagedList],
    ['no SQL', `sql = NULL ${its('agent_runs')}`, damagedList],
    ['nonsense', `sql = 'CREATE nonsense' ${its('agent_runs')}`, damagedList],
    [
      'rows of another form',
      `sql = 'CREATE TABLE agent_runs (run_id TEXT PRIMARY KEY) WITHOUT ROWID' ${its('agent_runs')}`,
      damaged,
    ],
    ['a table that is said to be a view', `type = 'view' ${its('agent_runs')}`, damagedList],
    ['a table of an unknown type', `type = 'tables' ${its('agent_runs')}`, damagedList],
    [
      'other names of columns',
      `sql = replace(sql, 'ticket_id', 'tocket_id') ${its('agent_runs')}`,
      /no column ticket_id/,
    ],
    [
      'a table that is said to be virtual',
      `sql = 'CREATE VIRTUAL TABLE agent_runs USING fts4 (a)', rootpage = 0 ${its('agent_runs')}`,
      damagedList,
    ],
  ])('%s', (_, update, reason) => {
    expect(reasonFor(files.lesson(lie(update)))).toMatch(reason);
  });

  test('columns that change places show each value where the file says, or not at all', () => {
    const swapped = `sql = replace(replace(replace(sql, 'ticket_id', 'x'), 'status', 'ticket_id'), 'x TEXT', 'status TEXT') ${its('agent_runs')}`;
    const { report } = inspected(files.lesson(lie(swapped)));
    expect(report).toMatchObject({ runs: 2, notes: [{ type: 'declared-anew', names: ['agent_runs'] }] });
  });
});

test('a table that stands twice in the schema is refused as a damage of the list', () => {
  expect(
    reasonFor(
      files.lesson(
        lie(
          `sql = (SELECT sql FROM sqlite_schema WHERE name = 'agent_events'), name = 'agent_events', tbl_name = 'agent_events' WHERE name = 'tool_effects'`,
        ),
      ),
    ),
  ).toMatch(/^its list of tables is damaged/);
});
