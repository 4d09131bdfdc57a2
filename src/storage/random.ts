/**
 * Owns: random bytes as a port, and ids drawn from it.
 * Only getRandomValues is needed: on plain http there is no crypto.subtle and no randomUUID.
 */

/** Where chance comes from. Tests give a seeded one. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** The browser's (and Node's) random source. */
export const cryptoRandom: Random = {
  bytes: (count) => globalThis.crypto.getRandomValues(new Uint8Array(count)),
};

/** 128 random bits as 32 hexadecimal digits. */
export function randomId(random: Random): string {
  return Array.from(random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
