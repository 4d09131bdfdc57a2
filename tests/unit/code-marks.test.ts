/** Holds: the Code tab marks what the last command is known to have run, found in the sources themselves. */
import { describe, expect, test } from 'vitest';
import type { LabView } from '../../src/bridge/views.ts';
import { boundariesOf } from '../../src/engine/boundaries.ts';
import { announcements, files } from '../../src/lab/code/code.ts';
import { highlightedLines } from '../../src/lab/code/highlight.ts';
import { announcedAt, fileOfEvent, marksOf } from '../../src/lab/code/marks.ts';
import { workflows } from '../../src/triage/workflows.ts';
import { openLab } from '../support/lab.ts';
import { must, testParts } from '../support/lives.ts';

const parts = await testParts();

/** The views of a run, command by command, with another session in the middle. */
async function viewsOf(workflow: string): Promise<readonly LabView[]> {
  let lab = await openLab(parts);
  const views = [must(await lab.server.handlers.start({ ticketId: 'T104', workflow }))];
  for (let steps = 0; steps < 12; steps += 1) {
    const run = views.at(-1)?.selected?.run;
    if (run?.status !== 'running') break;
    views.push(must(await lab.server.handlers.step(run)));
    if (steps !== 1) continue;
    await lab.close();
    lab = await openLab(parts, lab.storage);
  }
  await lab.close();
  return views;
}

function linesThatRan(path: string, view: LabView): readonly string[] {
  const text = files.find((file) => file.path === path)?.text.split('\n') ?? [];
  const ran = marksOf(files, announcements, view.reached).get(path)?.ran ?? new Set<number>();
  return [...ran].sort((a, b) => a - b).map((line) => text[line - 1]?.trim() ?? '');
}

describe('boundaries in the sources', () => {
  test.each(workflows.map(({ name }) => name))(
    'each one that a whole run of %s announces stands in a shown line that announces it',
    async (name) => {
      const workflow = workflows.find((one) => one.name === name);
      const listed = workflow ? boundariesOf(workflow).flatMap(({ boundaries }) => boundaries) : [];
      const reached = (await viewsOf(name)).flatMap((view) => view.reached);
      expect(new Set(reached).size).toBeGreaterThan(20);
      for (const boundary of [
        ...reached,
        ...listed.map((one) => one.name),
        'reset.begin',
        'console.durable',
      ]) {
        const places = announcedAt(files, announcements, boundary);
        expect(places, boundary).not.toEqual([]);
        for (const { path, line } of places) {
          expect(files.find((file) => file.path === path)?.text.split('\n')[line - 1], boundary).toContain(
            '.reach(',
          );
        }
      }
    },
  );

  test('a name that nobody announces is found nowhere', () => {
    expect(announcedAt(files, announcements, 'nothing.of_that_kind')).toEqual([]);
    expect(marksOf(files, announcements, ['nothing.of_that_kind', '']).size).toBe(0);
    expect(marksOf(files, announcements, []).size).toBe(0);
  });

  test('of a tool that was called its lines are marked, and not those of a saved result, nor the other way round', async () => {
    const views = await viewsOf('triage');
    const called = views.find(({ reached }) => reached.includes('lookup_runbook.tool.called'));
    const ran = called ? linesThatRan('engine/execute-once.ts', called) : [];
    expect(ran).toContain('engine.crash.reach(`${boundary}.called`);');
    expect(ran.join('\n')).toContain('insertEffect(');
    expect(ran.join('\n')).not.toContain('reuse');
    const reuse = {
      reached: ['lookup_runbook.reuse.begin', 'lookup_runbook.reuse.event_appended'],
    } as unknown as LabView;
    expect(linesThatRan('engine/execute-once.ts', reuse).join('\n')).not.toContain('boundary');
    expect(linesThatRan('engine/tool-effects.ts', reuse)).toEqual([]);
  });

  test('around a line that ran stands the whole of its function, and no other', async () => {
    const [started] = await viewsOf('triage');
    const marks = marksOf(files, announcements, started?.reached ?? []).get('engine/start.ts');
    const text = files.find(({ path }) => path === 'engine/start.ts')?.text.split('\n') ?? [];
    const heads = [...(marks?.around ?? [])]
      .map((line) => /function (\w+)/.exec(text[line - 1] ?? '')?.[1])
      .filter((name) => name !== undefined);
    expect(heads).toEqual(['startRun', 'insertRun']);
  });

  test.each([
    ['run_started', 'engine/start.ts'],
    ['checkpoint_saved', 'engine/checkpoint.ts'],
    ['tool_executed', 'engine/execute-once.ts'],
    ['tool_intended', 'engine/intents.ts'],
    ['run_forked', 'engine/fork.ts'],
  ])('%s is written in %s', (eventType, path) => {
    const none = marksOf(files, announcements, []);
    expect(fileOfEvent(files, none, eventType)).toBe(path);
  });
});

test('a source is shown as it is, line by line, and every file says what it owns', () => {
  for (const { text, tree, owns, path } of files) {
    const lines = highlightedLines(text, tree).map((pieces) => pieces.map((piece) => piece.text).join(''));
    expect(lines.join('\n'), path).toBe(text.replace(/\n$/, ''));
    expect(owns.length, path).toBeGreaterThan(20);
  }
  expect(files.length).toBeGreaterThan(40);
});
