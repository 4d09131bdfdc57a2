import { expect, test } from 'vitest';
import { IdbConnection } from '../../src/storage/idb-connection.ts';
import { callStores, idbCallLog } from '../../src/world/idb-call-log.ts';
import { callLogSuite } from '../contract/call-log.ts';
import { newStorageName } from '../support/browser-storage.ts';
import { value } from '../support/result.ts';

const logNamed = (name: string) => idbCallLog(new IdbConnection(indexedDB, name, callStores));
callLogSuite('in IndexedDB', () => logNamed(newStorageName()));

const call = {
  lab: 'a',
  key: 'x',
  tool: 't',
  argumentsJson: '{}',
  answerJson: '{}',
  receivedAtUtc: '2026-01-05T09:00:00.000Z',
};

test('a line is there for whoever opens the log later', async () => {
  const name = newStorageName();
  value(await logNamed(name).append(call));
  expect(value(await logNamed(name).list('a'))).toEqual([{ ...call, number: 1 }]);
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
