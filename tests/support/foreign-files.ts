/**
 * Owns: database files as other programs make them, odd and hostile ones among them; made at each test, never kept.
 * Leaves: what becomes of them to the tests; the SQLite that makes them to the caller.
 */
import { readFileSync } from 'node:fs';
import type { Database } from 'sql.js';

/** The lesson's three tables, to the letter. */
export const lessonTables = readFileSync('static/schema.sql', 'utf8');

/** A run in the middle with one saved result, and a completed one. */
export const lessonRows = `
  INSERT INTO agent_runs VALUES ('run-T101', 'T101', 'completed', NULL, '{"reply":"Done."}', 0);
  INSERT INTO agent_runs VALUES ('run-T104', 'T104', 'running', 'lookup_runbook',
    '{"priority":"urgent","ticket":{"area":"cold storage","outage_minutes":18,"safety_impact":"yes","ticket_id":"T104"}}', 1);
  INSERT INTO agent_events VALUES
    ('run-T101', 1, 'session-1', 'run_started', 'start', 'T101', '2026-01-05T09:00:00Z'),
    ('run-T104', 1, 'session-1', 'run_started', 'start', 'T104', '2026-01-05T09:00:01Z'),
    ('run-T104', 2, 'session-1', 'checkpoint_saved', 'classify_priority', 'version 1', '2026-01-05T09:00:02Z'),
    ('run-T104', 3, 'session-1', 'tool_executed', 'lookup_runbook', 'run-T104:lookup_runbook', '2026-01-05T09:00:03Z');
  INSERT INTO tool_effects VALUES
    ('run-T104:lookup_runbook', 'lookup_runbook', '{"next_step":"Look at it.","runbook_code":"RB-1"}');`;

export type Bytes = Uint8Array<ArrayBuffer>;

export class ForeignFiles {
  readonly #open: (image: Uint8Array | null) => Database;

  constructor(open: (image: Uint8Array | null) => Database) {
    this.#open = open;
  }

  /** The file that this SQL makes, of nothing or of another file. */
  of(sql: string, from: Uint8Array | null = null): Bytes {
    return this.by((database) => database.exec(sql), from);
  }

  by(fill: (database: Database) => unknown, from: Uint8Array | null = null): Bytes {
    const database = this.#open(from);
    try {
      fill(database);
      return new Uint8Array(database.export());
    } finally {
      database.close();
    }
  }

  /** The lesson's file with this SQL run after its rows, and this one before its tables. */
  lesson(after = '', before = ''): Bytes {
    return this.of(before + lessonTables + lessonRows + after);
  }

  /** The lesson's file with one of its declarations changed: every `from` is `to`. */
  declaring(from: string, to: string, after = ''): Bytes {
    if (!lessonTables.includes(from)) throw new Error(`the tables do not say ${from}`);
    return this.of(lessonTables.replaceAll(from, to) + lessonRows + after);
  }

  /** A file whose pages each keep some bytes for another program (checksums, encryption). */
  withReservedBytes(count: number): Bytes {
    const onePage = this.of('PRAGMA user_version = 1');
    onePage[20] = count;
    // Where the content of the empty first page begins: at its end, which lies before the reserved bytes now.
    new DataView(onePage.buffer).setUint16(105, onePage.length - count);
    return this.of(lessonTables + lessonRows, onePage);
  }
}

/** A copy with its header changed. */
export function patched(file: Bytes, change: (header: DataView) => unknown): Bytes {
  const copy = file.slice();
  change(new DataView(copy.buffer));
  return copy;
}

/** A copy in which a text of the file is another one of the same length, wherever it stands. */
export function replaced(file: Bytes, from: string, to: string): Bytes {
  const text = Buffer.from(file).toString('latin1');
  if (from.length !== to.length || !text.includes(from)) throw new Error(`${from} can't become ${to}`);
  return new Uint8Array(Buffer.from(text.replaceAll(from, to), 'latin1'));
}

/** SQL that changes what the schema says, behind SQLite's back. */
export function lie(update: string): string {
  return `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${update}; PRAGMA writable_schema = OFF;`;
}
