import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test(
  '300 spoilt files are refused or opened, and none hurts what looks at it or the lab',
  { timeout: 280_000 },
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['tests/fuzz/run.mjs', '--count', '300', '--seed', '1'],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n').at(-1)).toMatch(
      /^300 files from seed 1 in \d+ s: \d\d+ opened, \d\d+ refused, 0 failed$/,
    );
    expect(status).toBe(0);
  },
);
