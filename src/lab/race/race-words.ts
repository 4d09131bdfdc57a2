/** Owns: what the moves of a race and its 70 orders come to, in words and numbers. Pure. */
import type { Did, OrderOutcome, RacerName, RaceTrace } from '../../bridge/experiment-client.ts';
import type { Failure } from '../../engine/failure.ts';

/** "A load: version 1, next lookup_runbook" */
export function moveInWords(move: RaceTrace['moves'][number]): string {
  return `${move.racer} ${move.move}: ${didInWords(move.did)}`;
}

/** What a move came to. */
export function didInWords(did: Did): string {
  switch (did.type) {
    case 'loaded':
      return `version ${did.version}, next ${did.action}`;
    case 'checked':
      return did.saved ? `a result is saved under the key` : `no result under the key`;
    case 'claimed':
      return `the call is claimed, durably`;
    case 'called':
      return did.kept
        ? `the runbook was called, its result saved`
        : `called; a result was saved already, this one is not kept`;
    case 'reused':
      return `no call, the saved result is reused`;
    case 'saved':
      return `version ${did.version} is stored`;
    case 'stopped':
      return `${stopInWords(did.failure)}`;
    case 'nothing':
      return `nothing to do`;
  }
}

function stopInWords(failure: Failure): string {
  if (failure.type === 'StateConflict') {
    return `CONFLICT, expected version ${failure.expected}, found ${failure.stored ?? 'none'}`;
  }
  return failure.type === 'ClaimedElsewhere'
    ? 'turned away, the other worker has claimed the call'
    : failure.type;
}

/** Why the worker stopped, and has not loaded again since: its moves after that have nothing to do. Null: it has not. */
export function stopOf(moves: RaceTrace['moves'], racer: RacerName): Failure | null {
  const last = moves.findLast((one) => one.racer === racer && one.did.type !== 'nothing')?.did;
  return last?.type === 'stopped' ? last.failure : null;
}

export interface OrdersCount {
  readonly orders: number;
  readonly conflicts: number;
  readonly duplicates: number;
  readonly calledTwice: number;
  readonly turnedAway: number;
}

export function countOrders(outcomes: readonly OrderOutcome[]): OrdersCount {
  const where = (test: (one: OrderOutcome) => boolean) => outcomes.filter(test).length;
  return {
    orders: outcomes.length,
    conflicts: where(({ conflicts }) => conflicts > 0),
    duplicates: where(({ duplicate }) => duplicate),
    calledTwice: where(({ calls }) => calls > 1),
    turnedAway: where(({ turnedAway }) => turnedAway > 0),
  };
}

/** "conflict, called twice" */
export function outcomeInWords({ conflicts, duplicate, calls, turnedAway }: OrderOutcome): string {
  const said = [
    ...(duplicate ? ['one version saved twice'] : []),
    ...(conflicts > 0 ? ['conflict'] : []),
    ...(turnedAway > 0 ? ['turned away by the claim'] : []),
    calls === 1 ? 'runbook called once' : `runbook called ${calls} times`,
  ];
  return said.join(', ');
}

/** Orders of the same outcome together, the most frequent first. */
export function grouped(outcomes: readonly OrderOutcome[]): [words: string, orders: OrderOutcome[]][] {
  const groups = new Map<string, OrderOutcome[]>();
  for (const one of outcomes) {
    const words = outcomeInWords(one);
    groups.set(words, [...(groups.get(words) ?? []), one]);
  }
  return [...groups].toSorted(([, one], [, other]) => other.length - one.length);
}
