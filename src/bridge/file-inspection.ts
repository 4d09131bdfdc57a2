/**
 * Owns: looking at a file from elsewhere in a worker of its own: its rows taken over into an image, and that image
 * read as the lab will read it, so that whatever the file makes go wrong goes wrong here.
 * Leaves: the file to storage/files/inspect-file.ts; the worker's life to file-inspector.ts.
 */
import { noCrash } from '../engine/crash.ts';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import {
  inspectFile,
  type FileNote,
  type FileReport,
  type InspectedFile,
} from '../storage/files/inspect-file.ts';
import type { Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import { Statements } from '../storage/statements.ts';
import { workflows } from '../triage/workflows.ts';
import { readTables } from './lab-view.ts';
import type { InvariantView } from './views.ts';

export type { FileNote, FileReport };

/** What the person is told before anything changes, and the image that would come in. */
export interface Inspection extends InspectedFile {
  /** What the file's rows break. They are shown as they are. */
  readonly broken: readonly Pick<InvariantView, 'id' | 'title' | 'violations'>[];
}

export interface InspectionParts {
  loadSqlite(): Promise<Result<Sqlite>>;
  readonly random: Random;
}

/** Failures: FileRefused, with the reason in words, and those of loading SQLite. Never throws. */
export async function inspect(parts: InspectionParts, file: Blob): Promise<Result<Inspection>> {
  const sqlite = await parts.loadSqlite();
  if (!sqlite.ok) return sqlite;
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    return refused(`the browser could not read it (${wordsOf(error)})`);
  }
  const inspected = inspectFile(sqlite.value, parts.random, bytes);
  return inspected.ok ? rehearsed(sqlite.value, inspected.value) : inspected;
}

function rehearsed(sqlite: Sqlite, inspected: InspectedFile): Result<Inspection> {
  const database = sqlite.openScratch(inspected.image);
  try {
    const { invariants } = readTables(
      new Statements(database, noCrash),
      { workerId: '', workflows },
      [],
      null,
    );
    const broken = invariants.filter(({ violations }) => violations > 0);
    return succeed({
      ...inspected,
      broken: broken.map(({ id, title, violations }) => ({ id, title, violations })),
    });
  } catch (error) {
    return refused(`the lab could not show it (${wordsOf(error)})`);
  } finally {
    database.close();
  }
}

function refused(reason: string): Result<never> {
  return fail({ type: 'FileRefused', reason });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
