/**
 * Owns: what the ticket agent's two tools do. Pure functions: the desk that runs them logs the calls (world/).
 */
import Papa from 'papaparse';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';

type Tool = (toolArguments: JsonObject) => Result<JsonObject, string>;

/** The tools by name. `runbooksCsv` has the columns runbook_code, area, next_step. */
export function triageTools(runbooksCsv: string): Readonly<Record<string, Tool>> {
  return {
    lookup_runbook: runbookLookup(runbooksCsv),
    draft_reply: ({ priority, next_step: nextStep }) =>
      succeed({ reply: `Priority: ${String(priority)}. Next step: ${String(nextStep)}` }),
  };
}

/** The runbook for an area, out of the same file for whoever looks one up. */
export function runbookLookup(runbooksCsv: string): Tool {
  const runbooks = Papa.parse<Record<string, string>>(runbooksCsv, {
    header: true,
    skipEmptyLines: true,
  }).data;
  return ({ area }) => {
    const runbook = runbooks.find((row) => row['area'] === area);
    return runbook === undefined
      ? fail(`there is no runbook for the area ${JSON.stringify(area)}`)
      : succeed({ next_step: runbook['next_step'] ?? '', runbook_code: runbook['runbook_code'] ?? '' });
  };
}
