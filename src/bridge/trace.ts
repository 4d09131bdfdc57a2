/**
 * Owns: the trace of a run as CSV: RFC 4180, one header line, the columns of agent_events in the lesson's order.
 * Leaves: saving the file to the page.
 * Invariant: no cell is a formula to a spreadsheet, whatever a ticket's or tool's text begins with.
 */
import Papa from 'papaparse';
import type { Reader } from '../engine/ports.ts';

const columns = ['run_id', 'sequence', 'session', 'event_type', 'action', 'detail', 'created_at_utc'];

/** What a spreadsheet takes for the beginning of a formula. The library’s own pattern misses one with a line break inside. */
export const formulaStart = /^[=+\-@\t\r\n]/;

/** The events of one run, or of all runs (null), in the order of their sequence. Lines end in CR LF. */
export function traceCsv(reader: Reader, runId: string | null): string {
  const rows = reader.all(
    `SELECT ${columns.join(', ')} FROM agent_events WHERE ?1 IS NULL OR run_id = ?1 ORDER BY run_id, sequence`,
    [runId],
  );
  const csv = Papa.unparse(
    { fields: columns, data: rows.map((row) => columns.map((column) => row[column])) },
    { newline: '\r\n', escapeFormulae: formulaStart },
  );
  return `${csv}\r\n`;
}
