/**
 * Owns: loading sql.js from given WebAssembly bytes, and opening databases over it.
 * Leaves: fetching the bytes to the entry files (and to tests/support in Node); recording to dirty-pages.ts.
 */
import initSqlJs from 'sql.js';
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { installRecorder, type Recorder } from './dirty-pages.ts';
import type { ImagePages } from './image-pages.ts';
import type { RecordedFile } from './recorded-file.ts';
import { checkRecorder } from './recorder-check.ts';
import type { WasmParts } from './wasm-parts.ts';

export type SqlDatabase = initSqlJs.Database;

/** A loaded SQLite. One for a worker: all databases of the worker live in its memory. */
export interface Sqlite {
  /** As `sqlite_version()` says, for example `3.54.1`. */
  readonly version: string;
  /** A database nobody records: for looking at files and for building images. The caller closes it. */
  openScratch(image: Uint8Array | null): SqlDatabase;
  /** The live database over these pages, changed in place; its changes are recorded. The caller closes it. */
  openRecorded(image: ImagePages): { readonly database: SqlDatabase; readonly file: RecordedFile };
}

/**
 * Compiles SQLite and checks that it is the one whose changed pages we know how to record. sql.js keeps one
 * program for a worker, so this is called once in a worker.
 * Failures: SqliteUnavailable (not WebAssembly), WasmRefused, OutOfMemory, SqliteUnfit (the check failed).
 */
export async function loadSqlite(wasm: Uint8Array | ArrayBuffer): Promise<Result<Sqlite, StorageFailure>> {
  let instance: WebAssembly.Instance | null = null;
  let sql: initSqlJs.SqlJsStatic;
  try {
    const compiled = await WebAssembly.compile(wasm instanceof ArrayBuffer ? wasm : new Uint8Array(wasm));
    // sql.js would wait for ever for an instance that never comes.
    sql = await new Promise<initSqlJs.SqlJsStatic>((resolve, reject) => {
      const instantiate: Instantiate = (imports, receive) => {
        WebAssembly.instantiate(compiled, imports).then((made) => {
          instance = made;
          receive(made);
        }, reject);
        return {};
      };
      initSqlJs(configuration(instantiate)).then(resolve, reject);
    });
  } catch (error) {
    return fail(notLoaded(error, wasm));
  }
  const parts = wasmParts(sql, instance);
  if (!parts) return fail({ type: 'SqliteUnfit', reason: 'its memory or its functions were not found' });

  const first = new sql.Database();
  const recorder = installRecorder(parts, connectionOf(first));
  const version = String(first.exec('SELECT sqlite_version()')[0]?.values[0]?.[0]);
  first.close();
  if (!recorder.ok) return recorder;
  const sqlite = over(sql, recorder.value, version);
  const check = checkRecorder(sqlite);
  return check.ok ? succeed(sqlite) : check;
}

function over(sql: initSqlJs.SqlJsStatic, recorder: Recorder, version: string): Sqlite {
  return {
    version,
    openScratch: (image) => new sql.Database(image),
    openRecorded: (image) => {
      const { opened, file } = recorder.capture(image, () => new sql.Database());
      return { database: opened, file };
    },
  };
}

/** A sound program that is not compiled was refused: by a policy, or by a browser without WebAssembly. */
function notLoaded(error: unknown, wasm: Uint8Array | ArrayBuffer): StorageFailure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError) return { type: 'OutOfMemory', reason };
  if (typeof WebAssembly === 'undefined') return { type: 'WasmRefused', reason };
  const sound = WebAssembly.validate(wasm instanceof ArrayBuffer ? wasm : new Uint8Array(wasm));
  return { type: sound ? 'WasmRefused' : 'SqliteUnavailable', reason };
}

type Instantiate = EmscriptenModule['instantiateWasm'];

/** `useOldExtensionFunctions` is newer than the types of sql.js: false keeps SQLite's own functions. */
function configuration(instantiateWasm: Instantiate): initSqlJs.SqlJsConfig {
  const settings: initSqlJs.SqlJsConfig & { readonly useOldExtensionFunctions: false } = {
    instantiateWasm,
    useOldExtensionFunctions: false,
  };
  return settings;
}

/** Memory and table are found by their type: their names are shortened differently in each build. */
function wasmParts(sql: initSqlJs.SqlJsStatic, instance: WebAssembly.Instance | null): WasmParts | null {
  const exported = Object.values(instance?.exports ?? {});
  const memory = exported.find((part) => part instanceof WebAssembly.Memory);
  const table = exported.find((part) => part instanceof WebAssembly.Table);
  const program = sql as Partial<Record<'_malloc' | '_free' | 'addFunction', unknown>>;
  if (!memory || !table) return null;
  if (typeof program._malloc !== 'function' || typeof program._free !== 'function') return null;
  if (typeof program.addFunction !== 'function') return null;
  return {
    memory,
    table,
    malloc: program._malloc as WasmParts['malloc'],
    free: program._free as WasmParts['free'],
    addFunction: program.addFunction as WasmParts['addFunction'],
  };
}

/** The sqlite3* of an open database. */
function connectionOf(database: SqlDatabase): number {
  const pointer = (database as { readonly db?: unknown }).db;
  return typeof pointer === 'number' ? pointer : 0;
}
