/**
 * Owns: the service desk and lines of its log, as tests want them: with the lesson's and Dispatch's own tools, and
 * time whose hands the test turns.
 */
import { readFileSync } from 'node:fs';
import type { Timer } from '../../src/engine/ports.ts';
import { dispatchTools } from '../../src/triage/dispatch-tools.ts';
import { triageTools } from '../../src/triage/tools.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import type { Desk } from '../../src/world/desk.ts';
import { DeskRules } from '../../src/world/desk-settings.ts';
import { steppingClock } from './lives.ts';

const runbooks = readFileSync('static/runbooks.csv', 'utf8');

/** A kind desk with an empty log. */
export function newDesk(over: Partial<Desk> = {}): Desk {
  return {
    log: memoryCallLog(),
    handlers: triageTools(runbooks),
    remote: dispatchTools(runbooks),
    rules: new DeskRules(),
    clock: steppingClock(),
    timer: handTimer(),
    ...over,
  };
}

export interface HandTimer extends Timer {
  /** How long each wait that is under way still has to last, shortest first. */
  readonly waits: number[];
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): void;
}

export function handTimer(): HandTimer {
  let pending: { left: number; readonly then: () => void }[] = [];
  return {
    get waits() {
      return pending.map(({ left }) => left).sort((one, other) => one - other);
    },
    after: (milliseconds, then) => {
      const wait = { left: milliseconds, then };
      pending.push(wait);
      return () => {
        pending = pending.filter((other) => other !== wait);
      };
    },
    pass: (milliseconds) => {
      for (const wait of pending) wait.left -= milliseconds;
      const over = pending.filter(({ left }) => left <= 0);
      pending = pending.filter(({ left }) => left > 0);
      for (const { then } of over) then();
    },
  };
}
