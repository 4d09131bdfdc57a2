/**
 * Owns: writing a person's SQL to the lab's database for real: one transaction, past the engine, and a mark on every
 * run whose rows it changed.
 * Leaves: trying it first, on a copy, with an end to its time, to the page (console-client.ts).
 * Invariants: the page's own tables are not changed; what is refused has written nothing; a run that was changed by
 * hand says so from then on.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SimulatedCrash } from '../engine/crash.ts';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock, Reader, Row, SqlValue } from '../engine/ports.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';
import { statementsOf, whyNotWritten } from './console-sql.ts';

export interface Writing {
  readonly sql: string;
  /** Of the image that it was tried on. */
  readonly generation: number;
}

/** Durable on return. Fails with SqlRefused, and as every commit does. */
export function writeSql(
  database: AgentDatabase,
  clock: Clock,
  { sql, generation }: Writing,
): Promise<Result<null>> {
  const reason = whyNotWritten(sql);
  if (reason !== null) return Promise.resolve(refused(reason));
  return database.commit<null>('console', (transaction) => {
    // The body runs again after another tab's commit: then it is no longer what was tried.
    if (database.state.generation !== generation) {
      return refused('the lab has saved something since it was tried on the copy: run it again');
    }
    const [rowsBefore, ownBefore] = [rowsOfRuns(transaction), ownRows(transaction)];
    try {
      for (const statement of statementsOf(sql)) transaction.run(statement.sql);
    } catch (error) {
      if (error instanceof SimulatedCrash) throw error;
      return refused(error instanceof Error ? error.message : String(error));
    }
    if (ownRows(transaction) !== ownBefore) return refused(`${ownTables.join(', ')} are the page’s own`);
    const rowsAfter = rowsOfRuns(transaction);
    for (const [runId, rows] of rowsAfter) {
      if (rowsBefore.get(runId) === rows) continue;
      transaction.run(
        `INSERT INTO touched_runs (run_id, touched_at_utc) VALUES (?1, ?2)
         ON CONFLICT (run_id) DO UPDATE SET touched_at_utc = ?2`,
        [runId, clock.now()],
      );
    }
    // A new run may have the name of one that was deleted by hand.
    transaction.run('DELETE FROM touched_runs WHERE run_id NOT IN (SELECT run_id FROM agent_runs)');
    return succeed(null);
  });
}

/** The runs that a person has changed by hand, past the engine. */
export function touchedRuns(reader: Reader): readonly string[] {
  return reader.all('SELECT run_id FROM touched_runs ORDER BY rowid').map((row) => String(row['run_id']));
}

function refused(reason: string): Result<never> {
  return fail({ type: 'SqlRefused', reason });
}

/** What the page must be able to rely on to open the database at all. */
const ownTables = ['lab', 'schema_migrations', 'touched_runs'];

function ownRows(reader: Reader): string {
  return JSON.stringify(ownTables.map((table) => reader.all(`SELECT rowid, * FROM ${table} ORDER BY rowid`)));
}

const tablesOfRuns = [
  'agent_runs',
  'agent_events',
  'tool_effects',
  'effect_arguments',
  'run_details',
  'agent_checkpoints',
  'run_budgets',
  'tool_intents',
  'tool_attempts',
  'approvals',
];

/** For each run that there is, a hash of all its rows. */
function rowsOfRuns(reader: Reader): ReadonlyMap<string, string> {
  const ids = reader.all('SELECT run_id FROM agent_runs').map((row) => String(row['run_id']));
  const hashes = new Map(ids.map((runId) => [runId, sha256.create()] as const));
  const encoder = new TextEncoder();
  for (const table of tablesOfRuns) {
    for (const row of reader.all(`SELECT rowid, * FROM ${table} ORDER BY rowid`)) {
      const hash = runOf(row, (runId) => hashes.get(runId));
      hash?.update(encoder.encode(`${table} ${JSON.stringify(Object.values(row).map(exactly))}\n`));
    }
  }
  return new Map([...hashes].map(([runId, hash]) => [runId, bytesToHex(hash.digest())] as const));
}

/** By the row's own run, or by its key, which begins with the run's name and a colon. */
function runOf<T>(row: Row, known: (runId: string) => T | undefined): T | undefined {
  if (row['run_id'] !== undefined) return known(String(row['run_id']));
  const key = String(row['idempotency_key']);
  for (let at = key.indexOf(':'); at >= 0; at = key.indexOf(':', at + 1)) {
    const found = known(key.slice(0, at));
    if (found !== undefined) return found;
  }
  return undefined;
}

function exactly(value: SqlValue): unknown {
  return value instanceof Uint8Array ? { bytes: bytesToHex(value) } : value;
}
