/**
 * Owns: what the tools of *Dispatch* do at the service desk: they are remote, and two of them change the world.
 * Leaves: logging, keys and trouble to the desk that runs them (world/); when they are called to the workflow.
 */
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { runbookLookup } from './tools.ts';

/** `done`: how often this tool's work was done before, for the same lab. */
type RemoteTool = (toolArguments: JsonObject, done: number) => Result<JsonObject, string>;

/** The first work order is WO-1001. */
const workOrdersBefore = 1000;

/** The tools by name. `runbooksCsv` has the columns runbook_code, area, next_step. */
export function dispatchTools(runbooksCsv: string): Readonly<Record<string, RemoteTool>> {
  return {
    request_runbook: runbookLookup(runbooksCsv),
    open_work_order: needing(['ticket_id', 'area', 'priority', 'next_step'], (done) => ({
      work_order: `WO-${String(workOrdersBefore + done + 1)}`,
    })),
    page_technician: needing(['ticket_id', 'work_order', 'message'], (done) => ({
      page: `PG-${String(done + 1)}`,
    })),
  };
}

/** A tool that wants these members as texts, whatever else comes with them. */
function needing(members: readonly string[], work: (done: number) => JsonObject): RemoteTool {
  return (toolArguments, done) => {
    const missing = members.find((member) => typeof toolArguments[member] !== 'string');
    return missing === undefined ? succeed(work(done)) : fail(`it needs ${missing}, as a text`);
  };
}
