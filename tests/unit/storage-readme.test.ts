/** The tests that src/storage/README.md names exist, under the names that it quotes. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('src/storage/README.md', 'utf8');

function sourceOf(name: string): string {
  const found = [`tests/${name}.test.ts`, `tests/${name}.spec.ts`, `tests/${name}.ts`].find((path) =>
    existsSync(path),
  );
  return found === undefined ? '' : readFileSync(found, 'utf8');
}

const named = [...text.matchAll(/`((?:unit|contract|crash|browser|e2e)\/[\w-]+)`((?::? “[^”]+”,?)*)/g)];

test('names tests at all', () => {
  expect(named.length).toBeGreaterThan(20);
});

test.each([...new Set(named.map(([, name]) => name ?? ''))])('%s is there', (name) => {
  expect(sourceOf(name)).not.toBe('');
});

test.each(
  named.flatMap(([, name, quotes]) =>
    [...(quotes ?? '').matchAll(/“([^”]+)”/g)].map(([, quote]) => [name ?? '', quote ?? '']),
  ),
)('%s has the test “%s”', (name, quote) => {
  const source = sourceOf(name);
  for (const part of quote.split('…').map((one) => one.trim())) expect(source).toContain(part);
});
