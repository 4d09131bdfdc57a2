/**
 * Owns: the source texts of the engine and of what stands next to it, as the very files that run.
 * Leaves: showing them to lab/code/. Loaded when the code is first shown.
 */
const engine = import.meta.glob<string>('../engine/*.ts', { query: '?raw', import: 'default', eager: true });
const around = import.meta.glob<string>(
  [
    '../triage/workflow.ts',
    '../triage/dispatch.ts',
    '../storage/database.ts',
    '../storage/durable-image.ts',
    './lab-storage.ts',
    './console-write.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
);

export interface SourceFile {
  /** From `src/` on: `engine/checkpoint.ts`. */
  readonly path: string;
  readonly text: string;
  /** What it owns, in the first sentence of its own head. */
  readonly owns: string;
}

/** What the lesson is about comes first; the others by their names. */
const first = [
  'engine/checkpoint.ts',
  'engine/execute-once.ts',
  'engine/events.ts',
  'engine/runner.ts',
  'engine/start.ts',
  'triage/workflow.ts',
  'storage/database.ts',
  'engine/invariants.ts',
  'engine/crash.ts',
  'engine/json.ts',
  'engine/workflow.ts',
  'engine/effects.ts',
  'engine/claims.ts',
  'engine/confirm.ts',
  'triage/dispatch.ts',
];

export const engineSources: readonly SourceFile[] = Object.entries({ ...engine, ...around })
  .map(([path, text]) => ({
    path: path.replace(/^\.\.\//, '').replace(/^\.\//, 'bridge/'),
    text: text.replaceAll('\r\n', '\n'),
    owns: ownedIn(text),
  }))
  .sort((a, b) => placeOf(a.path) - placeOf(b.path) || (a.path < b.path ? -1 : 1));

function placeOf(path: string): number {
  const place = first.indexOf(path);
  return place < 0 ? first.length : place;
}

function ownedIn(text: string): string {
  const owns = /Owns: ([\s\S]*?)(?:\n \* (?:Leaves|Invariants?):|\n \*\n|\*\/)/.exec(text)?.[1] ?? '';
  const words = owns.replace(/\s*\n \* /g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
