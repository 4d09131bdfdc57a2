import { expect, test } from 'vitest';
import { IdbConnection } from '../../src/storage/idb-connection.ts';
import { dispatchTools } from '../../src/triage/dispatch-tools.ts';
import { receiveCall } from '../../src/world/desk.ts';
import { DeskRules } from '../../src/world/desk-settings.ts';
import { callStores, idbCallLog } from '../../src/world/idb-call-log.ts';
import { callLogSuite } from '../contract/call-log.ts';
import { newStorageName } from '../support/browser-storage.ts';
import { newLine } from '../support/received-call.ts';
import { value } from '../support/result.ts';

const logNamed = (name: string) => idbCallLog(new IdbConnection(indexedDB, name, callStores));
callLogSuite('in IndexedDB', () => {
  const name = newStorageName();
  return [logNamed(name), logNamed(name), logNamed(name)];
});

const call = newLine({ lab: 'a' });

test('a line is there for whoever opens the log later', async () => {
  const name = newStorageName();
  value(await logNamed(name).append(call));
  expect(value(await logNamed(name).list('a'))).toEqual([{ ...call, number: 1 }]);
});

test('lines that a page stored before there were settings are read: their work was done, or was an error', async () => {
  const name = newStorageName();
  const older = (answerJson: string) => ({
    lab: 'a',
    key: 'run-T104:lookup_runbook',
    tool: 'lookup_runbook',
    argumentsJson: '{"area":"office"}',
    answerJson,
    receivedAtUtc: '2025-01-05T09:00:00.000Z',
  });
  const connection = new IdbConnection(indexedDB, name, callStores);
  value(
    await connection.write(callStores, (transaction) => {
      const store = transaction.objectStore('calls');
      store.add({ ...older('{"next_step":"error"}'), number: 1 }, 1);
      store.add({ ...older('{"error":"no runbook"}'), number: 2 }, 2);
    }),
  );
  const added = { destination: null, argumentsHash: null, reply: 'given' };
  const log = logNamed(name);
  expect(value(await log.list('a'))).toEqual([
    { ...older('{"next_step":"error"}'), ...added, number: 1, work: 'done' },
    { ...older('{"error":"no runbook"}'), ...added, number: 2, work: 'failed' },
  ]);
  const made = await log.appendAfter('a', (earlier) => ({
    line: call,
    value: earlier.map(({ work }) => work),
  }));
  expect(value(made)).toEqual({ number: 3, value: ['done', 'failed'] });
});

test('a log that was deleted under an open connection is opened again and goes on', async () => {
  const name = newStorageName();
  const log = logNamed(name);
  value(await log.append(call));
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = reject;
  });
  value(await log.append(call));
  expect(value(await log.list('a'))).toHaveLength(1);
});

test('the desks of several tabs do the work of one key once, and number what they do together', async () => {
  const name = newStorageName();
  const desks = Array.from({ length: 4 }, () => ({
    log: logNamed(name),
    clock: { now: () => '2026-01-05T09:00:00.000Z' },
    timer: { after: () => () => undefined },
    handlers: {},
    remote: dispatchTools(''),
    rules: new DeskRules(),
  }));
  const { signal } = new AbortController();
  const order = { ticket_id: 'T104', area: 'office', priority: 'low', next_step: 'look' };
  const open = (key: string) =>
    Promise.all(
      desks.map((desk) =>
        receiveCall(
          desk,
          'a',
          { key, tool: 'open_work_order', arguments: order, destination: null, scope: '' },
          signal,
        ),
      ),
    );
  const answers = [...(await open('x')), ...(await open('y'))];
  const workOrders = answers.map((answer) =>
    answer?.type === 'done' ? answer.result['work_order'] : answer,
  );
  expect(workOrders).toEqual([...desks.map(() => 'WO-1001'), ...desks.map(() => 'WO-1002')]);
  const lines = value(await logNamed(name).list('a'));
  expect(lines.map(({ work }) => work).filter((work) => work === 'done')).toHaveLength(2);
});
