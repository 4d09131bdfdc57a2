import { expect, test } from 'vitest';
import { testSqlite } from '../support/sqlite.ts';

test('SQLite loads and its recorder passes the check', async () => {
  const sqlite = await testSqlite();
  expect(sqlite.version).toMatch(/^3\.\d+\.\d+$/);
});
