/**
 * Owns: the invariants of a durable run as SQL. Each query returns violations: no row, it holds.
 * Leaves: when they are asked, and showing them, to the bridge and the tests.
 *
 * The workflow's facts are bound as JSON (R8), so each query can be read and run alone.
 */
import type { SqlValue } from './ports.ts';
import { secretMarker } from './redaction.ts';
import type { Action, Workflow } from './workflow.ts';

export interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * I1 to I8 for these workflows. `priorities`: the words that a stored priority may be. An action of the same name is the
 * same in each of them, as far as these facts go.
 */
export function invariantsOf(
  workflows: readonly Workflow[],
  priorities: readonly string[],
): readonly Invariant[] {
  const all = workflows.flatMap((workflow) => workflow.actions);
  const named = (some: readonly Action[]) => JSON.stringify([...new Set(some.map(({ name }) => name))]);
  const actions = named(all);
  const toolActions = named(all.filter(({ tool }) => tool));
  return [
    {
      id: 'I1',
      title: 'A running run has a next action, a completed run has none',
      sql: `SELECT run_id, status, next_action FROM agent_runs
WHERE (status = 'running' AND next_action IS NULL)
   OR (status = 'completed' AND next_action IS NOT NULL)`,
      values: [],
    },
    {
      id: 'I2',
      title: 'No checkpoint stands past a tool that has no saved result',
      sql: `SELECT e.run_id, e.sequence, e.action FROM agent_events AS e
WHERE e.event_type = 'checkpoint_saved'
  AND e.action IN (SELECT value FROM json_each(?1))
  AND NOT EXISTS (SELECT 1 FROM tool_effects AS t WHERE t.idempotency_key = e.run_id || ':' || e.action
    OR (t.idempotency_key >= e.run_id || ':' || e.action || ':' AND t.idempotency_key < e.run_id || ':' || e.action || ';'))
UNION ALL
SELECT e.run_id, e.sequence, i.action || ' is ' || i.state FROM agent_events AS e JOIN tool_intents AS i
  ON i.run_id = e.run_id AND (i.action = e.action OR substr(i.action, 1, length(e.action) + 1) = e.action || '/')
WHERE e.event_type = 'checkpoint_saved'
  AND NOT EXISTS (SELECT 1 FROM tool_effects AS t WHERE t.idempotency_key = i.idempotency_key)`,
      values: [toolActions],
    },
    {
      id: 'I3',
      title: 'At most one saved result for a run and an action',
      sql: `SELECT r.run_id, a.value AS action, COUNT(*) AS results
FROM agent_runs AS r, json_each(?1) AS a
JOIN tool_effects AS t ON t.idempotency_key >= r.run_id || ':' || a.value
  AND t.idempotency_key < r.run_id || ':' || a.value || ';'
  AND instr(t.idempotency_key || ':', r.run_id || ':' || a.value || ':') = 1
GROUP BY r.run_id, a.value HAVING COUNT(*) > 1`,
      values: [actions],
    },
    {
      id: 'I4',
      title: "A run's version is the number of its saved checkpoints",
      sql: `SELECT r.run_id, r.version, COUNT(e.sequence) AS checkpoints FROM agent_runs AS r
LEFT JOIN agent_events AS e ON e.run_id = r.run_id AND e.event_type = 'checkpoint_saved'
GROUP BY r.run_id HAVING r.version <> COUNT(e.sequence)`,
      values: [],
    },
    {
      id: 'I5',
      title: 'One checkpoint event per version, and sequences without gaps',
      sql: `SELECT run_id, 'checkpoint ' || number || ' says ' || detail AS problem FROM (
  SELECT run_id, detail, ROW_NUMBER() OVER (PARTITION BY run_id ORDER BY sequence) AS number
  FROM agent_events WHERE event_type = 'checkpoint_saved')
WHERE detail <> 'version ' || number
UNION ALL
SELECT run_id, 'sequence ' || MIN(sequence) || ' to ' || MAX(sequence) || ' in ' || COUNT(*) || ' events'
FROM agent_events GROUP BY run_id HAVING MIN(sequence) <> 1 OR MAX(sequence) <> COUNT(*)`,
      values: [],
    },
    {
      id: 'I6',
      title: 'Every event belongs to a run, and the file is intact',
      sql: `SELECT "table" AS part, 'row ' || COALESCE(rowid, '?') || ' points nowhere' AS problem FROM pragma_foreign_key_check
UNION ALL
SELECT 'file', integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
      values: [],
    },
    {
      id: 'I7',
      title: 'Every stored priority and next action is one that the workflow knows',
      sql: `SELECT run_id, 'next action ' || next_action AS problem FROM agent_runs
WHERE next_action IS NOT NULL AND next_action NOT IN (SELECT value FROM json_each(?1))
UNION ALL
SELECT run_id, 'priority ' || COALESCE(json_extract(context_json, '$.priority'), 'null') FROM agent_runs
WHERE json_valid(context_json) AND json_type(context_json, '$.priority') IS NOT NULL
  AND COALESCE(json_extract(context_json, '$.priority'), 'null') NOT IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT run_id, 'context is not JSON' FROM agent_runs WHERE NOT json_valid(context_json)`,
      values: [actions, JSON.stringify(priorities)],
    },
    {
      id: 'I8',
      title: 'No value marked as secret stands in any table',
      sql: `SELECT 'agent_runs' AS part, run_id AS name FROM agent_runs
WHERE instr(concat_ws(' ', run_id, ticket_id, status, next_action, context_json), ?1)
UNION ALL
SELECT 'agent_events', run_id || ' ' || sequence FROM agent_events
WHERE instr(concat_ws(' ', run_id, session, event_type, action, detail, created_at_utc), ?1)
UNION ALL
SELECT 'tool_effects', idempotency_key FROM tool_effects
WHERE instr(concat_ws(' ', idempotency_key, tool_name, result_json), ?1)
UNION ALL
SELECT 'run_details', run_id FROM run_details
WHERE instr(concat_ws(' ', run_id, workflow, fingerprint, started_at_utc, parent_run_id), ?1)
UNION ALL
SELECT 'effect_arguments', idempotency_key FROM effect_arguments
WHERE instr(concat_ws(' ', idempotency_key, arguments_hash), ?1)
UNION ALL
SELECT 'agent_sessions', worker FROM agent_sessions WHERE instr(worker, ?1)
UNION ALL
SELECT 'agent_checkpoints', run_id || ' ' || version FROM agent_checkpoints
WHERE instr(concat_ws(' ', run_id, status, next_action, changes_json, removed_json, saved_at_utc), ?1)
UNION ALL
SELECT 'run_budgets', run_id FROM run_budgets WHERE instr(concat_ws(' ', run_id, resource), ?1)
UNION ALL
SELECT 'run_numbers', ticket_id FROM run_numbers WHERE instr(ticket_id, ?1)
UNION ALL
SELECT 'touched_runs', run_id FROM touched_runs WHERE instr(concat_ws(' ', run_id, touched_at_utc), ?1)
UNION ALL
SELECT 'threads', thread_id FROM threads WHERE instr(concat_ws(' ', thread_id, document_json), ?1)
UNION ALL
SELECT 'thread_tombstones', thread_id FROM thread_tombstones WHERE instr(thread_id, ?1)
UNION ALL
SELECT 'quarantined_threads', thread_id FROM quarantined_threads
WHERE instr(concat_ws(' ', thread_id, document_json), ?1)
UNION ALL
SELECT 'tool_intents', idempotency_key FROM tool_intents
WHERE instr(concat_ws(' ', idempotency_key, run_id, action, tool_name, safety, arguments_json, arguments_hash,
  destination, scope, state, next_attempt_at_utc, created_at_utc), ?1)
UNION ALL
SELECT 'tool_attempts', idempotency_key || ' ' || fence FROM tool_attempts
WHERE instr(concat_ws(' ', idempotency_key, worker, session, claimed_at_utc, lease_until_utc, outcome, detail), ?1)
UNION ALL
SELECT 'approvals', approval_id FROM approvals
WHERE instr(concat_ws(' ', approval_id, idempotency_key, run_id, arguments_hash, reason, state, requested_at_utc,
  decided_at_utc, session), ?1)`,
      values: [secretMarker],
    },
  ];
}
