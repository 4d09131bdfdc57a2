/** Owns: wa-sqlite over the origin private file system (AccessHandlePoolVFS); one tab only. */
import createModule from 'wa-sqlite/dist/wa-sqlite.mjs';
import wasmUrl from 'wa-sqlite/dist/wa-sqlite.wasm?url';
import { AccessHandlePoolVFS } from 'wa-sqlite/src/examples/AccessHandlePoolVFS.js';
import { overFileSystem } from './wa-sqlite.js';

let module = null;
let opened = null;

export async function prepare() {
  module ??= await createModule({ locateFile: () => wasmUrl });
}

export async function open(name) {
  if (!opened) {
    const vfs = new AccessHandlePoolVFS(`/${name}`);
    await vfs.isReady;
    opened = overFileSystem(module, vfs);
  }
  return opened();
}
