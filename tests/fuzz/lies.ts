/**
 * Owns: files whose schema says what is not so, by a seed; SQLite writes it at our wish.
 */
import type { Bytes, ForeignFiles } from '../support/foreign-files.ts';
import { lie } from '../support/foreign-files.ts';
import type { SeededRandom } from '../support/random.ts';
import { pick, schemaWords } from './mutations.ts';

/** `from` must be a good file. */
export function withLie(files: ForeignFiles, from: Bytes, random: SeededRandom): Bytes {
  const word = (): string => pick(random, schemaWords);
  const rowid = 1 + random.below(8);
  const update = pick(random, [
    `rootpage = ${random.below(30) - 2}`,
    `rootpage = (SELECT rootpage FROM sqlite_schema WHERE rowid = ${1 + random.below(8)})`,
    `sql = replace(sql, '${word()}', '${word()}')`,
    `sql = (SELECT sql FROM sqlite_schema WHERE name = '${word()}')`,
    `sql = substr(sql, 1, ${random.below(200)})`,
    `sql = sql || ' ${pick(random, ['STRICT', 'WITHOUT ROWID', '-- more', ', x'])}'`,
    `name = '${word()}'`,
    `tbl_name = '${word()}'`,
    `type = '${pick(random, ['table', 'index', 'view', 'trigger', ''])}'`,
    'sql = NULL',
  ]);
  try {
    return files.of(lie(`${update} WHERE rowid = ${rowid}`), from);
  } catch {
    // SQLite itself takes this lie for a damage: the file stays good.
    return from;
  }
}
