/**
 * Owns: the random transactions: on shared counters, on runs and their events, on texts of all lengths. Each leaves
 * rows in a ledger under its own id, without a key: what is done twice stands there twice.
 * Leaves: judging what is left in the end to ../judge.ts.
 */
import { succeed, type Result } from '../../../src/engine/failure.ts';
import type { Transaction } from '../../../src/engine/ports.ts';
import type { SeededRandom } from '../../support/random.ts';

/** It may run again, on what another tab wrote: so all that is drawn is drawn before. */
export type Work = (transaction: Transaction) => Result<null>;

const counters = 8;
const texts = 24;
const longestText = 20_000;
const checkpoints = 4;

export function layTables(transaction: Transaction): Result<null> {
  for (const table of [
    'ledger (id TEXT NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL, counter INTEGER, delta INTEGER)',
    'counters (counter INTEGER PRIMARY KEY, value INTEGER NOT NULL)',
    'texts (slot INTEGER PRIMARY KEY, text TEXT NOT NULL)',
  ]) {
    transaction.run(`CREATE TABLE IF NOT EXISTS torture_${table}`);
  }
  return succeed(null);
}

export function drawWork(random: SeededRandom, id: string): Work {
  const dice = random.below(100);
  const work =
    dice < 50 ? count(random, id) : dice < 80 ? step(random, id) : dice < 97 ? write(random) : tidy;
  return (transaction) => {
    work(transaction);
    // The counting has its own rows in the ledger.
    if (dice >= 50) enter(transaction, id, 1, 1, null, null);
    return succeed(null);
  };
}

type Change = (transaction: Transaction) => void;

function enter(
  transaction: Transaction,
  id: string,
  part: number,
  parts: number,
  counter: number | null,
  delta: number | null,
): void {
  transaction.run('INSERT INTO torture_ledger VALUES (?, ?, ?, ?, ?)', [id, part, parts, counter, delta]);
}

/** Adds to one to three counters: reads, and writes what it has computed, so that an update can be lost. */
function count(random: SeededRandom, id: string): Change {
  const changes = Array.from({ length: 1 + random.below(3) }, () => ({
    counter: random.below(counters),
    delta: random.below(1000) - 300,
  }));
  return (transaction) => {
    for (const [index, { counter, delta }] of changes.entries()) {
      const row = transaction.get('SELECT value FROM torture_counters WHERE counter = ?', [counter]);
      transaction.run('INSERT OR REPLACE INTO torture_counters VALUES (?, ?)', [
        counter,
        Number(row?.['value'] ?? 0) + delta,
      ]);
      enter(transaction, id, index + 1, changes.length, counter, delta);
    }
  };
}

/** Saves a checkpoint of a run that stands in the middle, with its event; or starts a run. */
function step(random: SeededRandom, id: string): Change {
  const place = random.below(4);
  return (transaction) => {
    const run = transaction.get(
      `SELECT run_id, version FROM agent_runs WHERE status = 'running' ORDER BY run_id LIMIT 1 OFFSET ?`,
      [place],
    );
    const runId = run ? String(run['run_id']) : `run-${id}`;
    const version = run ? Number(run['version']) + 1 : 0;
    if (run) {
      const status = version === checkpoints ? 'completed' : 'running';
      const changed = transaction.run(
        'UPDATE agent_runs SET status = ?, version = ? WHERE run_id = ? AND version = ?',
        [status, version, runId, version - 1],
      );
      if (changed !== 1) throw new Error(`${runId} is not at version ${version - 1}`);
    } else {
      transaction.run(`INSERT INTO agent_runs VALUES (?, 'T104', 'running', 'go on', '{}', 0)`, [runId]);
    }
    transaction.run(
      `INSERT INTO agent_events SELECT ?1, COALESCE(MAX(sequence), 0) + 1, 'session-1', ?2, 'go on', ?3, ''
       FROM agent_events WHERE run_id = ?1`,
      [runId, run ? 'checkpoint_saved' : 'run_started', `version ${version}`],
    );
  };
}

/** Puts a text in place of another: from one page to several, so that the file grows and shrinks inside. */
function write(random: SeededRandom): Change {
  const slot = random.below(texts);
  const length = random.below(random.below(5) === 0 ? longestText : 800);
  const text = Array.from(random.bytes(length), (byte) => String.fromCharCode(97 + (byte % 26))).join('');
  return (transaction) => {
    transaction.run('INSERT OR REPLACE INTO torture_texts VALUES (?, ?)', [slot, text]);
  };
}

/** Deletes the runs that are completed. */
const tidy: Change = (transaction) => {
  transaction.run(
    `DELETE FROM agent_events WHERE run_id IN (SELECT run_id FROM agent_runs WHERE status = 'completed')`,
  );
  transaction.run(`DELETE FROM agent_runs WHERE status = 'completed'`);
};
