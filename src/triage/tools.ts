/**
 * Owns: what the ticket agent's two tools do. Pure functions: the desk that runs them logs the calls (world/).
 */
import Papa from 'papaparse';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';

/** The tools by name. `runbooksCsv` has the columns runbook_code, area, next_step. */
export function triageTools(
  runbooksCsv: string,
): Readonly<Record<string, (toolArguments: JsonObject) => Result<JsonObject, string>>> {
  const runbooks = Papa.parse<Record<string, string>>(runbooksCsv, {
    header: true,
    skipEmptyLines: true,
  }).data;
  return {
    lookup_runbook: ({ area }) => {
      const runbook = runbooks.find((row) => row['area'] === area);
      return runbook === undefined
        ? fail(`there is no runbook for the area ${JSON.stringify(area)}`)
        : succeed({ next_step: runbook['next_step'] ?? '', runbook_code: runbook['runbook_code'] ?? '' });
    },
    draft_reply: ({ priority, next_step: nextStep }) =>
      succeed({ reply: `Priority: ${String(priority)}. Next step: ${String(nextStep)}` }),
  };
}
