/**
 * Owns: answering in the console's worker: one task after the other, each with exactly one message.
 * Leaves: running SQL to console-run.ts; what a written database must be like to file-inspection.ts.
 */
import type { Result } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import type { Random } from '../storage/random.ts';
import type { Sqlite } from '../storage/sqlite.ts';
import type { FromConsole, ToConsole } from './console-answer.ts';
import { readSql, schemaOf, trySql } from './console-run.ts';
import { inspect } from './file-inspection.ts';
import { whyStopped } from './stopped.ts';

export interface ConsoleHost {
  loadSqlite(): Promise<Result<Sqlite>>;
  readonly random: Random;
  tell(message: FromConsole): void;
}

/** Begins to load at once, and says when it is done. */
export function consoleMessages(host: ConsoleHost): (message: ToConsole) => void {
  let copy = new Uint8Array(0);
  const loaded = host.loadSqlite();
  let turn: Promise<void> = loaded.then((sqlite) => {
    host.tell(sqlite.ok ? { type: 'ready' } : { type: 'failed', failure: sqlite.failure });
  });

  async function answer(message: ToConsole): Promise<FromConsole | null> {
    const sqlite = await loaded;
    if (!sqlite.ok) return null;
    switch (message.type) {
      case 'copy':
        copy = new Uint8Array(message.image);
        return { type: 'schema', tables: schemaOf(sqlite.value, copy) };
      case 'read':
        return { type: 'answer', answer: readSql(sqlite.value, copy, message.sql), refused: null };
      case 'try': {
        const tried = trySql(sqlite.value, copy, message.sql);
        const refused = tried.image && (await whyUnfit(sqlite.value, tried.image));
        return { type: 'answer', answer: tried.answer, refused };
      }
    }
  }
  /** What is written must be what this page could open from a file: shown, exported, and opened again. */
  async function whyUnfit(sqlite: Sqlite, image: Uint8Array): Promise<string | null> {
    const parts = { loadSqlite: () => Promise.resolve(succeed(sqlite)), random: host.random };
    const looked = await inspect(parts, new Blob([new Uint8Array(image)]));
    if (looked.ok) return null;
    return looked.failure.type === 'FileRefused' ? looked.failure.reason : looked.failure.type;
  }

  return (message) => {
    turn = turn
      .then(() => answer(message))
      .then((said) => {
        if (said !== null) host.tell(said);
      })
      .catch((error: unknown) => {
        host.tell({ type: 'failed', failure: whyStopped(String(error)) });
      });
  };
}
