/** Owns: an id as a message shows it: in quotes, as Python writes a text in its own messages. */

/** `'t'`; with double quotes where only single ones are inside; what is no visible character is escaped. */
export function shownId(id: string): string {
  const quote = id.includes("'") && !id.includes('"') ? '"' : "'";
  const inside = id.replace(/[\\\p{C}\p{Zl}\p{Zp}'"]/gu, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return named[character] ?? escaped(character.codePointAt(0) ?? 0);
  });
  return quote + inside + quote;
}

const named: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
