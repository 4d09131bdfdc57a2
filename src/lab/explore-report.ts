/** Owns: the report on an exploration, as Markdown: what was run, what came of it, and every crash at which something was wrong. */
import type { Exploration, Point, Wanted } from '../bridge/explorer-client.ts';
import { callsInWords, countsOf, crashesInWords, kindWords } from './explore-words.ts';

/** More lines than this nobody reads; the CSV has all of them. */
const most = 200;

/** `engine`: in words. `address`: of the page at this exploration. */
export function reportOf(
  { ticketId, workflow, crashes }: Wanted,
  engine: string,
  exploration: Exploration,
  points: readonly Point[],
  address: string,
): string {
  const { points: runs, completed, broken, calledTwice, reused } = countsOf(points);
  const wrong = points.filter(({ outcome }) => outcome.broken.length > 0 || outcome.status !== 'completed');
  const again = points.filter((point) => !wrong.includes(point) && point.outcome.kind === 'called twice');
  const { crashFree } = exploration;
  return [
    `# Crashes of ${workflow}, ticket ${ticketId}`,
    '',
    `Engine: ${engine}. ${crashes === 'one' ? 'One crash at every boundary' : 'Two crashes, at every pair of boundaries'}, by running each.`,
    `Without a crash: ${String(exploration.boundaries.length)} boundaries, ${crashFree.status} at version ${String(crashFree.version)}, ${String(crashFree.events.length)} events.`,
    '',
    '| runs | completed | something broken | a tool called again | a saved result reused |',
    '|---|---|---|---|---|',
    `| ${[runs, completed, broken, calledTwice, reused].join(' | ')} |`,
    '',
    ...listed('Something is broken', wrong),
    ...listed(kindWords['called twice'], again),
    `Again: ${address}`,
    '',
  ].join('\n');
}

function listed(title: string, points: readonly Point[]): string[] {
  if (points.length === 0) return [];
  const lines = points.slice(0, most).map((point) => {
    const { outcome } = point;
    const said = outcome.broken.length > 0 ? `; broken: ${outcome.broken.join(', ')}` : '';
    return `- \`${crashesInWords(point)}\`: ${outcome.status}, version ${String(outcome.version)}; calls: ${callsInWords(point)}${said}`;
  });
  const more = points.length > most ? [`- and ${String(points.length - most)} more, which the CSV has`] : [];
  return [`## ${title}: ${String(points.length)}`, '', ...lines, ...more, ''];
}
