/**
 * Owns: what the first hundred bytes of a file tell, before SQLite sees any of it.
 * Leaves: everything behind them to declared.ts and SQLite's own check.
 */

const magic = 'SQLite format 3\0';
const headerBytes = 100;
/** Offsets in the header, as SQLite's file format names them. */
const at = {
  pageSize: 16,
  writeVersion: 18,
  readVersion: 19,
  changes: 24,
  pageCount: 28,
  schemaFormat: 44,
  validFor: 92,
};
const newestSchemaFormat = 4;
const writeAheadVersion = 2;

/** In words, why this is no database that SQLite could open; null when it may be one. */
export function whyUnreadable(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'the file is empty';
  if (new TextDecoder('latin1').decode(bytes.subarray(0, magic.length)) !== magic) return whatElse(bytes);
  if (bytes.length < headerBytes) return 'it is cut off';
  const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  if (
    header.getUint8(at.readVersion) > writeAheadVersion ||
    header.getUint32(at.schemaFormat) > newestSchemaFormat
  ) {
    return 'it says that it needs a newer SQLite than the one in this page, or its header is damaged';
  }
  const declared = header.getUint16(at.pageSize);
  const pageSize = declared === 1 ? 65536 : declared;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0)
    return 'its header is damaged: no SQLite has such a page size';
  // Programs before SQLite 3.7 leave the number of pages as it was: then the file's length counts.
  const isCounted = header.getUint32(at.changes) === header.getUint32(at.validFor);
  const counted = isCounted ? header.getUint32(at.pageCount) : 0;
  const isWhole = counted > 0 ? counted * pageSize <= bytes.length : bytes.length % pageSize === 0;
  return isWhole ? null : 'it is cut off';
}

/** The file was last written in write-ahead mode: what was not yet folded in lies in a file of its own. */
export function isWriteAhead(bytes: Uint8Array): boolean {
  return bytes[at.readVersion] === writeAheadVersion;
}

/** A copy that a database in memory can open: there is no write-ahead mode there. */
export function withRollbackJournal(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy[at.writeVersion] = copy[at.readVersion] = 1;
  return copy;
}

function whatElse(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0x37 && second === 0x7f && third === 0x06 && ((fourth ?? 0) & 0xfe) === 0x82) {
    return 'it is the write-ahead log of a database: choose the file without “-wal” in its name';
  }
  if (first === 0xd9 && second === 0xd5 && third === 0x05 && fourth === 0xf9) {
    return 'it is the rollback journal of a database: choose the file without “-journal” in its name';
  }
  const isPages = bytes.length % 512 === 0;
  const strange = bytes
    .subarray(0, 64)
    .filter((byte) => byte > 126 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13));
  return isPages && strange.length > 16
    ? 'it is not an SQLite database, or it is encrypted; then save it without its password first'
    : 'it is not an SQLite database';
}
