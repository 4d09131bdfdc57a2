import type { NewLine } from '../../src/world/call-log.ts';

/** A line of the outside world's log: a call of the service desk whose work was done. */
export function newLine(over: Partial<NewLine> = {}): NewLine {
  return {
    lab: 'lab',
    key: 'run-T104:lookup_runbook',
    tool: 'lookup_runbook',
    destination: null,
    argumentsJson: '{}',
    argumentsHash: null,
    answerJson: '{}',
    receivedAtUtc: '2026-01-05T09:00:00.000Z',
    work: 'done',
    reply: 'given',
    ...over,
  };
}
