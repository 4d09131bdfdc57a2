/** Holds effects.md, what may be called at all, and several calls of one action. */
import { beforeEach, describe, expect, test } from 'vitest';
import { jsonSchemaCheck } from '../../src/engine/argument-schema.ts';
import { resolveDoubt } from '../../src/engine/doubt.ts';
import { standardCheck } from '../../src/engine/tool.ts';
import { must } from '../support/lives.ts';
import type { Outside, WorkerOptions } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  done,
  failed,
  newOutside,
  startedIn,
  stepOf,
  storedIn,
  tamper,
  unknown,
  workerIn,
  workflowWith,
} from '../support/outside.ts';

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

const started = (options?: WorkerOptions) => startedIn(world, options);
const stored = () => storedIn(world);

describe('what may be called', () => {
  const refusedWith = async (options: WorkerOptions, context = {}) => {
    const worker = await startedIn(world, options, context);
    expect(must(await stepOf(worker)).status).toBe('failed');
    const { events, intents, violated } = await stored();
    expect(intents).toEqual([]);
    expect(world.calls).toEqual([]);
    expect(violated).toEqual([]);
    expect(events.map(({ eventType }) => eventType).slice(1)).toEqual([
      'tool_refused',
      'checkpoint_saved',
      'run_failed',
    ]);
    return events[1]?.detail;
  };

  test('a tool that the workflow does not name is not called: an event, no intent, a failed run', async () => {
    const workflows = [workflowWith([actTool({ name: 'other' })])];
    expect(await refusedWith({ workflows })).toBe('act: the workflow may not call it');
  });

  test('arguments that the tool’s JSON Schema refuses are told with their place', async () => {
    const check = jsonSchemaCheck({ type: 'object', properties: { order: { enum: ['tea', 'coffee'] } } });
    const workflows = [workflowWith([actTool({ check })])];
    expect(await refusedWith({ workflows }, { order: 'gold' })).toContain('/order: ');
  });

  test('of several calls one that may not be made keeps the others from being made', async () => {
    const check = ({ order }: Record<string, unknown>) => (order === 'gold' ? 'no gold' : null);
    const workflows = [workflowWith([actTool({ check })], { calls: callsOf(['a', 'tea'], ['b', 'gold']) })];
    expect(await refusedWith({ workflows })).toBe('act: no gold');
  });

  test('arguments that JSON cannot hold leave nothing behind', async () => {
    const calls = () =>
      ({ ok: true, value: [{ id: null, tool: 'act', arguments: { order: NaN } }] }) as const;
    const worker = await started({ workflows: [workflowWith([actTool()], { calls })] });
    expect(await stepOf(worker)).toMatchObject({
      failure: { type: 'JsonRefused', path: 'arguments.order' },
    });
    expect(await stored()).toMatchObject({ types: ['run_started'], intents: [] });
  });

  test('a key that was intended with other arguments, or for another tool, is not used', async () => {
    const crash = { arms: [{ boundary: 'work.intent.durable', every: false }] };
    const first = await started(crash);
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const other = await workerIn(world);
    const original = (await stored()).run.contextJson;
    await tamper(other, `UPDATE agent_runs SET context_json = '{"order":"gold"}'`);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    await tamper(other, 'UPDATE agent_runs SET context_json = ?', [original]);
    await tamper(other, `UPDATE tool_intents SET tool_name = 'other'`);
    expect(await stepOf(other)).toMatchObject({ failure: { type: 'KeyReused', differs: 'tool' } });
    expect(world.calls).toEqual([]);
  });

  test('stored arguments that were changed behind the engine’s back are not sent', async () => {
    const first = await started({ arms: [{ boundary: 'work.intent.durable', every: false }] });
    await expect(stepOf(first)).rejects.toThrow('simulated crash');
    first.die();
    const other = await workerIn(world);
    for (const json of ['{"order":"gold"}', '[]', 'no JSON']) {
      await tamper(other, 'UPDATE tool_intents SET arguments_json = ?', [json]);
      expect(await stepOf(other)).toMatchObject({ failure: { type: 'KeyReused', differs: 'arguments' } });
    }
    expect(world.calls).toEqual([]);
  });
});

describe('several calls of one action', () => {
  const two = { workflows: [workflowWith([actTool()], { calls: callsOf(['a', 'tea'], ['b', 'tea']) })] };

  test('each has a key of its own, and their results come by id', async () => {
    world.answers.push(done({ cup: 1 }), done({ cup: 2 }));
    const worker = await started(two);
    expect(must(await stepOf(worker)).contextJson).toBe('{"work":{"a":{"cup":1},"b":{"cup":2}}}');
    expect(world.calls.map(({ key }) => key)).toEqual(['run-T1:work/a', 'run-T1:work/b']);
    expect((await stored()).violated).toEqual([]);
  });

  test('one that is tried again does not hold up the others, nor are they called again', async () => {
    world.answers.push(failed(), done({ cup: 2 }), done({ cup: 1 }));
    const worker = await started(two);
    expect(must(await stepOf(worker))).toMatchObject({ status: 'running', version: 0 });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'AttemptNotDue', key: 'run-T1:work/a' } });
    world.clock.turnBy(1000);
    expect(must(await stepOf(worker)).contextJson).toBe('{"work":{"a":{"cup":1},"b":{"cup":2}}}');
    expect(world.calls.map(({ key }) => key.slice(-1))).toEqual(['a', 'b', 'a']);
  });

  test('two calls with one id are refused: the second would get the result of the first', async () => {
    const calls = callsOf(['a', 'tea'], ['a', 'tea']);
    const worker = await started({ workflows: [workflowWith([actTool()], { calls })] });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'ContextUnusable' } });
    expect(world.calls).toEqual([]);
  });

  test('an id that looks like a secret is refused: it would be part of a key', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const worker = await started({
      workflows: [workflowWith([actTool()], { calls: callsOf([secret, 'tea'], ['b', 'tea']) })],
    });
    expect(await stepOf(worker)).toMatchObject({ failure: { type: 'ContextUnusable' } });
    expect(world.calls).toEqual([]);
    expect(JSON.stringify(await stored())).not.toContain(secret);
  });

  test('a call in doubt does not stop its siblings, and they are not called again afterwards', async () => {
    const options = {
      workflows: [
        workflowWith([actTool({ safety: 'at-most-once' })], { calls: callsOf(['a', 'tea'], ['b', 'tea']) }),
      ],
    };
    world.answers.push(unknown(), done({ cup: 2 }));
    const worker = await started(options);
    expect(must(await stepOf(worker)).status).toBe('waiting');
    must(await resolveDoubt(worker.engine, 'run-T1:work/a', { type: 'result', result: { cup: 1 } }));
    expect(must(await stepOf(worker)).contextJson).toBe('{"work":{"a":{"cup":1},"b":{"cup":2}}}');
    expect(world.calls).toHaveLength(2);
  });
});

describe('a validator of another make', () => {
  const schema = (answer: unknown) => standardCheck({ '~standard': { validate: () => answer } });

  test.each([
    ['says that all is well', { value: {} }, null],
    ['has no issue', { issues: [] }, null],
    [
      'names what does not fit',
      { issues: [{ message: 'too hot' }, { message: 'too sweet' }] },
      'too hot; too sweet',
    ],
    ['gives no words', { issues: [42] }, 'unfit'],
    ['answers later', Promise.resolve({ value: {} }), 'the schema answers later than it is asked'],
  ])('that %s', (_, answer, reason) => {
    expect(schema(answer)({})).toBe(reason);
  });

  test('the JSON Schema check needs no eval, and tells the parts that do not fit', () => {
    const check = jsonSchemaCheck({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    });
    expect(check({ a: 'ok', b: 1 })).toBeNull();
    expect(check({ a: 'long' })).toContain('/a: ');
    expect(check({})).toContain('a');
    expect(check({ a: 'ok', c: 1 })).toContain('c');
    expect(check({ a: 'ok', b: 1.5 })).toContain('/b: ');
  });
});
