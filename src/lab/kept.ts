/**
 * Owns: what the lab remembers over reloads beside the database: arms, the last crash, the selected run, resumes.
 * Leaves: the run itself to the database. Losing all of this loses no work.
 */
import type { Arm } from '../engine/crash.ts';
import { members, type Keep } from '../ui/keep.ts';

/** How the last worker died, when this page killed it. */
export interface LastCrash {
  /** Null: *Crash now*. */
  readonly boundary: string | null;
  readonly atUtc: string;
  readonly session: string | null;
  readonly runId: string | null;
  /** Set when it died while starting a run: how many runs there were before. */
  readonly starting: { readonly ticketId: string; readonly runs: number } | null;
}

/** How often a run was resumed by itself at this version. */
export interface AutoResumes {
  readonly runId: string;
  readonly version: number;
  readonly count: number;
}

export interface Kept {
  readonly arms: readonly Arm[];
  readonly lastCrash: LastCrash | null;
  readonly selectedRunId: string | null;
  /** The chosen ticket, as long as it has no run. */
  readonly ticketWithoutRun: string | null;
  readonly autoResumes: AutoResumes | null;
  /** The run that was on its way to the end when a person had to decide. */
  readonly goesOn: string | null;
  /** The browser was asked to keep what is stored, by the page itself. */
  readonly askedToPersist: boolean;
}

const keys = {
  arms: 'arms',
  lastCrash: 'last-crash',
  selectedRunId: 'selected-run',
  ticketWithoutRun: 'ticket-without-run',
  autoResumes: 'auto-resumes',
  goesOn: 'goes-on',
  askedToPersist: 'asked-to-persist',
} as const satisfies Record<keyof Kept, string>;

export async function readKept(keep: Keep): Promise<Kept> {
  const [arms, lastCrash, selectedRunId, ticketWithoutRun, autoResumes, goesOn, asked] = await Promise.all([
    keep.read(keys.arms),
    keep.read(keys.lastCrash),
    keep.read(keys.selectedRunId),
    keep.read(keys.ticketWithoutRun),
    keep.read(keys.autoResumes),
    keep.read(keys.goesOn),
    keep.read(keys.askedToPersist),
  ]);
  return {
    arms: armsFrom(arms),
    lastCrash: lastCrashFrom(lastCrash),
    selectedRunId: text(selectedRunId),
    ticketWithoutRun: text(ticketWithoutRun),
    autoResumes: autoResumesFrom(autoResumes),
    goesOn: text(goesOn),
    askedToPersist: asked === true,
  };
}

/** Resolves when stored; see Keep.write. */
export function writeKept<K extends keyof Kept>(keep: Keep, key: K, value: Kept[K]): Promise<boolean> {
  return keep.write(keys[key], value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function armsFrom(value: unknown): readonly Arm[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const boundary = text(members(item)['boundary']);
    return boundary === null ? [] : [{ boundary, every: members(item)['every'] === true }];
  });
}

function lastCrashFrom(value: unknown): LastCrash | null {
  const kept = members(value);
  const atUtc = text(kept['atUtc']);
  if (atUtc === null) return null;
  const starting = members(kept['starting']);
  const ticketId = text(starting['ticketId']);
  const runs = starting['runs'];
  return {
    atUtc,
    boundary: text(kept['boundary']),
    session: text(kept['session']),
    runId: text(kept['runId']),
    starting: ticketId !== null && typeof runs === 'number' ? { ticketId, runs } : null,
  };
}

function autoResumesFrom(value: unknown): AutoResumes | null {
  const { runId, version, count } = members(value);
  if (typeof runId !== 'string' || typeof version !== 'number' || typeof count !== 'number') return null;
  return { runId, version, count };
}
