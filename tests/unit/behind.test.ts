/** Holds lab/behind.ts and lab/calls-of-run.ts. */
import { expect, test } from 'vitest';
import type { ActionView, RunView } from '../../src/bridge/views.ts';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { behindRun, suggestionFor, surelyAhead } from '../../src/lab/behind.ts';
import { callsOfRun } from '../../src/lab/calls-of-run.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { lessonBoundary, triage } from '../../src/triage/workflow.ts';
import { suggestedBoundaryOf } from '../../src/triage/workflows.ts';
import { newLine } from '../support/received-call.ts';

const groups = boundariesOf(triage);

/** A run with this many actions done; `saved`: the next one's result is stored already. */
function standing(done: number, saved = false, workflow = triage): Pick<RunView, 'run' | 'actions'> {
  const actions = workflow.actions.map(({ name, tool, calls }, at): ActionView => {
    const state = at < done ? 'done' : at === done ? 'next' : 'ahead';
    return {
      name,
      usesTool: tool !== null || calls !== undefined,
      callsOutside: calls !== undefined,
      state,
      resultSaved: saved && at === done,
      version: null,
    };
  });
  const nextAction = workflow.actions[done]?.name ?? null;
  return {
    run: {
      rowid: 1,
      runId: 'run-T104',
      ticketId: 'T104',
      status: nextAction === null ? 'completed' : 'running',
      nextAction,
      version: done,
      contextJson: '{}',
    },
    actions,
  };
}

test('nothing is behind a run that is not started', () => {
  expect(behindRun(groups, null).size).toBe(0);
  expect(suggestionFor(lessonBoundary, null).boundary).toBe(lessonBoundary);
});

test('the start, and every boundary of an action that is done, are behind the run; a resume never is', () => {
  const behind = behindRun(groups, standing(2));
  expect(behind).toContain('start.durable');
  expect(behind).toContain('lookup_runbook.checkpoint.durable');
  expect(behind).not.toContain('resume.durable');
  expect(behind).not.toContain('draft_reply.tool.called');
});

test('a saved result puts its tool behind the run, and its reuse before it', () => {
  const behind = behindRun(groups, standing(1, true));
  expect(behind).toContain('lookup_runbook.tool.durable');
  expect(behind).not.toContain('lookup_runbook.reuse.begin');
});

test('every boundary is behind a completed run', () => {
  expect(behindRun(groups, standing(4)).size).toBe(groups.flatMap((group) => group.boundaries).length);
});

test('what is suggested is a boundary of the workflow that is not behind the run, or none', () => {
  const names = new Set(groups.flatMap((group) => group.boundaries.map(({ name }) => name)));
  for (const run of [
    null,
    standing(0),
    standing(1),
    standing(1, true),
    standing(2),
    standing(2, true),
    standing(3),
  ]) {
    const { boundary } = suggestionFor(lessonBoundary, run);
    expect(names).toContain(boundary);
    expect(behindRun(groups, run)).not.toContain(boundary);
  }
  expect(suggestionFor(lessonBoundary, standing(1)).boundary).toBe(lessonBoundary);
  expect(suggestionFor(lessonBoundary, standing(2)).boundary).toBe('draft_reply.tool.durable');
  expect(suggestionFor(lessonBoundary, standing(4)).boundary).toBeNull();
});

test('for Dispatch, the gap after each call’s answer is suggested, and a run that waits has it before it still', () => {
  const dispatchGroups = boundariesOf(dispatch);
  const names = new Set(dispatchGroups.flatMap((group) => group.boundaries.map(({ name }) => name)));
  const usual = suggestedBoundaryOf(dispatch);
  const suggested = [0, 1, 2, 3].map(
    (done) => suggestionFor(usual, standing(done, false, dispatch)).boundary,
  );
  expect(suggested).toEqual([usual, usual, usual, 'page_technician.call.answered']);
  for (const boundary of suggested) expect(names).toContain(boundary);

  const running = standing(3, false, dispatch);
  const waiting = { ...running, run: { ...running.run, status: 'waiting' } };
  for (const run of [running, waiting]) {
    expect(behindRun(dispatchGroups, run)).toContain('open_work_order.call.answered');
    expect(behindRun(dispatchGroups, run)).not.toContain('page_technician.call.answered');
  }
  const saved = behindRun(dispatchGroups, standing(3, true, dispatch));
  expect(saved).toContain('page_technician.call.answered');
  expect(saved).not.toContain('page_technician.reuse.begin');
});

test('the calls of a run are those whose key begins with its id and a colon', () => {
  const call = (number: number, key: string) => ({
    number,
    ...newLine({ key, tool: key.split(':')[1] ?? '' }),
  });
  const calls = [
    call(1, 'run-T104:lookup_runbook'),
    call(2, 'run-T104:lookup_runbook'),
    call(3, 'run-T104-2:lookup_runbook'),
  ];
  const effects = [
    {
      idempotencyKey: 'run-T104:lookup_runbook',
      toolName: 'lookup_runbook',
      resultJson: '{}',
    },
  ];
  const found = callsOfRun(calls, 'run-T104', effects);
  expect(found.own.map(({ time }) => time)).toEqual([1, 2]);
  expect(found.tools).toEqual([{ tool: 'lookup_runbook', received: 2, done: 2, recorded: 1, doubled: true }]);
  expect(found.others).toBe(1);
  expect(callsOfRun(calls, null, []).others).toBe(3);
});

test('a surprise is a boundary that the run is sure to come to, in its own time', () => {
  const all = boundariesOf(dispatch);
  const run = standing(2, false, dispatch);
  const ahead = surelyAhead(all, behindRun(all, run));
  expect(ahead).toContain('page_technician.claim.claimed');
  expect(
    ahead.filter((name) => /^(start|resume|classify_priority)\.|\.(reuse|doubt|wait|failure)\./.test(name)),
  ).toEqual([]);
  expect(surelyAhead(groups, behindRun(groups, standing(4)))).toEqual([]);
});
