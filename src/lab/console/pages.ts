/**
 * Owns: how much of what came of a query is on screen at once: a page that draws a million cells stands still.
 * Leaves: what the worker sends at all to bridge/console-run.ts.
 */

/** The results of so many statements are shown; the others were run. */
export const mostResults = 50;

const mostRows = 500;
/** Of all results together. */
const mostCells = 30_000;

/** Rows a page of a result with so many columns, beside so many results. */
export function rowsAPage(columns: number, results: number): number {
  const fitting = Math.floor(
    mostCells / (Math.max(1, columns) * Math.min(Math.max(1, results), mostResults)),
  );
  return Math.min(mostRows, Math.max(1, fitting));
}
