/**
 * Owns: what we need of SQLite's WebAssembly program, beside what sql.js offers.
 * Leaves: finding it to sqlite.ts, using it to dirty-pages.ts.
 */

/** Pointers are byte offsets into `memory`. */
export interface WasmParts {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  malloc(bytes: number): number;
  free(pointer: number): void;
  addFunction(body: (...values: never[]) => number, signature: string): number;
}

export type WasmFunction = (...values: (number | bigint)[]) => number;

/** The function at an index of the WebAssembly table: how C holds a pointer to one. */
export function functionAt(table: WebAssembly.Table, index: number): WasmFunction {
  const found: unknown = table.get(index);
  if (typeof found !== 'function') throw new Error(`no function at ${index} of the WebAssembly table`);
  return found as WasmFunction;
}
