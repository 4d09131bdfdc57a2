import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Imports go to a lower floor or stay in their folder. */
const floors: Readonly<Record<string, number>> = {
  engine: 0,
  storage: 1,
  triage: 2,
  threads: 2,
  world: 2,
  mistakes: 2,
  explorer: 3,
  bridge: 4,
  ui: 5,
  lab: 6,
  lessons: 6,
  '.': 7,
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(ts|svelte)$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /(?:import|export)\s+(type\s)?[^'"`;]*?from\s+['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]|import\s+['"](\.[^'"]+)['"]/g,
  );
  return [...found].map((match) => ({
    from: path,
    to: normalize(join(dirname(path), match[2] ?? match[3] ?? match[4] ?? '')),
    typeOnly: match[1] !== undefined,
  }));
}

function folderOf(path: string): string {
  return relative('src', dirname(path)).split('/')[0] || '.';
}

const imports = sourceFiles('src').flatMap(importsOf);

describe('the floors of src', () => {
  test('every folder has a floor', () => {
    const folders = new Set(sourceFiles('src').map(folderOf));
    expect([...folders].filter((folder) => !(folder in floors))).toEqual([]);
    expect(imports.length).toBeGreaterThan(50);
  });

  test('imports go down or stay in their folder', () => {
    const breaches = imports
      .filter(({ to }) => to.startsWith('src/'))
      .filter(({ from, to }) => {
        const [upper, lower] = [folderOf(from), folderOf(to)];
        return upper !== lower && (floors[lower] ?? 9) >= (floors[upper] ?? -1);
      })
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(breaches).toEqual([]);
  });

  test('screens know the bridge and the types of the engine only', () => {
    const breaches = imports
      .filter(({ from }) => ['ui', 'lab', 'lessons'].includes(folderOf(from)))
      .filter(({ to }) => to.startsWith('src/') && !['ui', 'lab', 'lessons', 'bridge'].includes(folderOf(to)))
      .filter(({ to, typeOnly }) => !(folderOf(to) === 'engine' && typeOnly))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(breaches).toEqual([]);
  });

  test('the engine names no browser API and no sql.js', () => {
    const breaches = sourceFiles('src/engine').filter((path) =>
      /\b(window|document|indexedDB|navigator|localStorage|setTimeout|crypto\.)\b|\bself\.|\b(postMessage|fetch)\(|from 'sql\.js'/.test(
        readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
      ),
    );
    expect(breaches).toEqual([]);
  });
});
