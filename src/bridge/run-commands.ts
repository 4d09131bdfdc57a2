/**
 * Owns: the commands that work on runs: starting one, going on with it, a person's decisions on its calls, forking and
 * deleting.
 * Leaves: turns, refreshing and showing to lab-server.ts; the rules to engine/.
 */
import { decideApproval } from '../engine/approvals.ts';
import { loadRun } from '../engine/checkpoint.ts';
import { resolveDoubt, takeOver, tryNow } from '../engine/doubt.ts';
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import { deleteRuns } from '../engine/retention.ts';
import { step, takeUp } from '../engine/runner.ts';
import { adoptRun, startRun } from '../engine/start.ts';
import { retryRun } from '../engine/status.ts';
import type { Ticket } from '../triage/ticket.ts';
import { ticketToJson } from '../triage/ticket.ts';
import { workflows } from '../triage/workflows.ts';
import { fork } from './fork-command.ts';
import { dropUnreachable, readLabId } from './lab-storage.ts';
import type { OpenLab } from './open-lab.ts';
import type { Params } from './protocol.ts';
import type { EndTurn, Handlers } from './server.ts';
import type { LabView } from './views.ts';

/** What these commands ask of the server. */
export interface Turns {
  /** Takes in what other tabs wrote, then does the work, then shows the lab; or says why the work was not done. */
  shown(work: (lab: OpenLab) => Promise<Result<unknown>>): Promise<Result<LabView>>;
  /** This run is shown from now on. */
  select(runId: string): void;
  /** When a slow call leaves, the turn of the command that is at work ends so. */
  callLeaves(itsTurnEnds: EndTurn): void;
}

type RunCommand =
  | 'start'
  | 'resume'
  | 'step'
  | 'decide'
  | 'resolveDoubt'
  | 'tryNow'
  | 'takeOver'
  | 'retryRun'
  | 'adopt'
  | 'fork'
  | 'deleteRuns';

export function runCommands(
  tickets: readonly Ticket[],
  { shown, select, callLeaves }: Turns,
): Pick<Handlers, RunCommand> {
  /** Goes on with a run that is as it was seen; else nothing is done, and the conflict is told (R3). */
  function goOn(
    { runId, version }: Params<'step'>,
    work: (engine: Engine) => Promise<Result<unknown>>,
  ): Promise<Result<LabView>> {
    select(runId);
    return shown(async ({ engine }) => {
      const run = await engine.database.read((reader) => loadRun(reader, runId));
      if (run?.status === 'running' && run.version !== version) {
        return fail({ type: 'StateConflict', runId, expected: version, stored: run.version });
      }
      return work(engine);
    });
  }

  return {
    start: async ({ ticketId, workflow }) => {
      const ticket = tickets.find((candidate) => candidate.ticketId === ticketId);
      if (ticket === undefined) return fail({ type: 'TicketNotFound', ticketId });
      return shown(async ({ engine, storage, desk }) => {
        const wanted = workflows.find(({ name }) => name === workflow);
        const started = await startRun(engine, ticketId, { ticket: ticketToJson(ticket) }, wanted);
        if (!started.ok) return started;
        select(started.value.runId);
        // The run is durable. Room that can't be given back now is given back at the next start.
        await dropUnreachable(storage);
        await desk.keepOnly([await storage.database.read(readLabId)]);
        return started;
      });
    },
    resume: (params) => goOn(params, (engine) => takeUp(engine, params.runId)),
    step: (params, itsTurnEnds = () => undefined) =>
      goOn(params, (engine) => {
        callLeaves(itsTurnEnds);
        return step(engine, params.runId);
      }),
    decide: ({ approvalId, argumentsHash, decision }) =>
      shown(({ engine }) => decideApproval(engine, approvalId, argumentsHash, decision)),
    resolveDoubt: ({ key, resolution }) => shown(({ engine }) => resolveDoubt(engine, key, resolution)),
    tryNow: ({ key }) => shown(({ engine }) => tryNow(engine, key)),
    takeOver: ({ key, fence }) => shown(({ engine }) => takeOver(engine, key, fence)),
    retryRun: ({ runId, version, more }) => shown(({ engine }) => retryRun(engine, runId, version, more)),
    adopt: ({ runId }) => shown(({ engine }) => adoptRun(engine, runId)),
    fork: (params) =>
      shown(async ({ engine }) => {
        const forked = await fork(engine, params);
        if (forked.ok) select(forked.value.runId);
        return forked;
      }),
    deleteRuns: ({ runIds }) =>
      shown(async ({ engine, storage }) => {
        const deleted = await deleteRuns(engine, runIds);
        return deleted.ok && deleted.value > 0 ? storage.database.vacuum() : deleted;
      }),
  };
}
