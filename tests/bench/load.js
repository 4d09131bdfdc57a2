/** Owns: what is done to each contender, as transactions of statements that all of them understand. */

export const tables = [
  `CREATE TABLE IF NOT EXISTS agent_runs (run_id TEXT PRIMARY KEY, ticket_id TEXT NOT NULL, status TEXT NOT NULL,
     next_action TEXT NOT NULL, context_json TEXT NOT NULL, version INTEGER NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS agent_events (run_id TEXT NOT NULL, sequence INTEGER NOT NULL, session_label TEXT NOT NULL,
     event_type TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, created_at_utc TEXT NOT NULL,
     PRIMARY KEY (run_id, sequence))`,
  `CREATE TABLE IF NOT EXISTS tool_effects (idempotency_key TEXT PRIMARY KEY, tool_name TEXT NOT NULL,
     result_json TEXT NOT NULL)`,
  'CREATE TABLE filler (id INTEGER PRIMARY KEY, body TEXT)',
  `INSERT INTO agent_runs VALUES ('small', 'T104', 'running', 'classify_priority', '{}', 0)`,
];

const time = '2026-01-01T00:00:00.000Z';

function event(run, sequence, type, action) {
  return [
    'INSERT INTO agent_events VALUES (?, ?, ?, ?, ?, ?, ?)',
    [run, sequence, 'session-1', type, action, `version ${sequence}`, time],
  ];
}

/** One checkpoint with its event. */
export function small(version) {
  return [
    ['UPDATE agent_runs SET version = ? WHERE run_id = ?', [version, 'small']],
    event('small', version, 'checkpoint_saved', 'classify_priority'),
  ];
}

/** The lesson's run as its commits: start; then for each action the tool's effect and the checkpoint, each with its event. */
export function lesson(run) {
  const commits = [
    [
      ['INSERT INTO agent_runs VALUES (?, ?, ?, ?, ?, ?)', [run, 'T104', 'running', 'classify', '{}', 0]],
      event(run, 1, 'run_started', 'classify'),
    ],
  ];
  let sequence = 1;
  for (const [index, action] of ['classify', 'lookup', 'draft', 'finish'].entries()) {
    if (action !== 'finish') {
      commits.push([
        ['INSERT INTO tool_effects VALUES (?, ?, ?)', [`${run}:${action}`, action, '{"priority":"high"}']],
        event(run, (sequence += 1), 'tool_executed', action),
      ]);
    }
    commits.push([
      [
        'UPDATE agent_runs SET next_action = ?, context_json = ?, version = ? WHERE run_id = ? AND version = ?',
        [action, '{"ticket_id":"T104","priority":"high"}', index + 1, run, index],
      ],
      event(run, (sequence += 1), 'checkpoint_saved', action),
    ]);
  }
  return commits;
}
