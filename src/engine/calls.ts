/**
 * Owns: the calls of one action, all of them: which may be made, and what they come to together.
 * Leaves: each call to effects.ts; where the run stands meanwhile to status.ts.
 * Invariant: none of them is made when one of them may not be.
 */
import { loadRun, stateConflict } from './checkpoint.ts';
import type { Settlement } from './effects.ts';
import { settle } from './effects.ts';
import type { Engine } from './engine.ts';
import { appendEvent, labelOf } from './events.ts';
import type { Result } from './failure.ts';
import { fail, succeed } from './failure.ts';
import type { Job } from './job.ts';
import { jobOf } from './job.ts';
import type { JsonObject } from './json.ts';
import type { Run } from './records.ts';
import { changeStatus, failRun, waitRun } from './status.ts';
import type { OutsideCall } from './tool.ts';
import { whyAlike } from './tool.ts';
import type { Workflow } from './workflow.ts';

/** `left`: the run stands where it is, or waits, or has failed; there are no results to go on with. */
export type Results =
  { readonly type: 'ready'; readonly result: JsonObject } | { readonly type: 'left'; readonly run: Run };

/** One call after the other, as far as each goes: one that waits or is tried again does not hold up the others. */
export async function settleAll(
  engine: Engine,
  run: Run,
  workflow: Workflow,
  action: string,
  calls: readonly OutsideCall[],
): Promise<Result<Results>> {
  const { runId } = run;
  const alike = whyAlike(calls);
  if (alike !== null) return fail({ type: 'ContextUnusable', runId, action, reason: alike });
  const jobs: Job[] = [];
  for (const call of calls) {
    const tool = workflow.tools?.find(({ name }) => name === call.tool);
    const misfit = tool ? tool.check(call.arguments) : 'the workflow may not call it';
    if (tool === undefined || misfit !== null) {
      return left(await refuse(engine, run, action, `${call.tool}: ${misfit ?? ''}`));
    }
    const job = jobOf(run, action, call, tool);
    if (!job.ok) return job;
    jobs.push(job.value);
  }
  const settlements: Settlement[] = [];
  for (const job of jobs) {
    const settled = await settle(engine, job, engine.tools.destinationOf(job.tool.name));
    if (!settled.ok) return settled;
    settlements.push(settled.value);
  }
  return together(engine, run, action, calls, settlements);
}

async function together(
  engine: Engine,
  run: Run,
  action: string,
  calls: readonly OutsideCall[],
  settlements: readonly Settlement[],
): Promise<Result<Results>> {
  const failed = settlements.find((one) => one.type === 'failed');
  if (failed) return left(await failRun(engine, run, action, failed.reason));
  if (settlements.some((one) => one.type === 'retrying')) return left(succeed(run));
  const held = settlements.find((one) => one.type === 'held');
  if (held) return fail(held.failure);
  const waiting = settlements.find((one) => one.type === 'waiting');
  if (waiting) return left(await waitRun(engine, run, action, waiting.detail));
  const results = settlements.flatMap((one) => (one.type === 'settled' ? [one.result] : []));
  const byId = calls.map(({ id }, index) => [id ?? '', results[index] ?? {}] as const);
  const single = calls.length === 1 && calls[0]?.id === null ? results[0] : undefined;
  return succeed({ type: 'ready', result: single ?? Object.fromEntries(byId) });
}

/**
 * The arguments, or the tool, are not what the run's workflow may call with: an event, no intent, and the run fails with
 * the reason. Durable on return (R9).
 */
function refuse(engine: Engine, run: Run, action: string, reason: string): Promise<Result<Run>> {
  const boundary = `${action}.refusal`;
  const { runId } = run;
  return engine.database.commit(boundary, (transaction) => {
    const session = labelOf(engine, transaction);
    if (session === null || loadRun(transaction, runId) === undefined) return stateConflict(transaction, run);
    const event = { runId, type: 'tool_refused', action, detail: reason } as const;
    appendEvent(engine, transaction, boundary, session, event);
    return changeStatus(engine, transaction, `${boundary}.fail`, run, {
      status: 'failed',
      reserved: 'fail',
      event: { type: 'run_failed', action, detail: reason },
    });
  });
}

function left(stored: Result<Run>): Result<Results> {
  return stored.ok ? succeed({ type: 'left', run: stored.value }) : stored;
}
