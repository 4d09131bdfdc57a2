/** Owns: the list of moves of a race, and changing it: a worker's own moves keep their order. Pure. */
import type { Move, RaceMove, RacerName } from '../../bridge/experiment-client.ts';

const moves: readonly Move[] = ['load', 'check', 'call', 'save'];

/** Both load, both check, both call, both save. */
export const overlapping: readonly RaceMove[] = moves.flatMap((move) => [
  { racer: 'A', move } as const,
  { racer: 'B', move } as const,
]);

/** The move at `index` changes places with the one beside it. Unchanged where that is the same worker's, or played. */
export function shifted(
  schedule: readonly RaceMove[],
  played: number,
  index: number,
  by: -1 | 1,
): readonly RaceMove[] {
  const [one, other] = [schedule[index], schedule[index + by]];
  if (!one || !other || one.racer === other.racer || Math.min(index, index + by) < played) return schedule;
  return schedule.with(index, other).with(index + by, one);
}

/** The worker does this move now, before all that are left; where it is not on the list, it comes onto it. */
export function broughtForward(
  schedule: readonly RaceMove[],
  played: number,
  racer: RacerName,
  move: Move,
): readonly RaceMove[] {
  const [done, left] = [schedule.slice(0, played), schedule.slice(played)];
  const at = left.findIndex((one) => one.racer === racer && one.move === move);
  return [...done, { racer, move }, ...(at < 0 ? left : left.toSpliced(at, 1))];
}

/** The worker begins again: it loads now, and its other moves come after all that are left. */
export function loadedAgain(
  schedule: readonly RaceMove[],
  played: number,
  racer: RacerName,
): readonly RaceMove[] {
  const left = schedule.slice(played).filter((one) => one.racer !== racer);
  const [load, ...others] = moves.map((move) => ({ racer, move }));
  return [...schedule.slice(0, played), ...(load ? [load] : []), ...left, ...others];
}
