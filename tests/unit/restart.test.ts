import { describe, expect, test } from 'vitest';
import type { LabView, RunView } from '../../src/bridge/views.ts';
import { effectRecords, eventMark, runRecord } from '../../src/lab/changes.ts';
import type { Kept, LastCrash } from '../../src/lab/kept.ts';
import { belongsTo, restartAfter, restartSeenIn } from '../../src/lab/restart.ts';
import type { Restart, RestartFacts } from '../../src/lab/restart.ts';
import { outsideSentences, planSentence } from '../../src/lab/restart-sentences.ts';
import { newLine } from '../support/received-call.ts';

interface Stand {
  readonly runId?: string;
  readonly status?: string;
  readonly version?: number;
  /** Of its events, in order. */
  readonly sessions?: readonly number[];
}

function runOf({ runId = 'run-T104', status = 'running', version = 1, sessions = [1, 1] }: Stand): RunView {
  const nextAction = status === 'running' ? 'lookup_runbook' : null;
  return {
    run: { rowid: 1, runId, ticketId: 'T104', status, nextAction, contextJson: '{}', version },
    events: sessions.map((session, at) => ({
      rowid: at + 1,
      runId,
      sequence: at + 1,
      session: `session-${session}`,
      eventType: 'checkpoint_saved',
      action: 'classify_priority',
      detail: '',
      createdAtUtc: '2026-01-05T10:00:00.000Z',
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
    resumes: true,
  };
}

function viewOf(selected: RunView | null, part: Partial<LabView> = {}): LabView {
  const runs = selected === null ? [] : [selected.run];
  return {
    serial: 1,
    tickets: [],
    ticketsLine: '',
    outageLimitMinutes: 45,
    runs,
    finished: [],
    touched: [],
    reached: [],
    workflows: [],
    parents: {},
    counts: { runs: runs.length, events: 0, effects: 0 },
    selected,
    invariants: [],
    lastCommit: null,
    session: null,
    calls: [],
    worldFailure: null,
    boundaries: [],
    suggestedBoundary: 'lookup_runbook.tool.durable',
    storage: { kind: 'indexeddb', generation: 3, bytes: 4096, savedAtUtc: null, readOnly: null },
    undo: null,
    versions: { sqlite: '', sqljs: '' },
    ...part,
  };
}

const nothingKept: Kept = {
  arms: [],
  lastCrash: null,
  selectedRunId: null,
  ticketWithoutRun: null,
  autoResumes: null,
  goesOn: null,
  askedToPersist: false,
};
const crash: LastCrash = {
  boundary: null,
  atUtc: '2026-01-05T10:00:00.000Z',
  session: null,
  runId: null,
  starting: null,
};

function after(view: LabView, kept: Partial<Kept> = {}, part: Partial<RestartFacts> = {}): Restart | null {
  return restartAfter({
    view,
    kept: { ...nothingKept, ...kept },
    after: null,
    sameVisit: true,
    resumeAutomatically: true,
    predictFirst: false,
    ...part,
  });
}

function found(part: Partial<RestartFacts> = {}): Restart {
  const restart = after(viewOf(runOf({})), {}, part);
  if (restart === null) throw new Error('an unfinished run was not found');
  return restart;
}

describe('the card after a restart', () => {
  test('an unfinished run counts down, and a finished one needs no card', () => {
    expect(found().plan).toEqual({ type: 'countdown', seconds: 5 });
    expect(after(viewOf(runOf({ status: 'completed', version: 4 })))).toBeNull();
  });

  test('a run that waits for a person, or has failed, asks nothing; after a crash it is said what it is', () => {
    for (const [status, plan] of [
      ['waiting', 'waits-for-person'],
      ['failed', 'has-failed'],
    ] as const) {
      const view = viewOf(runOf({ status }));
      expect(after(view)).toBeNull();
      const restart = after(view, { lastCrash: crash });
      expect(restart?.plan.type).toBe(plan);
      expect(restart && planSentence(restart.plan)).toContain('below');
      expect(restart && restartSeenIn(restart, view)).toBe(restart);
    }
  });

  test('a crash before the second run of a ticket was saved leaves nothing to resume of it', () => {
    const starting = { ticketId: 'T104', runs: 1 };
    const restart = after(viewOf(runOf({ status: 'completed', version: 4 })), {
      lastCrash: { ...crash, boundary: 'start.committed', starting },
    });
    expect(restart).toMatchObject({ ticketId: 'T104', stored: null, plan: { type: 'nothing-stored' } });
    expect(restart && planSentence(restart.plan)).toContain('before the run was saved');
  });

  test('a crash with a ticket on screen that has no run says that none was under way', () => {
    const restart = after(viewOf(runOf({})), { lastCrash: crash, ticketWithoutRun: 'T102' });
    expect(restart).toMatchObject({ ticketId: 'T102', stored: null, plan: { type: 'none-under-way' } });
  });

  test('a run that is not on screen, for a ticket without a run is, never resumes by itself', () => {
    const restart = after(viewOf(runOf({})), { ticketWithoutRun: 'T102' });
    expect(restart?.plan).toEqual({ type: 'asks', why: 'look-first' });
  });

  test('a chosen ticket that has a run by now is no ticket without a run', () => {
    expect(after(viewOf(runOf({})), { ticketWithoutRun: 'T104' })?.plan.type).toBe('countdown');
  });
});

describe('where the card is shown', () => {
  test('a card about a run is shown with that run only', () => {
    expect(belongsTo(found(), 'run-T104', 'T104')).toBe(true);
    expect(belongsTo(found(), 'run-T104-2', 'T104')).toBe(false);
    expect(belongsTo(found(), null, 'T104')).toBe(false);
  });

  test('a card about a ticket without a run is shown with that ticket', () => {
    const restart = after(viewOf(null), { lastCrash: crash, ticketWithoutRun: 'T102' });
    expect(restart && belongsTo(restart, null, 'T102')).toBe(true);
    expect(restart && belongsTo(restart, null, 'T104')).toBe(false);
  });
});

describe('a run that another tab works on', () => {
  const waiting = found({ sameVisit: false });

  test('nothing new leaves the offer as it is', () => {
    expect(restartSeenIn(waiting, viewOf(runOf({})))).toBe(waiting);
  });

  test('an event of another session withdraws the offer and names that session', () => {
    const seen = restartSeenIn(waiting, viewOf(runOf({ sessions: [1, 1, 3] })));
    expect(seen?.plan).toEqual({ type: 'taken-up-elsewhere', session: 'session-3' });
  });

  test('the session that began it, still at work in another tab, withdraws the offer too', () => {
    const seen = restartSeenIn(waiting, viewOf(runOf({ version: 2, sessions: [1, 1, 1] })));
    expect(seen?.plan).toEqual({ type: 'taken-up-elsewhere', session: 'session-1' });
  });

  test('a run that it completed is finished in another tab', () => {
    const completed = runOf({ status: 'completed', version: 4, sessions: [1, 1, 1] });
    expect(restartSeenIn(waiting, viewOf(completed))?.plan.type).toBe('finished-elsewhere');
  });

  test('what this session does itself is not another tab’s', () => {
    const own = viewOf(runOf({ version: 2, sessions: [1, 1, 2] }), { session: 'session-2' });
    expect(restartSeenIn(waiting, own)).toBe(waiting);
  });

  test('one that this session has taken up is resumed, also before its step has come to an end', () => {
    const run = runOf({ sessions: [1, 1, 2] });
    const events = run.events.map((event) =>
      event.sequence === 3 ? { ...event, eventType: 'run_resumed' } : event,
    );
    const seen = restartSeenIn(waiting, viewOf({ ...run, events }, { session: 'session-2' }));
    expect(seen?.plan.type).toBe('resumed');
  });

  test('one that it brought to a person’s decision waits for that, and nothing is offered here', () => {
    const seen = restartSeenIn(
      waiting,
      viewOf(runOf({ status: 'waiting', version: 3, sessions: [1, 1, 3] })),
    );
    expect(seen?.plan.type).toBe('waits-for-person');
  });

  test('a run that was reset there has no card', () => {
    expect(restartSeenIn(waiting, viewOf(null))).toBeNull();
  });
});

describe('what the last commit changed', () => {
  const changes = [
    { table: 'agent_runs', rowid: 1, operation: 'update' },
    { table: 'agent_events', rowid: 2, operation: 'insert' },
  ] as const;
  const before = viewOf(runOf({ version: 0, sessions: [1] }));
  const now = runOf({ version: 1, sessions: [1, 1] });

  test('its rows are marked, and a changed cell tells what it held', () => {
    const view = viewOf(now, { lastCommit: { boundary: 'classify_priority.checkpoint', changes } });
    expect(now.events.map((event) => eventMark(event, view))).toEqual([null, 'added']);
    const record = runRecord(view, before);
    expect(record?.mark).toBe('changed');
    expect(record?.cells.filter((cell) => 'old' in cell)).toEqual([{ column: 'version', value: 1, old: 0 }]);
  });

  test('nothing is marked after opening, a reset, an import or an undo, whatever was on screen before', () => {
    for (const lastCommit of [null, { boundary: 'undo', changes: [] }]) {
      const view = viewOf(now, { lastCommit });
      expect(now.events.map((event) => eventMark(event, view))).toEqual([null, null]);
      const record = runRecord(view, before);
      expect(record?.mark).toBeNull();
      expect(record?.cells.some((cell) => 'old' in cell)).toBe(false);
      expect(effectRecords(view, before)).toEqual([]);
    }
  });
});

describe('what happened outside more often than it is recorded', () => {
  const call = (number: number, key: string) => ({
    number,
    ...newLine({ key }),
  });
  const effect = { idempotencyKey: 'run-T104:lookup_runbook', toolName: 'lookup_runbook', resultJson: '{}' };

  test('a second call under one key is told beside its one result', () => {
    const calls = [1, 2].map((number) => call(number, 'run-T104:lookup_runbook'));
    expect(outsideSentences('run-T104', [effect], calls)).toEqual([
      'The outside world was called twice for lookup_runbook; one result is recorded.',
    ]);
  });

  test('a call whose result is recorded, and another run’s calls, are not told', () => {
    const calls = [call(1, 'run-T104:lookup_runbook'), call(2, 'run-T104-2:lookup_runbook')];
    expect(outsideSentences('run-T104', [effect], calls)).toEqual([]);
  });

  test('a call without a result is told as such', () => {
    expect(outsideSentences('run-T104', [], [call(1, 'run-T104:lookup_runbook')])).toEqual([
      'The outside world was called once for lookup_runbook; no result is recorded yet.',
    ]);
  });
});
