/**
 * Owns: the person of the explorer, who is asked when a run waits: they say yes to each call, and where a call is in doubt
 * they look in the desk's log: what it did is entered, what it did not is called again.
 */
import { approvalsOf, decideApproval } from '../engine/approvals.ts';
import { resolveDoubt } from '../engine/doubt.ts';
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import { intentsOf } from '../engine/intents.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Run } from '../engine/records.ts';
import type { Surroundings } from './world.ts';

export async function decide(engine: Engine, world: Surroundings, { runId }: Run): Promise<Result<Run>> {
  const { asked, doubted } = await engine.database.read((reader) => ({
    asked: approvalsOf(reader, runId).find(({ state }) => state === 'requested'),
    doubted: intentsOf(reader, runId).find(({ state }) => state === 'in_doubt'),
  }));
  if (asked) return decideApproval(engine, asked.approvalId, asked.argumentsHash, 'given');
  if (doubted === undefined) return fail({ type: 'RunNotRunning', runId, status: 'waiting' });
  const done = world.calls.find(({ key, work }) => key === doubted.key && work === 'done');
  if (done === undefined) return resolveDoubt(engine, doubted.key, { type: 'retry' });
  return resolveDoubt(engine, doubted.key, { type: 'result', result: JSON.parse(done.answer) as JsonObject });
}
