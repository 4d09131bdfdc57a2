import { expect, test } from 'vitest';
import { oddities } from '../../src/lab/file-notes.ts';
import type { FileNote, Inspection } from '../../src/bridge/file-inspector.ts';

function inspection(notes: readonly FileNote[], broken: Inspection['broken'] = []): Inspection {
  const report = { runs: 1, events: 1, effects: 1, bytes: 1, unfinished: 1, notes };
  return { image: new Uint8Array(0), report, broken };
}

test('a file in which nothing is odd needs no words', () => {
  expect(oddities('a.db', inspection([]))).toEqual([]);
});

test('each oddity has its sentence, one or many', () => {
  expect(
    oddities(
      'half-run.db',
      inspection(
        [
          { type: 'write-ahead' },
          { type: 'utf-16' },
          { type: 'left-out', what: 'virtual table', names: ['docs'] },
          { type: 'declared-anew', names: ['agent_runs', 'agent_events'] },
          { type: 'further-tables', names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
        ],
        [{ id: 'I4', title: 'It counts', violations: 2 }],
      ),
    ),
  ).toEqual([
    'It was last written in write-ahead mode. If a file “half-run.db-wal” lies beside it, the latest changes are in there and missing here: close the program that writes the database, and choose the file again.',
    'Its text is UTF-16. Here it is stored as UTF-8.',
    'Its virtual table docs is left out: nothing that a file brings along runs here.',
    'Its 2 tables (agent_runs, agent_events) are declared there in another way (keys, types, rules or indexes). Here the lab’s own declaration holds; the rows stay as they are.',
    'Its 7 further tables (a, b, c, d, e, …) come along with all rows, without rules and indexes.',
    'I4 is broken in it (It counts): 2 violations. It is shown as it is.',
  ]);
});

test('a name that is a page long is told by its beginning', () => {
  const [words = ''] = oddities('a.db', inspection([{ type: 'further-tables', names: ['x'.repeat(5000)] }]));
  expect(words.length).toBeLessThan(200);
});
