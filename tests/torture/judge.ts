/**
 * Owns: what an image must hold after the storm, by an SQLite of the test's own: all that was acknowledged, nothing
 * twice, nothing in halves, nothing that was surely not stored.
 */
import { DatabaseFile } from '../e2e/database-file.ts';

export interface Claims {
  /** Ids of transactions that the database said are durable. */
  readonly acknowledged: ReadonlySet<string>;
  /** Ids of transactions of which the database said that nothing is stored. */
  readonly refused: ReadonlySet<string>;
}

export interface Verdict {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** There more than once, or a counter that is not the sum of its changes. */
  readonly doubled: readonly string[];
  /** Unsound: for SQLite, for the rules of runs, or half of a transaction. */
  readonly torn: readonly string[];
  /** Refused, and there. */
  readonly belied: readonly string[];
  /** There, and never acknowledged to anybody who lived to tell: allowed. */
  readonly unacknowledged: number;
}

export async function judge(image: Uint8Array, claims: Claims): Promise<Verdict> {
  const file = await DatabaseFile.read(image);
  try {
    const problems = file.problems();
    // In a file that SQLite finds unsound the tables may not even be readable.
    if (problems.length > 0) return { ...nothing, torn: problems.map((problem) => JSON.stringify(problem)) };
    const laid = file.rows(`SELECT 1 FROM sqlite_schema WHERE name = 'torture_counters'`).length > 0;
    if (!laid) return { ...nothing, lost: [...claims.acknowledged] };
    return judgeTables(file, claims);
  } finally {
    file.close();
  }
}

const nothing: Verdict = { lost: [], doubled: [], torn: [], belied: [], unacknowledged: 0 };

function judgeTables(file: DatabaseFile, { acknowledged, refused }: Claims): Verdict {
  const rows = (sql: string) => file.rows(sql).map((row) => JSON.stringify(row));
  const stored = new Set(file.rows('SELECT DISTINCT id FROM torture_ledger').map((row) => String(row['id'])));
  return {
    lost: [...acknowledged].filter((id) => !stored.has(id)),
    doubled: [
      ...rows('SELECT id, part, count(*) AS times FROM torture_ledger GROUP BY id, part HAVING count(*) > 1'),
      ...rows(
        `SELECT counter, value, (SELECT sum(delta) FROM torture_ledger AS l WHERE l.counter = c.counter) AS changes
         FROM torture_counters AS c
         WHERE value IS NOT (SELECT sum(delta) FROM torture_ledger AS l WHERE l.counter = c.counter)`,
      ),
    ],
    torn: rows(
      `SELECT id, parts, count(DISTINCT part) AS there FROM torture_ledger GROUP BY id
       HAVING count(DISTINCT part) <> max(parts)`,
    ),
    belied: [...refused].filter((id) => stored.has(id)),
    unacknowledged: [...stored].filter((id) => !acknowledged.has(id)).length,
  };
}
