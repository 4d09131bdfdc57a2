/** Holds lab/guide-progress.ts: the guide follows one run and keeps what was reached. */
import { expect, test } from 'vitest';
import type { RunView } from '../../src/bridge/views.ts';
import {
  beginning,
  begunAgain,
  detourFor,
  observed,
  progressFrom,
  type Progress,
} from '../../src/lab/guide-progress.ts';
import { guideSteps, type GuideFacts } from '../../src/lab/guide-steps.ts';

const lesson = 'lookup_runbook.tool.durable';

function runView(runId: string, version: number, sessions: readonly string[], ticketId = 'T104'): RunView {
  const completed = version === 4;
  return {
    run: {
      rowid: 1,
      runId,
      ticketId,
      status: completed ? 'completed' : 'running',
      nextAction: completed ? null : 'lookup_runbook',
      version,
      contextJson: '{}',
    },
    events: sessions.map((session, at) => ({
      rowid: at + 1,
      runId,
      sequence: at + 1,
      session,
      eventType: at > 0 && sessions[at - 1] !== session ? 'run_resumed' : 'checkpoint_saved',
      action: 'lookup_runbook',
      detail: '',
      createdAtUtc: '',
    })),
    workflow: 'triage',
    intents: [],
    budgets: [],
    parent: null,
    history: [],
    effects: [],
    actions: [],
    report: [],
    obstacle: null,
    resumes: false,
  };
}

function factsOf(run: RunView | null, part: Partial<GuideFacts> = {}): GuideFacts {
  return {
    run,
    runIds: run === null ? [] : [run.run.runId],
    arms: [],
    interrupted: false,
    suggestedBoundary: lesson,
    walked: false,
    ...part,
  };
}

const reached = (progress: Progress): number => progress.ticks.filter(Boolean).length;
const halfWay = observed(beginning, factsOf(runView('run-T104', 1, ['session-1', 'session-1'])));

test('the guide takes up the first run of its ticket, and no run of another', () => {
  expect(observed(beginning, factsOf(runView('run-T101', 0, ['session-1'], 'T101')))).toBe(beginning);
  expect(observed(beginning, factsOf(runView('run-T104', 0, ['session-1'])))).toMatchObject({
    runId: 'run-T104',
    ticks: [true, false, false, false, false, false],
  });
});

test('ticks stay while nothing is open and while another run is shown', () => {
  expect(observed(halfWay, factsOf(null, { runIds: null }))).toBe(halfWay);
  const other = runView('run-T104-2', 4, ['session-1', 'session-1', 'session-2', 'session-2']);
  const shown = factsOf(other, { runIds: ['run-T104', 'run-T104-2'], walked: true });
  expect(observed(halfWay, shown)).toBe(halfWay);
  expect(detourFor(2, halfWay, shown)).toMatchObject({ way: 'show' });
});

test('an arm counts while the run of the guide is shown, and stays counted when it is taken off', () => {
  const run = runView('run-T104', 1, ['session-1', 'session-1']);
  const armed = observed(halfWay, factsOf(run, { arms: [{ boundary: lesson, every: false }] }));
  expect(reached(armed)).toBe(3);
  expect(observed(armed, factsOf(run))).toBe(armed);
});

test('the trace is ticked when the run is completed by two sessions and the cursor was moved', () => {
  const run = runView('run-T104', 4, ['session-1', 'session-1', 'session-2', 'session-2']);
  const completed = observed(halfWay, factsOf(run));
  expect(reached(completed)).toBe(5);
  expect(detourFor(5, completed, factsOf(run))).toBeNull();
  expect(reached(observed(completed, factsOf(run, { walked: true })))).toBe(6);
});

test('a run that is gone is let go and its ticks are kept; the next run is taken up', () => {
  const gone = observed(halfWay, factsOf(null));
  expect(gone).toMatchObject({ runId: null, ticks: halfWay.ticks });
  expect(detourFor(2, gone, factsOf(null))).toMatchObject({ way: 'start' });
  expect(observed(gone, factsOf(runView('run-T104', 0, ['session-1'])))).toMatchObject({ runId: 'run-T104' });
});

test('from the beginning forgets the ticks and takes up no run of before', () => {
  const run = runView('run-T104', 1, ['session-1', 'session-1']);
  const anew = begunAgain(factsOf(run));
  expect(observed(anew, factsOf(run))).toBe(anew);
  expect(detourFor(0, anew, factsOf(run))).toMatchObject({ way: 'start' });
  const next = factsOf(runView('run-T104-2', 0, ['session-2']), { runIds: ['run-T104', 'run-T104-2'] });
  expect(observed(anew, next)).toMatchObject({ runId: 'run-T104-2' });
  // After a reset the first run has its old name again.
  const emptied = observed(anew, factsOf(null));
  expect(observed(emptied, factsOf(run))).toMatchObject({ runId: 'run-T104' });
});

test('a run that is past the lookup, or finished, leads to another one', () => {
  const past = factsOf(runView('run-T104', 2, ['session-1', 'session-1']));
  expect(detourFor(2, observed(halfWay, past), past)).toMatchObject({ way: 'start' });
  const finished = factsOf(runView('run-T104', 4, ['session-1', 'session-1']));
  expect(detourFor(5, observed(halfWay, finished), finished)).toMatchObject({ way: 'start' });
});

test('whatever was stored, the progress comes out valid', () => {
  for (const stored of [undefined, null, 7, { at: 99, ticks: 'all', runId: 3, passedOver: [1, 'a'] }]) {
    expect(progressFrom(stored)).toMatchObject({ at: 0, runId: null, ticks: beginning.ticks });
  }
  expect(progressFrom(structuredClone(halfWay))).toEqual(halfWay);
});

test('a prediction that waits for the crash is judged by the step after it', () => {
  expect(guideSteps.findIndex((step) => step.judgedLater)).toBe(2);
  expect(guideSteps.at(-1)?.judgedLater).toBeUndefined();
});
