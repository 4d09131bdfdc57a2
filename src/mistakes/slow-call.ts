/** Owns: mistake E6, a slow call inside the transaction: two workers in the model of locks.ts, one turn each. */
import { oneWriterAtATime, type Attempt, type Turn } from './locks.ts';

export const callTakes = 2000;
export const writeTakes = 10;
export const busyTimeout = 1000;
/** The second worker begins this much later. */
export const headStart = 50;

/** `inside`: the mistake. The lock is held for as long as the model thinks. */
export function slowCall(inside: boolean): readonly Attempt[] {
  const worker = (begins: number) => {
    const turns: Turn[] = [
      inside
        ? { before: begins, holds: callTakes + writeTakes }
        : { before: begins + callTakes, holds: writeTakes },
    ];
    return () => turns.shift() ?? null;
  };
  return oneWriterAtATime([worker(0), worker(headStart)], busyTimeout);
}
