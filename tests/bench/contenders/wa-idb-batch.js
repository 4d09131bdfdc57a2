/** Owns: wa-sqlite over IndexedDB in atomic batches (IDBBatchAtomicVFS), strict. */
import createModule from 'wa-sqlite/dist/wa-sqlite-async.mjs';
import wasmUrl from 'wa-sqlite/dist/wa-sqlite-async.wasm?url';
import { IDBBatchAtomicVFS } from 'wa-sqlite/src/examples/IDBBatchAtomicVFS.js';
import { overFileSystem } from './wa-sqlite.js';

let module = null;
let opened = null;

export async function prepare() {
  module ??= await createModule({ locateFile: () => wasmUrl });
}

export async function open(name) {
  opened ??= overFileSystem(module, new IDBBatchAtomicVFS(name, { durability: 'strict' }));
  return opened();
}
