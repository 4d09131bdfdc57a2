"""Writes tests/support/thread-files/ as aisuite's FileStateStore writes its files: the same keys, order, types, form and
names; the values are our own. Run it in this folder; it needs nothing but Python."""

import json
from pathlib import Path
from urllib.parse import quote


def write(thread_id, state, revision, created_at, updated_at, metadata):
    document = {
        "schema_version": 1,
        "thread_id": thread_id,
        "state": state,
        "revision": revision,
        "created_at": created_at,
        "updated_at": updated_at,
        "metadata": metadata,
    }
    path = Path("thread-files") / f"{quote(thread_id, safe='')}.json"
    with path.open("w", encoding="utf-8") as handle:
        json.dump(document, handle, sort_keys=True)
        handle.write("\n")


def state(agent_name, messages, **over):
    return {
        "agent_name": agent_name,
        "messages": messages,
        "status": "completed",
        "run_name": None,
        "trace_id": None,
        "parent_run_id": None,
        "group_id": None,
        "tags": [],
        "metadata": {},
        "steps": [],
        "max_turns": 5,
        **over,
    }


def step(number, kind, name, **over):
    return {
        "id": f"step_{number:032x}",
        "type": kind,
        "name": name,
        "trace_id": "trace_00000000000000000000000000000abc",
        "parent_id": None,
        "started_at": f"2026-01-05T09:00:0{number}.250000+00:00",
        "ended_at": f"2026-01-05T09:00:0{number}.750000+00:00",
        "data": {},
        **over,
    }


Path("thread-files").mkdir(exist_ok=True)
write(
    "support-1",
    state("dispatcher", [{"role": "user", "content": "Is the lift free?"}]),
    1,
    "2026-01-05T09:00:00+00:00",
    "2026-01-05T09:00:00+00:00",
    {},
)
call = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "look_up", "arguments": '{"area": "lobby"}'},
}
write(
    "team/ünit (2) 🚒 it's ~ok~",
    state(
        "dispatcher",
        [
            {"role": "system", "content": "You answer in \"one\" line.\nNo more."},
            {"role": "user", "content": "Was ist mit dem Aufzug? – \u00e9\u2028\U0001f692\x7f\x00!"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "name": "look_up", "content": "false"},
            {"role": "assistant", "content": "It is free.", "refusal": None},
        ],
        run_name="noon",
        trace_id="trace_00000000000000000000000000000abc",
        parent_run_id="run_1",
        group_id="group-7",
        tags=["b", "a"],
        metadata={"\U0001f692": 1, "\uffee": 2, "n": -2.5, "none": None, "no": False, "10": [], "9": {}},
        steps=[
            step(1, "agent", "dispatcher"),
            step(2, "tool_call", "look_up", parent_id=f"step_{1:032x}", data={"allowed": True, "arguments": {"area": "lobby"}}),
            step(3, "custom", None, ended_at=None),
        ],
        max_turns=9,
    ),
    12,
    "2026-01-05T09:00:00.000001+00:00",
    "2026-01-05T09:10:00.123456+00:00",
    {"owner": "Ada", "nested": {"empty": "", "list": [0, 1.5, True]}},
)
