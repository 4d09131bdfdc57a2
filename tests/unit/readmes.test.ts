/** The tests that the READMEs of the source name exist, under the names that they quote. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

function sourceOf(name: string): string {
  const found = [`tests/${name}.test.ts`, `tests/${name}.spec.ts`, `tests/${name}.ts`].find((path) =>
    existsSync(path),
  );
  return found === undefined ? '' : readFileSync(found, 'utf8');
}

describe.each(['src/storage/README.md', 'src/engine/README.md', 'src/threads/README.md'])('%s', (readme) => {
  const text = readFileSync(readme, 'utf8');
  const named = [...text.matchAll(/`((?:unit|contract|crash|browser|e2e)\/[\w-]+)`((?::? “[^”]+”,?)*)/g)];

  test('names tests at all', () => {
    expect(named.length).toBeGreaterThan(15);
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
});
