/** Owns: `npm run pairs`: Dispatch crashed at every pair of boundaries, with every setting of the desk. Half an hour. */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'crash', 'tests/crash/dispatch.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, ALL_PAIRS: '1' },
});
process.exit(status ?? 1);
