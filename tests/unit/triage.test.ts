import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { traceCsv } from '../../src/bridge/trace.ts';
import { loadRun } from '../../src/engine/checkpoint.ts';
import { succeed } from '../../src/engine/failure.ts';
import type { ToolRequest } from '../../src/engine/ports.ts';
import { step } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { reportLines } from '../../src/triage/report.ts';
import { parseTickets, priorityOf, ticketFromJson, ticketToJson } from '../../src/triage/ticket.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { lessonBoundary } from '../../src/triage/workflow.ts';
import type { Parts } from '../support/lives.ts';
import {
  engineOver,
  live,
  look,
  must,
  open,
  runId,
  survivors,
  testParts,
  ticketContext,
} from '../support/lives.ts';

const tickets = parseTickets(readFileSync('static/facility_tickets.csv', 'utf8'));
let parts: Parts;
beforeAll(async () => {
  parts = await testParts();
});

describe('the priority rule', () => {
  test('it gives the expected priority for all six tickets', () => {
    expect(tickets.map((ticket) => [ticket.ticketId, priorityOf(ticket)])).toEqual(
      tickets.map((ticket) => [ticket.ticketId, ticket.expectedPriority]),
    );
    expect(tickets).toHaveLength(6);
  });

  test.each([
    [44, false, 'normal'],
    [45, false, 'urgent'],
    [0, true, 'urgent'],
    [0, false, 'normal'],
  ] as const)('%i minutes, safety impact %s: %s', (outageMinutes, safetyImpact, priority) => {
    expect(priorityOf({ outageMinutes, safetyImpact })).toBe(priority);
  });

  test('a ticket survives the way into the context and back', () => {
    for (const ticket of tickets) expect(ticketFromJson(ticketToJson(ticket))).toEqual(succeed(ticket));
  });

  test('the downloadable tickets are those that the agent works on', () => {
    expect(readFileSync('public/facility_tickets.csv', 'utf8')).toBe(
      readFileSync('static/facility_tickets.csv', 'utf8'),
    );
  });
});

describe('the tools', () => {
  const tools = triageTools(readFileSync('static/runbooks.csv', 'utf8'));
  test('every ticket’s area has a runbook', () => {
    for (const { area } of tickets) expect(tools['lookup_runbook']?.({ area }).ok).toBe(true);
  });
  test('an unknown area is a reason, not a made-up step', () => {
    expect(tools['lookup_runbook']?.({ area: 'moon' })).toEqual({
      ok: false,
      failure: 'there is no runbook for the area "moon"',
    });
  });
});

describe('the report', () => {
  test('after the lesson’s crash it says the contract’s lines', async () => {
    const left = survivors();
    const desk = triageTools(readFileSync('static/runbooks.csv', 'utf8'));
    const real = {
      ...left,
      world: {
        ...left.world,
        toolsFor: () => ({
          call: (request: ToolRequest) => {
            const answer = desk[request.tool]?.(request.arguments);
            if (!answer?.ok) throw new Error('the desk has no answer');
            return Promise.resolve({ type: 'done' as const, result: answer.value });
          },
          status: () => Promise.resolve({ type: 'cannot_tell' as const, reason: '' }),
          destinationOf: () => null,
        }),
      },
    };
    await live(parts, real, [{ boundary: lessonBoundary, every: false }]);
    await live(parts, real);
    const lines = await look(parts, left, (reader) => {
      const run = loadRun(reader, runId);
      return run === undefined ? [] : reportLines(reader, tickets, run);
    });
    expect(lines).toEqual([
      'tickets checked: 6 | priority rules matched: 6',
      'before restart: status=running next_action=lookup_runbook version=1 tool_effect_rows=1',
      'after restart: status=completed next_action=none version=4',
      'lookup_runbook: attempts=2 executions=1 saved_results_reused=1',
      'durable events: 9 across 2 sessions',
      'final reply: Priority: urgent. Next step: Check the gateway heartbeat, then ask a technician to inspect the sensor.',
    ]);
  });

  test('a session that begins with a person’s decision on a run that waits is a restart, too', async () => {
    const left = survivors();
    const database = await open(parts, left.store, new CrashPlan(), left.clock);
    const engine = engineOver(database, left, new CrashPlan());
    must(await startRun(engine, 'T104', ticketContext));
    must(await step(engine, runId));
    await database.commit('test', (transaction) => {
      for (const [sequence, session, type] of [
        [3, 'session-1', 'checkpoint_saved'],
        [4, 'session-1', 'run_waiting'],
        [5, 'session-2', 'approval_given'],
        [6, 'session-2', 'checkpoint_saved'],
      ] as const) {
        transaction.run(
          `INSERT INTO agent_events (run_id, sequence, session, event_type, action, detail, created_at_utc)
           VALUES (?, ?, ?, ?, 'wait', '', '')`,
          [runId, sequence, session, type],
        );
      }
      transaction.run('UPDATE agent_runs SET version = 3 WHERE run_id = ?', [runId]);
      return { ok: true, value: null };
    });
    const lines = await database.read((reader) => {
      const run = loadRun(reader, runId);
      return run === undefined ? [] : reportLines(reader, tickets, run);
    });
    expect(lines[1]).toContain('before restart: status=waiting');
    expect(lines[1]).toContain('version=2');
  });

  test('what is not there yet is said to be missing', async () => {
    const left = survivors();
    const database = await open(parts, left.store, new CrashPlan(), left.clock);
    const engine = engineOver(database, left, new CrashPlan());
    must(await startRun(engine, 'T104', ticketContext));
    const run = must(await step(engine, runId));
    const lines = await database.read((reader) => reportLines(reader, tickets, run));
    expect(lines.slice(1)).toEqual([
      'before restart: no restart yet',
      'now: status=running next_action=lookup_runbook version=1',
      'lookup_runbook: attempts=0 executions=0 saved_results_reused=0',
      'durable events: 2 across 1 sessions',
      'final reply: none yet',
    ]);
  });
});

describe('the trace as CSV', () => {
  test('it has the lesson’s columns, CR LF, and no cell that a spreadsheet takes for a formula', async () => {
    const left = survivors();
    const database = await open(parts, left.store, new CrashPlan(), left.clock);
    const engine = engineOver(database, left, new CrashPlan());
    must(await startRun(engine, '=HYPERLINK("http://x"),\n"2"', ticketContext));
    const csv = await database.read((reader) => traceCsv(reader, null));
    const [header, first] = csv.split('\r\n');
    expect(header).toBe('run_id,sequence,session,event_type,action,detail,created_at_utc');
    expect(first).toContain(`run_started,start,"'=HYPERLINK(""http://x""),\n""2"""`);
    expect(csv.endsWith('\r\n')).toBe(true);
  });
});
