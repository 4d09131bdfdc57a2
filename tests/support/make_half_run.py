"""Makes a database of another program's: the three tables only, a run in the middle. python3 make_half_run.py SCHEMA FILE."""

import json
import sqlite3
import sys


def main(schema, path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = ON")
    with open(schema, encoding="utf-8") as file:
        db.executescript(file.read())
    ticket = {
        "ticket_id": "T104",
        "area": "cold storage",
        "issue": "temperature sensor stopped reporting",
        "outage_minutes": 18,
        "safety_impact": "yes",
        "expected_priority": "urgent",
    }
    result = {
        "next_step": "Check the gateway heartbeat, then ask a technician to inspect the sensor.",
        "runbook_code": "RB-CS-04",
    }
    context = json.dumps({"ticket": ticket, "priority": "urgent"}, sort_keys=True)
    with db:
        db.execute("INSERT INTO agent_runs VALUES (?, ?, ?, ?, ?, ?)", ("run-T104", "T104", "running", "lookup_runbook", context, 1))
        for sequence, (kind, action, detail) in enumerate(
            [
                ("run_started", "start", "T104"),
                ("checkpoint_saved", "classify_priority", "version 1"),
                ("tool_executed", "lookup_runbook", "run-T104:lookup_runbook"),
            ],
            start=1,
        ):
            at = f"2026-01-05T09:00:0{sequence}.000Z"
            db.execute("INSERT INTO agent_events VALUES (?, ?, ?, ?, ?, ?, ?)", ("run-T104", sequence, "session-1", kind, action, detail, at))
        db.execute("INSERT INTO tool_effects VALUES (?, ?, ?)", ("run-T104:lookup_runbook", "lookup_runbook", json.dumps(result, sort_keys=True)))


main(*sys.argv[1:])
