/**
 * Owns: looking at a database file from elsewhere (the SQLite shell, Python, an earlier download) and making an image
 * of it as images are stored here. It never touches what is stored.
 * Leaves: the parts of that to the files beside it.
 *
 * What is done here with a hostile file may fail, take very long or harm the memory of this SQLite: the page gives
 * it a worker of its own (bridge/file-inspector.ts).
 */
import { fail, succeed, type Result, type StorageFailure } from '../../engine/failure.ts';
import { isWriteAhead, whyUnreadable, withRollbackJournal } from './header.ts';
import { inMegabytes, limits, whyTooLarge, whyTooManyTables, type Limits } from './limits.ts';
import { Misfit } from './rows.ts';
import { readSchema, rows, text } from './declared.ts';
import { whyNotOpened } from './words.ts';
import type { Random } from '../random.ts';
import { whyNotOurForm } from '../sound-image.ts';
import type { SqlDatabase, Sqlite } from '../sqlite.ts';
import { isOurs, takeOver, type FileNote } from './take-over.ts';

export type { FileNote };

/** What a file holds, for the person who is about to open it. */
export interface FileReport {
  readonly runs: number;
  readonly events: number;
  readonly effects: number;
  /** Size of the file as it was given. */
  readonly bytes: number;
  /** Runs that stand in the middle. */
  readonly unfinished: number;
  readonly notes: readonly FileNote[];
}

export interface InspectedFile {
  /** The image in stored form, for `replace`. */
  readonly image: Uint8Array;
  readonly report: FileReport;
}

/** Failure: FileRefused, with the reason in words for a person. Never throws. */
export function inspectFile(
  sqlite: Sqlite,
  random: Random,
  bytes: Uint8Array,
  { others, ours }: Readonly<Record<'others' | 'ours', Limits>> = limits,
): Result<InspectedFile, StorageFailure> {
  const unreadable = whyTooLarge(bytes.length, ours.bytes) ?? whyUnreadable(bytes);
  if (unreadable !== null) return refused(unreadable);
  const opened: SqlDatabase[] = [];
  const open = (image: Uint8Array | null): SqlDatabase => {
    const database = sqlite.openScratch(image);
    opened.push(database);
    return database;
  };
  try {
    const file = open(withRollbackJournal(bytes));
    // Rules of the file are not asked, also not by SQLite's check.
    file.exec(
      'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON',
    );
    const check = text(file, 'PRAGMA quick_check(1)');
    if (check !== 'ok')
      return refused(`its inner structure is damaged (${check.replace(/^\*\*\*.*\n/, '').trim()})`);
    const tables = Number(text(file, `SELECT count(*) FROM sqlite_schema WHERE type = 'table'`));
    const tooMany = whyTooManyTables(tables, ours.tables);
    if (tooMany !== null) return refused(tooMany);
    const schema = readSchema(file);
    const most = isOurs(file, schema) ? ours : others;
    const beyond = whyTooLarge(bytes.length, most.bytes) ?? whyTooManyTables(tables, most.tables);
    if (beyond !== null) return refused(beyond);
    const target = open(null);
    const notes = takeOver(file, schema, target, most, random);
    const reason = whyRowsUnfit(target, most);
    if (reason !== null) return refused(reason);
    const image = target.export();
    if (image.length > most.bytes) return refused(`here it would take more than ${inMegabytes(most.bytes)}`);
    const unfit = whyNotOurForm(sqlite, image);
    if (unfit !== null) return refused(`its rows could not be taken over: ${unfit}`);
    const report = { ...countsOf(target), bytes: bytes.length };
    const all: FileNote[] = isWriteAhead(bytes) ? [{ type: 'write-ahead' }, ...notes] : [...notes];
    return succeed({ image, report: { ...report, notes: all } });
  } catch (error) {
    return refused(error instanceof Misfit ? error.message : whyNotOpened(error));
  } finally {
    for (const database of opened) closeAny(database);
  }
}

/** Failure: FileRefused, for anything but an image that `inspectFile` made. */
export function checkInspected(sqlite: Sqlite, image: Uint8Array): Result<null, StorageFailure> {
  try {
    const unfit = whyNotOurForm(sqlite, image);
    return unfit === null ? succeed(null) : refused(unfit);
  } catch (error) {
    return refused(whyNotOpened(error));
  }
}

/** Rows that fit one by one, and not together. */
function whyRowsUnfit(target: SqlDatabase, most: Limits): string | null {
  const runs = Number(text(target, 'SELECT count(*) FROM agent_runs'));
  if (runs > most.runs) return `it holds ${String(runs)} runs; the lab shows up to ${String(most.runs)}`;
  const [longest] = rows(
    target,
    `SELECT run_id, count(*) AS events FROM agent_events GROUP BY run_id ORDER BY events DESC LIMIT 1`,
  );
  if (longest && Number(longest[1]) > most.eventsOfRun) {
    return `its run ${longest[0] ?? ''} has ${longest[1] ?? ''} events; the lab shows up to ${String(most.eventsOfRun)} of a run`;
  }
  const [largest] = rows(
    target,
    `SELECT run_id, sum(octet_length(session) + octet_length(event_type) + octet_length(action) + octet_length(detail)
       + octet_length(created_at_utc)) AS bytes FROM agent_events GROUP BY run_id ORDER BY bytes DESC LIMIT 1`,
  );
  if (largest && Number(largest[1]) > most.eventBytesOfRun) {
    return `the events of its run ${largest[0] ?? ''} hold more than ${inMegabytes(most.eventBytesOfRun)}`;
  }
  const [worked] = rows(
    target,
    `SELECT r.run_id, count(*) AS results FROM agent_runs AS r JOIN tool_effects AS t
       ON t.idempotency_key >= r.run_id || ':' AND t.idempotency_key < r.run_id || ';'
     GROUP BY r.run_id ORDER BY results DESC LIMIT 1`,
  );
  if (worked && Number(worked[1]) > most.effectsOfRun) {
    return `its run ${worked[0] ?? ''} has ${worked[1] ?? ''} saved results; the lab shows up to ${String(most.effectsOfRun)} of a run`;
  }
  const [broken] = rows(target, 'PRAGMA foreign_key_check');
  return broken
    ? `a row of ${broken[0] ?? ''} points at a row of ${broken[2] ?? ''} that does not exist`
    : null;
}

function countsOf(target: SqlDatabase): Pick<FileReport, 'runs' | 'events' | 'effects' | 'unfinished'> {
  const count = (of: string): number => Number(text(target, `SELECT count(*) FROM ${of}`));
  return {
    runs: count('agent_runs'),
    events: count('agent_events'),
    effects: count('tool_effects'),
    unfinished: count(`agent_runs WHERE status <> 'completed'`),
  };
}

/** SQLite that was hurt by a file may fail here again; what was found out about the file stands. */
function closeAny(database: SqlDatabase): void {
  try {
    database.close();
  } catch {
    // Its memory goes with the worker.
  }
}

function refused(reason: string): Result<never, StorageFailure> {
  return fail({ type: 'FileRefused', reason });
}
