/**
 * Owns: the checksum of everything stored: XXH64 over the bytes, seeded by the facts stored beside them.
 * It finds damage (flipped bits, torn or exchanged records); it does not protect against a person.
 */
import xxhash from 'xxhash-wasm';

export interface Checksum {
  /** 16 hexadecimal digits that depend on every bit of `facts` and `bytes`. */
  of(facts: string, bytes: Uint8Array): string;
}

/** Compiles the checksum program (WebAssembly, a few milliseconds, once). */
export async function loadChecksum(): Promise<Checksum> {
  const { h64, h64Raw } = await xxhash();
  return { of: (facts, bytes) => h64Raw(bytes, h64(facts)).toString(16).padStart(16, '0') };
}
