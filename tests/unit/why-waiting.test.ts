/** Holds lab/why-waiting.ts, lab/due.ts and lab/call-stage.ts: why a run stands still, until when, and how far a call is. */
import { describe, expect, test } from 'vitest';
import type { Attempt, IntentView, RunView } from '../../src/bridge/views.ts';
import { actionsAhead, stageOf } from '../../src/lab/call-stage.ts';
import { notDueUntil, secondsUntil } from '../../src/lab/due.ts';
import { isOver, whyWaiting } from '../../src/lab/why-waiting.ts';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { triage } from '../../src/triage/workflow.ts';

const now = '2026-01-05T10:00:00.000Z';
const soon = '2026-01-05T10:00:02.500Z';
const runId = 'run-T104';

function attempt(fence: number, outcome: string | null, session = 'session-1'): Attempt {
  return {
    key: `${runId}:page_technician`,
    fence,
    worker: session,
    session,
    claimedAtUtc: now,
    leaseUntilUtc: '2026-01-05T10:00:20.000Z',
    outcome,
    detail: outcome === null ? null : 'no answer within 10 seconds',
  };
}

function intent(
  state: string,
  attempts: readonly Attempt[] = [],
  over: Partial<IntentView> = {},
): IntentView {
  const action = over.action ?? 'page_technician';
  return {
    rowid: 1,
    key: `${runId}:${action}`,
    runId,
    action,
    tool: action,
    scope: 'test',
    safety: 'at-most-once',
    argumentsJson: '{}',
    argumentsHash: 'hash',
    destination: null,
    state,
    failures: 0,
    nextAttemptAtUtc: null,
    attempts,
    approval: null,
    isOut: false,
    ...over,
  };
}

function standing(status: string, intents: readonly IntentView[], failed?: string) {
  const run: RunView['run'] = {
    rowid: 1,
    runId,
    ticketId: 'T104',
    status,
    nextAction: status === 'completed' ? null : 'page_technician',
    contextJson: '{}',
    version: 3,
  };
  const event = {
    rowid: 1,
    runId,
    sequence: 1,
    session: 'session-1',
    eventType: 'run_failed',
    action: 'page_technician',
    detail: failed ?? '',
    createdAtUtc: now,
  };
  return { run, intents, events: failed === undefined ? [] : [event] };
}

describe('why a run stands still', () => {
  test('one that goes on by a step waits for nothing', () => {
    expect(whyWaiting(standing('running', []), now)).toBeNull();
    expect(whyWaiting(standing('running', [intent('confirmed', [attempt(1, 'done')])]), now)).toBeNull();
    expect(whyWaiting(standing('running', [intent('pending')]), now)).toBeNull();
  });

  test('for each person’s decision that is asked for, by name', () => {
    const asks = [intent('waiting'), intent('waiting', [], { action: 'page_technician/b' })];
    expect(whyWaiting(standing('waiting', asks), now)).toBe(
      'The run waits for your yes or no to page_technician and page_technician/b.',
    );
    expect(whyWaiting(standing('waiting', [intent('in_doubt', [attempt(1, 'unknown')])]), now)).toBe(
      'The run waits for your word on page_technician: nobody knows whether it was done.',
    );
  });

  test('for the answer to a call that is out, and for a session that may still be at it', () => {
    const out = intent('pending', [attempt(1, null)], { isOut: true });
    expect(whyWaiting(standing('running', [out]), now)).toContain('the call is out, until');
    const elsewhere = intent('pending', [attempt(1, null, 'session-7')]);
    expect(whyWaiting(standing('running', [elsewhere]), now)).toContain('was claimed by session-7');
  });

  test('for the time of the next attempt, and no longer than that', () => {
    const again = intent('pending', [attempt(1, 'failed')], { nextAttemptAtUtc: soon });
    expect(whyWaiting(standing('running', [again]), now)).toMatch(/\(3 s\) .* attempt 2\.$/);
    expect(whyWaiting(standing('running', [again]), soon)).toBeNull();
  });

  test('a failed run tells its reason without the key that stands before it', () => {
    const failed = standing('failed', [], `${runId}:page_technician: no answer within 10 seconds`);
    expect(whyWaiting(failed, now)).toBe(
      'The run has failed in page_technician: no answer within 10 seconds.',
    );
    expect(whyWaiting(standing('failed', []), now)).toContain('do not say why');
  });
});

describe('until when a step would do nothing', () => {
  const later = '2026-01-05T10:00:09.000Z';
  const again = (dueAtUtc: string | null, action = 'page_technician') =>
    intent('pending', [attempt(1, 'failed')], { nextAttemptAtUtc: dueAtUtc, action });

  test('until the earliest attempt, when every call that is left waits for one', () => {
    expect(notDueUntil(standing('running', [again(later), again(soon, 'b')]))).toBe(soon);
    expect(secondsUntil(soon, now)).toBe(3);
  });

  test('not at all, when a call is due, is out, or was never sent, or the run waits for a person', () => {
    expect(notDueUntil(standing('running', [again(soon), again(null, 'b')]))).toBeNull();
    expect(
      notDueUntil(standing('running', [again(soon), intent('pending', [], { action: 'b' })])),
    ).toBeNull();
    expect(notDueUntil(standing('running', [intent('pending', [attempt(1, null)])]))).toBeNull();
    expect(notDueUntil(standing('waiting', [again(soon)]))).toBeNull();
    expect(notDueUntil(null)).toBeNull();
  });
});

describe('a failure that is not true any more', () => {
  const key = `${runId}:page_technician`;
  const held = { type: 'ClaimedElsewhere', key, session: 's', alive: true, leaseUntilUtc: now } as const;

  test('a claim that was told is over when that attempt is closed, or its run is not on screen', () => {
    expect(isOver(held, standing('running', [intent('pending', [attempt(1, null)])]))).toBe(false);
    expect(isOver(held, standing('running', [intent('confirmed', [attempt(1, 'done')])]))).toBe(true);
    expect(isOver(held, null)).toBe(true);
  });

  test('an attempt that was not due is over when it is due at another time; all else stays', () => {
    const notDue = { type: 'AttemptNotDue', key, dueAtUtc: soon } as const;
    const waits = intent('pending', [attempt(1, 'failed')], { nextAttemptAtUtc: soon });
    expect(isOver(notDue, standing('running', [waits]))).toBe(false);
    expect(isOver(notDue, standing('running', [{ ...waits, nextAttemptAtUtc: null }]))).toBe(true);
    expect(isOver({ type: 'ClaimLost', key }, null)).toBe(false);
  });
});

describe('how far a call is', () => {
  test.each([
    ['intended, not sent', intent('pending')],
    ['waits for a yes', intent('waiting')],
    ['out, attempt 2', intent('pending', [attempt(1, 'failed'), attempt(2, null)], { isOut: true })],
    ['claimed by session-1, attempt 1', intent('pending', [attempt(1, null)])],
    ['attempt 2 is next', intent('pending', [attempt(1, 'failed')])],
    ['in doubt', intent('in_doubt', [attempt(1, 'unknown')])],
    ['failed after 1 attempt', intent('failed', [attempt(1, 'failed')])],
    ['confirmed', intent('confirmed', [attempt(1, 'done')])],
    ['a word of another page', intent('a word of another page')],
  ])('%s', (words, one) => {
    expect(stageOf(one).words).toBe(words);
  });

  test('only a confirmed call has all four parts behind it', () => {
    const all = ['waiting', 'pending', 'in_doubt', 'failed', 'skipped', 'denied', 'confirmed'];
    const whole = all.filter((state) => stageOf(intent(state)).parts.every((part) => part === 'done'));
    expect(whole).toEqual(['confirmed']);
  });

  test('before there is a run, the actions are those of the workflow, with their tools', () => {
    const named = (workflow: typeof triage) =>
      actionsAhead({
        actions: workflow.actions.map(({ name }) => name),
        boundaries: boundariesOf(workflow),
      }).map(({ usesTool, callsOutside }) => (callsOutside ? 'outside' : usesTool ? 'tool' : 'none'));
    expect(named(triage)).toEqual(['none', 'tool', 'tool', 'none']);
    expect(named(dispatch)).toEqual(['none', 'outside', 'outside', 'outside', 'none']);
  });
});
