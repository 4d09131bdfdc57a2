import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceOf, type SourceName } from '../../src/bridge/mistake-sources.ts';

const withOneMistake: readonly SourceName[] = [
  'messages-only',
  'checkpoint-first',
  'fresh-keys',
  'two-commits',
  'no-version',
  'rule-as-agent',
];

test.each(withOneMistake)(
  'the source of %s names its mistake once, and is the file that runs',
  async (name) => {
    const shown = await sourceOf(name);
    expect(shown.match(/The mistake:/g)).toHaveLength(1);
    expect(shown).not.toMatch(/^import |: Variant = /m);
    const file = readFileSync(`src/mistakes/${name}.ts`, 'utf8');
    for (const line of shown.split('\n')) expect(file).toContain(line);
  },
);

test('the step without a mistake is short enough to be read beside each', async () => {
  const shown = await sourceOf('sound');
  expect(shown).toContain('saveCheckpoint(engine, run, action.name, next.value)');
  expect(shown.split('\n').length).toBeLessThan(20);
});
