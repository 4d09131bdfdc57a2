/**
 * Owns: the recorder of changed pages. It stands where the unmodified SQLite calls the methods of a file, so that the
 * pages of the live database lie in arrays of ours, and after each transaction we know which of them changed.
 * Leaves: the pages themselves to recorded-file.ts; the check that all this fits to recorder-check.ts.
 *
 * No view of the WebAssembly memory is kept over a call: the memory may have grown.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import type { ImagePages } from './image-pages.ts';
import { RecordedFile } from './recorded-file.ts';
import { functionAt, type WasmParts } from './wasm-parts.ts';

const openMainDatabase = 0x100;
/** Words of sqlite3_io_methods, version 1; later versions add shared memory and mapped files, which we do not offer. */
const methodsBytes = 52;
/** Offsets in it; what is not named here stays SQLite's own. */
const method = { close: 4, read: 8, write: 12, truncate: 16, fileSize: 24, lock: 28, unlock: 32 };
/** Offsets in sqlite3_vfs. */
const vfsName = 16;
const vfsOpen = 24;
/** What SQLite wants to hear of a read behind the end of the file; the rest of its buffer must be zeros. */
const shortRead = 522;

export interface Recorder {
  /** Runs `open`, which must open one database, with `pages` as content of its main file. */
  capture<T>(pages: ImagePages, open: () => T): { readonly opened: T; readonly file: RecordedFile };
}

interface Recorded {
  readonly file: RecordedFile;
  /** The table of methods that SQLite gave the file. */
  readonly original: number;
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
  const files = new Map<number, Recorded>();
  let content: ImagePages | null = null;
  let captured: RecordedFile | null = null;

  const recorded = (pointer: number): Recorded => {
    const found = files.get(pointer);
    if (!found) throw new Error('SQLite called a method of a file that is not recorded');
    return found;
  };
  const callOriginal = (pointer: number, offset: number, ...values: number[]): number => {
    const index = new DataView(wasm.memory.buffer).getUint32(recorded(pointer).original + offset, true);
    return functionAt(wasm.table, index)(pointer, ...values);
  };
  const changeLock = (offset: number) => (pointer: number, level: number) => {
    const code = callOriginal(pointer, offset, level);
    if (code === 0) recorded(pointer).file.locked(level);
    return code;
  };

  const methods: readonly (readonly [number, number])[] = [
    [
      method.close,
      wasm.addFunction((pointer: number) => {
        const ours = new DataView(wasm.memory.buffer).getUint32(pointer, true);
        const code = callOriginal(pointer, method.close);
        files.delete(pointer);
        wasm.free(ours);
        return code;
      }, 'ii'),
    ],
    [
      method.read,
      wasm.addFunction((pointer: number, buffer: number, bytes: number, offset: bigint) => {
        const { file } = recorded(pointer);
        const at = Number(offset);
        const there = Math.max(0, Math.min(bytes, file.byteCount - at));
        const target = new Uint8Array(wasm.memory.buffer, buffer, bytes);
        if (there > 0) target.set(file.read(at, there));
        if (there < bytes) target.fill(0, there);
        return there < bytes ? shortRead : 0;
      }, 'iiiij'),
    ],
    [
      method.write,
      wasm.addFunction((pointer: number, buffer: number, bytes: number, offset: bigint) => {
        recorded(pointer).file.write(Number(offset), new Uint8Array(wasm.memory.buffer, buffer, bytes));
        return 0;
      }, 'iiiij'),
    ],
    [
      method.truncate,
      wasm.addFunction((pointer: number, bytes: bigint) => {
        recorded(pointer).file.truncate(Number(bytes));
        return 0;
      }, 'iij'),
    ],
    [
      method.fileSize,
      wasm.addFunction((pointer: number, size: number) => {
        const { byteCount } = recorded(pointer).file;
        new DataView(wasm.memory.buffer).setBigInt64(size, BigInt(byteCount), true);
        return 0;
      }, 'iii'),
    ],
    [method.lock, wasm.addFunction(changeLock(method.lock), 'iii')],
    [method.unlock, wasm.addFunction(changeLock(method.unlock), 'iii')],
  ];

  const originalOpen = functionAt(wasm.table, view.getUint32(vfs + vfsOpen, true));
  const open = wasm.addFunction(
    (vfsPointer: number, name: number, pointer: number, flags: number, outFlags: number) => {
      const code = originalOpen(vfsPointer, name, pointer, flags, outFlags);
      if (code !== 0 || !content || captured || (flags & openMainDatabase) === 0) return code;
      const original = new DataView(wasm.memory.buffer).getUint32(pointer, true);
      const ours = wasm.malloc(methodsBytes);
      new Uint8Array(wasm.memory.buffer).copyWithin(ours, original, original + methodsBytes);
      const memory = new DataView(wasm.memory.buffer);
      memory.setInt32(ours, 1, true);
      for (const [offset, index] of methods) memory.setUint32(ours + offset, index, true);
      memory.setUint32(pointer, ours, true);
      captured = new RecordedFile(content);
      files.set(pointer, { file: captured, original });
      return code;
    },
    'iiiiii',
  );
  new DataView(wasm.memory.buffer).setUint32(vfs + vfsOpen, open, true);

  return succeed({
    capture: (pages, openDatabase) => {
      content = pages;
      captured = null;
      try {
        const opened = openDatabase();
        if (!captured) throw new Error('no database file was opened');
        return { opened, file: captured };
      } finally {
        content = null;
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
