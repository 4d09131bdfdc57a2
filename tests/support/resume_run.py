"""Resumes a half-done run in a downloaded database, with nothing but sqlite3: python3 resume_run.py FILE RUN_ID."""

import json
import sqlite3
import sys
from datetime import datetime, timezone

RUNBOOKS = {
    "cold storage": {
        "runbook_code": "RB-CS-04",
        "next_step": "Check the gateway heartbeat, then ask a technician to inspect the sensor.",
    },
}
NEXT = {"classify_priority": "lookup_runbook", "lookup_runbook": "draft_reply", "draft_reply": "finish", "finish": None}


def append_event(db, run_id, session, event_type, action, detail):
    (last,) = db.execute("SELECT COALESCE(MAX(sequence), 0) FROM agent_events WHERE run_id = ?", (run_id,)).fetchone()
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    db.execute("INSERT INTO agent_events VALUES (?, ?, ?, ?, ?, ?, ?)", (run_id, last + 1, session, event_type, action, detail, now))


def execute_once(db, run_id, session, action, call):
    key = f"{run_id}:{action}"
    with db:
        saved = db.execute("SELECT result_json FROM tool_effects WHERE idempotency_key = ?", (key,)).fetchone()
        if saved is not None:
            append_event(db, run_id, session, "tool_reused", action, key)
            return json.loads(saved[0])
        result = call()
        db.execute("INSERT INTO tool_effects VALUES (?, ?, ?)", (key, action, json.dumps(result, sort_keys=True)))
        append_event(db, run_id, session, "tool_executed", action, key)
        return result


def save_checkpoint(db, run_id, session, action, version, context):
    following = NEXT[action]
    with db:
        changed = db.execute(
            "UPDATE agent_runs SET status = ?, next_action = ?, context_json = ?, version = ? WHERE run_id = ? AND version = ?",
            ("running" if following else "completed", following, json.dumps(context, sort_keys=True), version + 1, run_id, version),
        ).rowcount
        if changed != 1:
            raise RuntimeError("state changed in another worker")
        append_event(db, run_id, session, "checkpoint_saved", action, f"version {version + 1}")


def main(path, run_id):
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = ON")
    sessions = db.execute("SELECT COUNT(DISTINCT session) FROM agent_events WHERE run_id = ?", (run_id,)).fetchone()[0]
    session = f"session-{sessions + 1}"
    with db:
        append_event(db, run_id, session, "run_resumed", "resume", "loaded durable state")
    while True:
        status, action, context_json, version = db.execute(
            "SELECT status, next_action, context_json, version FROM agent_runs WHERE run_id = ?", (run_id,)
        ).fetchone()
        if status != "running":
            break
        context = json.loads(context_json)
        ticket = context["ticket"]
        if action == "classify_priority":
            urgent = ticket["safety_impact"] == "yes" or ticket["outage_minutes"] >= 45
            context["priority"] = "urgent" if urgent else "normal"
        elif action == "lookup_runbook":
            context["runbook"] = execute_once(db, run_id, session, action, lambda: RUNBOOKS[ticket["area"]])
        elif action == "draft_reply":
            reply = f"Priority: {context['priority']}. Next step: {context['runbook']['next_step']}"
            context["reply"] = execute_once(db, run_id, session, action, lambda: {"reply": reply})["reply"]
        save_checkpoint(db, run_id, session, action, version, context)
    (integrity,) = db.execute("PRAGMA integrity_check").fetchone()
    events = [row[0] for row in db.execute("SELECT event_type FROM agent_events WHERE run_id = ? ORDER BY sequence", (run_id,))]
    print(json.dumps({"status": status, "version": version, "reply": json.loads(context_json).get("reply"), "events": events, "integrity": integrity}))


main(*sys.argv[1:])
