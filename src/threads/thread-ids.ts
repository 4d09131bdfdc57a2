/**
 * Owns: which ids threads may have, in every store, and the name of a thread's file.
 * Leaves: the folder to file-folder.ts.
 *
 * Names of files. `<id>.json`, the id percent-encoded as aisuite does (Python's `quote(id, safe='')`): every byte of its
 * UTF-8 but `A–Z a–z 0–9 _ . - ~` becomes `%XX`. That is reversible, and no id leads out of the folder (`..` is `...json`).
 * aisuite writes such a file by way of one whose name is 42 bytes longer, and a file system takes 255: so it has names of up
 * to 213 bytes, and up to there ours are the same. A longer one is `<its first 140 bytes>=<SHA-256 of the id>.json`. `=` stands
 * in no encoded id, so no such name is another id's; the id itself is in the file, and is compared whenever it is read.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { redactText } from '../engine/redaction.ts';
import { ThreadIdError } from './errors.ts';

/** In characters (code points). */
export const longestId = 1024;
const longestName = 213;
const extension = '.json';

/** Throws ThreadIdError. */
export function assertThreadId(id: string): void {
  const reason = whyNoThreadId(id);
  if (reason !== null) throw new ThreadIdError(reason);
}

/** Null: it can be the id of a thread. */
export function whyNoThreadId(id: unknown): string | null {
  if (typeof id !== 'string') return `it is of type ${typeof id}, not a text`;
  if (id === '') return 'it is empty';
  if (/\p{Surrogate}/u.test(id)) return 'it holds a lone surrogate, which UTF-8 cannot hold';
  if (id.includes('\0')) return 'it holds a zero byte (NUL), where for some programs a text ends';
  // At most twice as many units as characters: text of any length is not counted through.
  if (id.length > 2 * longestId || Array.from(id).length > longestId) {
    return `it is longer than ${String(longestId)} characters`;
  }
  // Storage would take it out (R12), and two of them would be one.
  return redactText(id) === id ? null : 'it looks like a key or a token, which is never stored';
}

/** The name of the thread's file. */
export function fileNameOf(id: string): string {
  const name = encoded(id) + extension;
  if (name.length <= longestName) return name;
  const start = name.slice(0, 140).replace(/%.?$/, '');
  return `${start}=${bytesToHex(sha256(new TextEncoder().encode(id)))}${extension}`;
}

/** The id in a file's name; null: it is no thread's file, or the id is only inside. */
export function idInFileName(name: string): string | null {
  if (!name.endsWith(extension)) return null;
  try {
    const id = decodeURIComponent(name.slice(0, -extension.length));
    return whyNoThreadId(id) === null && fileNameOf(id) === name ? id : null;
  } catch {
    return null;
  }
}

export function isThreadFile(name: string): boolean {
  return name.endsWith(extension);
}

/** `encodeURIComponent` leaves five characters more than Python does. */
function encoded(id: string): string {
  return encodeURIComponent(id).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
