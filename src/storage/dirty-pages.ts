/**
 * Owns: the recorder of changed pages. It wraps the file methods of the unmodified SQLite, so that after each
 * transaction we know which pages of the live database file changed and what they held before.
 * Leaves: the pages themselves to recorded-file.ts; the check that all this fits to recorder-check.ts.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { functionAt, method, RecordedFile, type WasmParts } from './recorded-file.ts';

const openMainDatabase = 0x100;
/** The longest sqlite3_io_methods (version 3) has 19 words. */
const methodsBytes = 76;
/** Offsets in sqlite3_vfs. */
const vfsName = 16;
const vfsOpen = 24;

export interface Recorder {
  /** Runs `open`, which must open one database, and records that database's main file from then on. */
  capture<T>(open: () => T): { readonly opened: T; readonly file: RecordedFile };
}

/**
 * Wraps the file system of the SQLite whose connection is `connection` (a sqlite3*). Once for a program: what is
 * opened outside `capture` (scratch databases, the `*_export` file) stays unrecorded.
 */
export function installRecorder(wasm: WasmParts, connection: number): Result<Recorder, StorageFailure> {
  const view = new DataView(wasm.memory.buffer);
  const vfs = view.getUint32(connection, true);
  const version = vfs > 0 && vfs < view.byteLength - 64 ? view.getInt32(vfs, true) : 0;
  if (version < 1 || version > 3 || readText(wasm.memory, view.getUint32(vfs + vfsName, true)) !== 'unix') {
    return fail({ type: 'SqliteUnfit', reason: 'its file system is not the one this page was built for' });
  }
  const files = new Map<number, RecordedFile>();
  let captured: RecordedFile | null = null;
  let capturing = false;

  const file = (pointer: number): RecordedFile => {
    const found = files.get(pointer);
    if (!found) throw new Error('SQLite called a method of a file that is not recorded');
    return found;
  };
  const wrapped: readonly (readonly [number, number])[] = [
    [
      method.close,
      wasm.addFunction((pointer: number) => {
        const closing = file(pointer);
        const methods = new DataView(wasm.memory.buffer).getUint32(pointer, true);
        const code = closing.forward(method.close);
        files.delete(pointer);
        closing.released();
        wasm.free(methods);
        return code;
      }, 'ii'),
    ],
    [
      method.write,
      wasm.addFunction((pointer: number, buffer: number, bytes: number, offset: bigint) => {
        file(pointer).beforeWrite(Number(offset), bytes);
        return file(pointer).forward(method.write, buffer, bytes, offset);
      }, 'iiiij'),
    ],
    [
      method.truncate,
      wasm.addFunction((pointer: number, bytes: bigint) => {
        file(pointer).beforeTruncate(Number(bytes));
        return file(pointer).forward(method.truncate, bytes);
      }, 'iij'),
    ],
    ...([method.lock, method.unlock] as const).map(
      (offset) =>
        [
          offset,
          wasm.addFunction((pointer: number, level: number) => {
            const code = file(pointer).forward(offset, level);
            if (code === 0) file(pointer).locked(level);
            return code;
          }, 'iii'),
        ] as const,
    ),
  ];

  const originalOpen = functionAt(wasm.table, view.getUint32(vfs + vfsOpen, true));
  const open = wasm.addFunction(
    (vfsPointer: number, name: number, pointer: number, flags: number, outFlags: number) => {
      const code = originalOpen(vfsPointer, name, pointer, flags, outFlags);
      if (code !== 0 || !capturing || captured || (flags & openMainDatabase) === 0) return code;
      const original = new DataView(wasm.memory.buffer).getUint32(pointer, true);
      const copy = wasm.malloc(methodsBytes);
      new Uint8Array(wasm.memory.buffer).copyWithin(copy, original, original + methodsBytes);
      const memory = new DataView(wasm.memory.buffer);
      for (const [offset, index] of wrapped) memory.setUint32(copy + offset, index, true);
      captured = new RecordedFile(wasm, pointer, original);
      new DataView(wasm.memory.buffer).setUint32(pointer, copy, true);
      files.set(pointer, captured);
      return code;
    },
    'iiiiii',
  );
  new DataView(wasm.memory.buffer).setUint32(vfs + vfsOpen, open, true);

  return succeed({
    capture: (openDatabase) => {
      capturing = true;
      captured = null;
      try {
        const opened = openDatabase();
        if (!captured) throw new Error('no database file was opened');
        return { opened, file: captured };
      } finally {
        capturing = false;
      }
    },
  });
}

function readText(memory: WebAssembly.Memory, pointer: number): string {
  const bytes = new Uint8Array(memory.buffer);
  let text = '';
  for (let at = pointer; bytes[at] && text.length < 32; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
