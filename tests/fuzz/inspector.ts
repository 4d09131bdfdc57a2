/**
 * Owns: looking at spoilt files as the page's file worker does, and what must hold of each: a result, and in an image
 * the very values that the file has.
 */
import { inspect } from '../../src/bridge/file-inspection.ts';
import { succeed } from '../../src/engine/failure.ts';
import type { SqlDatabase, Sqlite } from '../../src/storage/sqlite.ts';
import type { ForeignFiles } from '../support/foreign-files.ts';
import { seededRandom } from '../support/random.ts';
import { spoiler } from './spoil.ts';
import type { Answered, Asked } from './worker.ts';

const ours: readonly (readonly [string, readonly string[]])[] = [
  ['agent_runs', ['run_id', 'ticket_id', 'status', 'next_action', 'context_json', 'version']],
  ['agent_events', ['run_id', 'sequence', 'session', 'event_type', 'action', 'detail', 'created_at_utc']],
  ['tool_effects', ['idempotency_key', 'tool_name', 'result_json']],
];

export function inspector(sqlite: Sqlite, files: ForeignFiles): (asked: Asked) => Promise<Answered> {
  const caseOf = spoiler(files);
  const parts = { loadSqlite: () => Promise.resolve(succeed(sqlite)), random: seededRandom(1) };
  const look = async (bytes: Uint8Array, story: string): Promise<Answered> => {
    const result = await inspect(parts, new Blob([bytes.slice()]));
    if (result.ok) return { type: 'opened', story, image: result.value.image };
    return result.failure.type === 'FileRefused'
      ? { type: 'refused', story, reason: result.failure.reason }
      : { type: 'failed', story, what: `another failure: ${JSON.stringify(result.failure)}` };
  };
  const good = files.lesson();

  return async (asked) => {
    if (asked.type === 'again') return look(asked.image, 'an image downloaded from the lab');
    if (asked.type !== 'spoilt') {
      const again = await look(good, 'the good file');
      if (again.type !== 'opened')
        return { type: 'failed', story: 'the good file', what: JSON.stringify(again) };
      return differing(sqlite, good, again.image) ?? again;
    }
    const { bytes, story } = caseOf(asked.seed);
    const before = bytes.slice();
    const answered = await look(bytes, story);
    if (!bytes.every((byte, at) => byte === before[at]))
      return { type: 'failed', story, what: 'the given bytes changed' };
    return (answered.type === 'opened' && differing(sqlite, bytes, answered.image, story)) || answered;
  };
}

/**
 * Null when the image has the values of the file, in their order, and JavaScript reads each as it is stored: that is
 * what the page shows.
 */
function differing(sqlite: Sqlite, file: Uint8Array, image: Uint8Array, story = ''): Answered | null {
  // A database in memory has no write-ahead mode.
  const rollback = file.slice();
  rollback[18] = rollback[19] = 1;
  const [given, made] = [sqlite.openScratch(rollback), sqlite.openScratch(image)];
  try {
    for (const [table, columns] of ours) {
      const read = (database: SqlDatabase, how: string): string => {
        const list = columns.map((column) => how.replace('?', column)).join(', ');
        return JSON.stringify(database.exec(`SELECT ${list} FROM ${table} NOT INDEXED`)[0]?.values ?? []);
      };
      const [taken, there] = [read(made, 'quote(?)'), read(given, 'quote(?)')];
      if (taken !== there) return { type: 'failed', story, what: `${table} is\n${taken}\nand not\n${there}` };
      const [stored, shown] = [read(made, 'hex(?)'), hexOf(read(made, '?'))];
      if (stored !== shown) return { type: 'failed', story, what: `${table} shows\n${shown}\nof\n${stored}` };
    }
    return null;
  } finally {
    given.close();
    made.close();
  }
}

/** What SQLite's `hex` gives, of values as JavaScript has them. */
function hexOf(rows: string): string {
  const values = JSON.parse(rows) as readonly (readonly (string | number | null)[])[];
  const hex = (value: string | number | null): string =>
    Buffer.from(String(value ?? ''), 'utf8')
      .toString('hex')
      .toUpperCase();
  return JSON.stringify(values.map((row) => row.map(hex)));
}
