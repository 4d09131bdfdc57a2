/**
 * Owns: what can be read of a run afterwards: its rows, and which invariants its database breaks, with the rows that say so.
 * Leaves: what it means to outcome.ts, trial.ts and race.ts.
 */
import { loadRun } from '../engine/checkpoint.ts';
import { CrashPlan } from '../engine/crash.ts';
import { invariantsOf } from '../engine/invariants.ts';
import { decodeJson, isJsonObject } from '../engine/json.ts';
import type { Reader, SqlValue } from '../engine/ports.ts';
import type { AgentEvent, Effect, Run } from '../engine/records.ts';
import { effectFromRow, eventFromRow } from '../engine/records.ts';
import { openDatabase } from '../storage/open-database.ts';
import { priorities } from '../triage/ticket.ts';
import { workflows } from '../triage/workflows.ts';
import type { ExplorerParts } from './session.ts';
import type { Left } from './world.ts';

/** An invariant that does not hold: its query, and what it finds. */
export interface Violation {
  readonly id: string;
  readonly title: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

export interface Evidence {
  /** Undefined: nothing of it is stored. */
  readonly run: Run | undefined;
  readonly events: readonly AgentEvent[];
  readonly effects: readonly Effect[];
  readonly violated: readonly Violation[];
}

const invariants = invariantsOf(workflows, priorities);

export function evidenceOf(reader: Reader, runId: string): Evidence {
  return {
    run: loadRun(reader, runId),
    events: reader
      .all('SELECT * FROM agent_events WHERE run_id = ? ORDER BY sequence', [runId])
      .map(eventFromRow),
    effects: reader.all('SELECT * FROM tool_effects ORDER BY rowid').map(effectFromRow),
    violated: invariants.flatMap(({ id, title, sql, values }) => {
      const rows = reader.all(sql, values);
      const [first] = rows;
      if (first === undefined) return [];
      return [{ id, title, sql, columns: Object.keys(first), rows: rows.map((row) => Object.values(row)) }];
    }),
  };
}

/** Reads what a session left, and changes nothing of it. */
export async function readLeft(parts: ExplorerParts, { store }: Left, runId: string): Promise<Evidence> {
  const { sqlite, checksum, random } = parts;
  const opened = await openDatabase({
    sqlite,
    checksum,
    random,
    store: store.copy(),
    crash: new CrashPlan(),
    clock: { now: () => '' },
  });
  if (!opened.ok) throw new Error(`what a session left does not open: ${opened.failure.type}`);
  const database = opened.value;
  try {
    return await database.read((reader) => evidenceOf(reader, runId));
  } finally {
    await database.close();
  }
}

/** The run's final reply; null: it has none. */
export function replyOf(run: Run | undefined): string | null {
  const reply = contextOf(run)['reply'];
  return typeof reply === 'string' ? reply : null;
}

export function priorityIn(run: Run | undefined): string | null {
  const priority = contextOf(run)['priority'];
  return typeof priority === 'string' ? priority : null;
}

function contextOf(run: Run | undefined) {
  const context = decodeJson(run?.contextJson ?? '')?.value;
  return isJsonObject(context) ? context : {};
}
