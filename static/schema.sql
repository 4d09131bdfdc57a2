CREATE TABLE agent_runs (
    run_id TEXT PRIMARY KEY,
    ticket_id TEXT NOT NULL,
    status TEXT NOT NULL,
    next_action TEXT,
    context_json TEXT NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE agent_events (
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    session TEXT NOT NULL,
    event_type TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at_utc TEXT NOT NULL,
    PRIMARY KEY (run_id, sequence),
    FOREIGN KEY (run_id) REFERENCES agent_runs(run_id)
);
CREATE TABLE tool_effects (
    idempotency_key TEXT PRIMARY KEY,
    tool_name TEXT NOT NULL,
    result_json TEXT NOT NULL
);
