/**
 * Owns: questions that are ready to be asked: what must hold, and what a run's rows tell.
 * Leaves: the invariants' SQL to the engine, from where the view brings it.
 */
import { literal, withValues } from '../../bridge/console-sql.ts';
import type { LabView } from '../../bridge/views.ts';

export interface Recipe {
  readonly name: string;
  readonly sql: string;
}

export interface RecipeGroup {
  readonly title: string;
  readonly recipes: readonly Recipe[];
}

export function recipesFor(view: LabView | null): readonly RecipeGroup[] {
  const runId = literal(view?.selected?.run.runId ?? 'run-T104');
  const about = [
    {
      name: 'Attempts against executions',
      sql: `SELECT run_id, action,
  COUNT(*) AS attempts,
  SUM(event_type = 'tool_executed') AS executions,
  SUM(event_type = 'tool_reused') AS reused
FROM agent_events
WHERE event_type IN ('tool_executed', 'tool_reused')
GROUP BY run_id, action`,
    },
    {
      name: 'Which action ran in both sessions?',
      sql: `SELECT run_id, action, group_concat(DISTINCT session) AS sessions
FROM agent_events
WHERE event_type IN ('tool_executed', 'tool_reused', 'checkpoint_saved')
GROUP BY run_id, action
HAVING COUNT(DISTINCT session) > 1`,
    },
    {
      name: 'Events of the selected run',
      sql: `SELECT sequence, session, event_type, action, detail
FROM agent_events
WHERE run_id = ${runId}
ORDER BY sequence`,
    },
    {
      name: 'Its saved results',
      sql: `SELECT idempotency_key, tool_name, result_json
FROM tool_effects
WHERE idempotency_key >= ${runId} || ':' AND idempotency_key < ${runId} || ';'`,
    },
    {
      name: 'Where each run goes on',
      sql: `SELECT run_id, status, next_action, version,
  json_extract(context_json, '$.priority') AS priority
FROM agent_runs`,
    },
    { name: 'Runs changed by hand', sql: 'SELECT run_id, touched_at_utc FROM touched_runs' },
  ];
  const invariants = (view?.invariants ?? []).map(({ id, title, sql, values }) => ({
    name: `${id} ${title}`,
    sql: `-- ${id}: ${title}. No row: it holds.\n${withValues(sql, values)}`,
  }));
  return [
    { title: 'About the runs', recipes: about },
    { title: 'What must hold: each row is a violation', recipes: invariants },
  ];
}
