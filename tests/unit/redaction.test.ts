/** Holds R12: a planted secret is in no byte of what is stored, exported, logged or shown. */
import { beforeEach, describe, expect, test } from 'vitest';
import { readTables } from '../../src/bridge/lab-view.ts';
import { traceCsv } from '../../src/bridge/trace.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { resolveDoubt } from '../../src/engine/doubt.ts';
import { executeOnce } from '../../src/engine/execute-once.ts';
import { forkRun } from '../../src/engine/fork.ts';
import { invariantsOf } from '../../src/engine/invariants.ts';
import { redacted, redactMembers, redactText, secretMarker } from '../../src/engine/redaction.ts';
import { runToEnd, step } from '../../src/engine/runner.ts';
import { startRun } from '../../src/engine/start.ts';
import { dispatch } from '../../src/triage/dispatch.ts';
import { engineIn, linesOf, newWorld } from '../support/dispatch-lives.ts';
import { must, open, ticketContext } from '../support/lives.ts';
import type { Outside, Worker } from '../support/outside.ts';
import {
  actTool,
  callsOf,
  decide,
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
  workKey,
  workRun,
} from '../support/outside.ts';

/** One of each kind, made up here, and put together so that no scanner takes this file for a leak. */
const secrets: Readonly<Record<string, string>> = {
  'marked as one': `${secretMarker}q7Zk-2pLm`,
  'a key of a model’s provider': ['sk', 'ant', 'api03', 'q7Zk2pLmX9vB4nR8'].join('-'),
  'a key of a payment service': ['sk', 'live', 'q7Zk2pLmX9vB4nR8tY3w'].join('_'),
  'a token for models': ['hf', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('_'),
  'a token for fast models': ['gsk', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('_'),
  'a token of a code host': ['ghp', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('_'),
  'a fine-grained one': ['github_pat', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('_'),
  'a token of another code host': ['glpat', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('-'),
  'a token of a registry': ['npm', 'q7Zk2pLmX9vB4nR8tY3wA1'].join('_'),
  'a key of a cloud': ['AKIA', 'Q7ZK2PLMX9VB4NR8'].join(''),
  'a key of another cloud': ['AIza', 'q7Zk2pLmX9vB4nR8tY3wA1cD5eF6gH7iJ8k'].join(''),
  'a token of a chat': ['xoxb', '1234567890', 'q7Zk2pLmX9'].join('-'),
  'a JSON Web Token': ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'q7Zk2pLmX9vB4nR8'].join('.'),
  'a bearer’s header': ['Bearer', 'q7Zk2pLmX9vB4nR8tY3w'].join(' '),
  'a basic header': ['Basic', 'q7Zk2pLmX9vB4nR8tY3w=='].join(' '),
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\nq7Zk2pLmX9vB4nR8tY3w\n-----END RSA PRIVATE KEY-----`,
  'a private key that was cut off': `-----BEGIN PRIVATE KEY-----\nq7Zk2pLmX9vB4nR8tY3w`,
};
/** In every secret of the list, whatever is left of it. */
const cores = ['q7Zk', 'Q7ZK'];

describe('what looks like a secret', () => {
  const around = ['$', 'see $.', 'a\n$', 'a\t$\nb', 'a"$"b', 'x=$;', 'MY_$', '\u0007$', 'a\\n$', '{"k":"$"}'];

  test.each(Object.entries(secrets))(
    '%s is taken out, wherever it stands, in text and in JSON',
    (_, secret) => {
      for (const place of around) {
        const text = place.replace('$', () => secret);
        for (const left of [redactText(text), redactText(JSON.stringify({ text }))]) {
          expect(left).toContain(redacted);
          expect(left.includes('q7Zk') || left.includes('Q7ZK')).toBe(false);
        }
        expect(Object.keys(JSON.parse(redactText(JSON.stringify({ text, after: 1 }))))).toEqual([
          'text',
          'after',
        ]);
      }
    },
  );

  test('a marked one goes as a whole, also with what JSON escapes in it', () => {
    const text = `${secretMarker}a"q7Zk\\q7Zk`;
    expect(redactText(JSON.stringify([text, 'b']))).toBe(JSON.stringify([redacted, 'b']));
  });

  test.each([
    'task-1234567890123456789',
    'risk-assessment-of-the-cold-room',
    'basic training',
    'AKIA',
    'eyJ.eyJ',
  ])('what only looks alike stays: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('a declared member goes, whatever it holds and however deep it stands; others stay', () => {
    const value = { pin: 1234, a: { pin: ['x'], b: [{ pin: null, c: 1 }] }, pins: 'stays' };
    expect(redactMembers(value, ['pin'])).toEqual({
      pin: redacted,
      a: { pin: redacted, b: [{ pin: redacted, c: 1 }] },
      pins: 'stays',
    });
    expect(Object.keys(redactMembers(JSON.parse('{"__proto__":{"pin":1}}'), ['pin']))).toEqual(['__proto__']);
  });
});

let world: Outside;
beforeEach(async () => {
  world = await newOutside();
});

/** Everything that outlives a worker, or leaves it, as bytes. */
async function leftBehind({ database }: Worker): Promise<Buffer> {
  const bytes: Uint8Array[] = [await database.image()];
  const stored = must(await world.store.open());
  for (const { value } of stored?.pieces ?? []) if (value instanceof Uint8Array) bytes.push(value);
  for (const { value } of stored?.log ?? []) {
    bytes.push(Buffer.from(JSON.stringify(value)));
    const { changes } = value as { changes: Uint8Array };
    bytes.push(changes);
  }
  const shown = await database.read((reader) => {
    const engine = { workerId: 'nobody', workflows: [workflowWith()] };
    return JSON.stringify([traceCsv(reader, null), readTables(reader, engine, [], workRun)]);
  });
  return Buffer.concat([...bytes, Buffer.from(shown), Buffer.from('the end')]);
}

const isIn = (bytes: Buffer): string[] => cores.filter((core) => bytes.includes(core));

describe.each(Object.entries(secrets))('%s', (_, secret) => {
  const planted = { note: `a\n${secret}`, list: [{ deep: secret }], [`x ${secret}`]: 1 };

  test('in context, arguments, result, error, reason, doubt and what a person enters is in no byte', async () => {
    const tool = actTool({
      safety: 'at-most-once',
      attempts: 9,
      approval: () => `because of ${secret}`,
    });
    const workflows = [
      workflowWith([tool], {
        calls: () => ({ ok: true, value: [{ id: null, tool: 'act', arguments: { ...planted } }] }),
      }),
    ];
    const worker = await startedIn(world, { workflows }, { ticket: planted });
    must(await stepOf(worker));
    must(await decide(world, worker, 'given'));
    world.answers.push(failed(`down: ${secret}`), unknown(`cut: ${secret}`));
    must(await stepOf(worker));
    world.clock.turnBy(60_000);
    expect(must(await stepOf(worker)).status).toBe('waiting');
    must(await resolveDoubt(worker.engine, workKey, { type: 'retry' }));
    world.answers.push(unknown());
    must(await stepOf(worker));
    must(await resolveDoubt(worker.engine, workKey, { type: 'result', result: planted }));
    must(await runToEnd(worker.engine, workRun));
    must(await forkRun(worker.engine, workRun, 0, { edited: secret }));
    expect(isIn(await leftBehind(worker))).toEqual([]);
    expect(JSON.stringify(world.calls)).not.toContain(secret);
    expect((await storedIn(world)).violated).toEqual([]);
  });

  test('in what the desk is told and tells is in no line of its log', async () => {
    const desk = newWorld(world.store, {});
    const plan = new CrashPlan();
    const database = await open(world.parts, desk.store, plan, desk.clock);
    const engine = engineIn(desk, plan, database);
    const ticket = { ...ticketContext.ticket, issue: `broken\n${secret}`, area: secret };
    const run = must(await startRun(engine, `T104`, { ticket }, dispatch));
    expect(must(await runToEnd(engine, run.runId)).status).toBe('failed');
    const lines = JSON.stringify(await linesOf(desk));
    expect(lines).toContain('request_runbook');
    expect(isIn(Buffer.from(lines))).toEqual([]);
    expect(isIn(Buffer.from(await database.image()))).toEqual([]);
    await database.close();
  });
});

describe('a member that the tool declares secret', () => {
  const pin = 'q7Zk-pin';
  const options = {
    workflows: [
      workflowWith([actTool({ safety: 'at-most-once', secrets: ['pin'] })], {
        calls: () => ({
          ok: true,
          value: [{ id: null, tool: 'act', arguments: { order: 'tea', pin, more: { pin } } }],
        }),
      }),
    ],
  };

  test('is in no byte, of the arguments and of the result', async () => {
    world.answers.push(done({ cup: 1, pin, more: [{ pin }] }));
    const worker = await startedIn(world, options);
    const run = must(await runToEnd(worker.engine, workRun));
    expect(run.contextJson).toBe(`{"work":{"cup":1,"more":[{"pin":"${redacted}"}],"pin":"${redacted}"}}`);
    expect(isIn(await leftBehind(worker))).toEqual([]);
  });

  test('is in no byte when a person enters the result, or the other side tells it when asked', async () => {
    world.answers.push(unknown());
    const worker = await startedIn(world, options);
    must(await stepOf(worker));
    must(await resolveDoubt(worker.engine, workKey, { type: 'result', result: { pin, more: { pin } } }));
    must(await runToEnd(worker.engine, workRun));
    expect(isIn(await leftBehind(worker))).toEqual([]);
  });
});

test('a tool of the saved-result path gives on what is saved, and tells its errors without secrets', async () => {
  const secret = secrets['a token of a code host'] ?? '';
  const worker = await startedIn(world);
  const { run } = await storedIn(world);
  world.answers.push(failed(`no: ${secret}`), done({ token: secret }));
  const execute = () => executeOnce(worker.engine, run, 'look', 'act', {});
  expect(await execute()).toMatchObject({ failure: { type: 'ToolFailed', reason: `no: ${redacted}` } });
  expect(must(await execute())).toEqual({ token: redacted });
});

test('a ticket whose number looks like a secret can be worked on all the same', async () => {
  const worker = await workerIn(world);
  const run = must(await startRun(worker.engine, secrets['marked as one'] ?? '', {}));
  expect(must(await step(worker.engine, run.runId)).version).toBe(1);
  expect(isIn(await leftBehind(worker))).toEqual([]);
});

describe('I8', () => {
  /** Every column of every table that holds text, and what must be put there for a row to be there at all. */
  test('sees a secret in each text of each table', async () => {
    const tool = actTool({ approval: () => 'Shall it?' });
    const options = {
      workflows: [workflowWith([tool], { calls: callsOf(['a', 'tea']), budgets: { steps: 9 } })],
    };
    const worker = await startedIn(world, options);
    must(await stepOf(worker));
    must(await decide(world, worker, 'given'));
    must(await runToEnd(worker.engine, workRun));
    const [i8] = invariantsOf(options.workflows, []).filter(({ id }) => id === 'I8');
    const { parts } = world;
    const image = await worker.database.image();
    const missed: string[] = [];
    let columns = 0;
    const scratch = parts.sqlite.openScratch(image);
    scratch.exec(`INSERT INTO run_numbers VALUES ('T9', 1); INSERT INTO touched_runs VALUES ('r', 't')`);
    scratch.exec(`INSERT INTO threads VALUES ('t', 1, '{}'); INSERT INTO thread_tombstones VALUES ('t', 1)`);
    scratch.exec(`INSERT INTO quarantined_threads VALUES (1, 't', '{')`);
    const all = scratch.exec(
      `SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.type = 'TEXT' AND t.name NOT IN ('schema_migrations', 'lab')`,
    )[0]?.values;
    for (const [table, column] of all ?? []) {
      columns += 1;
      scratch.exec(`SAVEPOINT one; UPDATE ${String(table)} SET ${String(column)} = '${secretMarker}x'`);
      const rows = scratch.exec(i8?.sql ?? '', [...(i8?.values ?? [])])[0]?.values ?? [];
      if (!rows.some(([part]) => part === table)) missed.push(`${String(table)}.${String(column)}`);
      scratch.exec('ROLLBACK TO one; RELEASE one');
    }
    scratch.close();
    expect(missed).toEqual([]);
    expect(columns).toBeGreaterThan(50);
  });

  test('sees one that came in with a file', async () => {
    const worker = await startedIn(world);
    await tamper(worker, `UPDATE agent_runs SET context_json = '{"a":"' || 'crashpoint' || '-secret:x"}'`);
    expect((await storedIn(world)).violated).toEqual(['I8']);
  });
});
