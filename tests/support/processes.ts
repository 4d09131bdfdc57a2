/**
 * Owns: the processes of a browser, found in /proc by its profile's folder: what is to be killed from outside.
 * Linux only.
 */
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  readonly command: string;
}

/** The browser's first process: with it all others end. */
export function browserProcess(profile: string): number | null {
  return family(profile)[0]?.id ?? null;
}

/** Whether any process of the browser is left. */
export function browserRuns(profile: string): boolean {
  return readAll().some(({ command }) => command.includes(profile));
}

/** The processes that show pages of sites, as opposed to the browser's own pages and to those that wait for a page. */
export function siteProcesses(profile: string): readonly number[] {
  return family(profile)
    .filter(({ name, command }) => name === 'Isolated Web Co' || command.includes('--type=renderer'))
    .map(({ id }) => id);
}

/** The browser's processes, the first one first. */
function family(profile: string): readonly Process[] {
  const all = readAll();
  const found = all.filter(
    ({ command }) => command.includes(`\0${profile}\0`) || command.includes(`=${profile}\0`),
  );
  const first = found.find((one) => !found.some((other) => other.id === one.parent));
  if (!first) return [];
  const members = [first];
  for (const member of members) members.push(...all.filter(({ parent }) => parent === member.id));
  return members;
}

function readAll(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => readProcess(Number(id)) ?? []);
}

function readProcess(id: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const named = stat.indexOf('(') + 1;
    const after = stat.lastIndexOf(')');
    const [state, parent] = stat.slice(after + 2).split(' ');
    if (state === 'Z') return null;
    const command = readFileSync(`/proc/${id}/cmdline`, 'utf8');
    return { id, parent: Number(parent), name: stat.slice(named, after), command };
  } catch {
    // It has ended since the folder was read.
    return null;
  }
}
