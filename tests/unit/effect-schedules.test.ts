/**
 * Random schedules of two workers on one run: whoever steps, dies, is slow or is decided by a person when, no at-most-once
 * call is made twice, and the run comes to its end. `SCHEDULES=1000` tries so many, with another seed each time.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fate, Move } from '../support/schedule.ts';
import { fates, Schedule } from '../support/schedule.ts';

const worker = fc.constantFrom(0, 1);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('step' as const), worker, fresh: fc.boolean() }) },
  { weight: 12, arbitrary: fc.record({ type: fc.constant('go' as const), worker }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('answer' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('die' as const), worker, arrives: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('time' as const), seconds: fc.constantFrom(2, 11, 25) }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'person' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'take over' as const }) },
);
const drawn: fc.Arbitrary<Fate[]> = fc.array(fc.constantFrom(...fates), { maxLength: 8 });

async function check(
  moves: readonly Move[],
  fatesOfCalls: readonly Fate[],
  hasLocks: boolean,
  canTell: boolean,
): Promise<void> {
  const schedule = await Schedule.begin(fatesOfCalls, hasLocks, canTell);
  const held = () => {
    const callsOf = (key: string) => schedule.calls.filter((call) => call.key === key).length;
    for (const { key, tool } of schedule.calls) {
      // Once, and once more for each definite failure and each word of a person.
      if (tool === 'page') expect(callsOf(key)).toBeLessThanOrEqual(1 + (schedule.allowed.get(key) ?? 0));
      if (tool !== 'look') expect(schedule.works.get(key)?.times ?? 0).toBeLessThanOrEqual(1);
    }
  };
  for (const one of moves) {
    await schedule.move(one);
    held();
  }
  await schedule.toTheEnd();
  held();
  const { run, effects, attempts, budgets, violated, intents } = await schedule.stored();
  expect(violated).toEqual([]);
  expect(effects.map((row) => row['idempotency_key']).sort()).toEqual(
    ['many/look', 'many/order', 'many/page', 'one'].map((action) => `run-T1:${action}`),
  );
  const resultOf = (action: string) => schedule.works.get(`run-T1:${action}`)?.result;
  expect(JSON.parse(run.contextJson)).toEqual({
    many: { look: resultOf('many/look'), order: resultOf('many/order'), page: resultOf('many/page') },
    one: resultOf('one'),
  });
  expect(budgets).toEqual({ tool_calls: [attempts.length, 1000] });
  for (const { key } of intents) {
    const fences = attempts.filter((attempt) => attempt.key === key).map(({ fence }) => fence);
    expect(fences).toEqual(fences.map((_, at) => at + 1));
  }
  expect(schedule.calls.length).toBeLessThanOrEqual(attempts.length);
}

const asked = process.env['SCHEDULES'];

test('two workers, whatever the schedule: nothing at-most-once twice, one result a key, and an end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 10, maxLength: 70 }),
      drawn,
      fc.boolean(),
      fc.boolean(),
      check,
    ),
    asked === undefined ? { seed: 6, numRuns: 60 } : { numRuns: Number(asked) },
  );
}, 600_000);
