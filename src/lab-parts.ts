/**
 * The parts of the lab: chosen and put together here, apart from main.ts, because the page is painted before they arrive.
 * Decides nothing else.
 */
import { commandLock } from './bridge/command-lock.ts';
import { tabPresence } from './bridge/presence.ts';
import { labWorkers } from './bridge/workers.ts';
import { fail } from './engine/failure.ts';
import { diskOf } from './lab/disk.ts';
import { Guide } from './lab/guide.svelte.ts';
import { Lab } from './lab/lab.svelte.ts';
import { LabFiles } from './lab/lab-files.svelte.ts';
import { Outside } from './lab/outside.svelte.ts';
import { cryptoRandom, randomId } from './storage/random.ts';
import type { Disk } from './ui/disk.ts';
import type { Keep } from './ui/keep.ts';
import { watchPageLife } from './ui/page-life.ts';
import type { Settings } from './ui/settings.svelte.ts';
import { markVisit } from './ui/visit.ts';
import { wait } from './ui/wait.ts';

export interface LabParts {
  readonly lab: Lab;
  readonly files: LabFiles;
  readonly guide: Guide;
  readonly outside: Outside;
  readonly disk: () => Disk;
}

export interface LabSurroundings {
  readonly storageName: string;
  readonly keep: Keep;
  readonly settings: Settings;
  readonly newExplorer: () => Worker;
  /** How many tabs have this page open. */
  readonly count: (tabs: number) => void;
}

/** Puts the lab together and opens it. `ready`: what must have been read before. */
export function openLab(
  { storageName, keep, settings, newExplorer, count }: LabSurroundings,
  ready: Promise<unknown>,
): LabParts {
  /** On plain http there are none. */
  const locks: LockManager | undefined = navigator.locks;
  const lock = commandLock(locks, `${storageName}:command`);
  const guide = new Guide(keep);
  const workers = labWorkers({
    newAgent: () => new Worker(new URL('./agent.worker.ts', import.meta.url), { type: 'module' }),
    newDesk: () => new Worker(new URL('./desk.worker.ts', import.meta.url), { type: 'module' }),
    newHttp: () => new Worker(new URL('./http.worker.ts', import.meta.url), { type: 'module' }),
    storageName,
    lock,
  });
  const outside = new Outside({ workers, keep, secure: location.protocol === 'https:' });
  const lab = new Lab({
    workers,
    newExplorer: () => newExplorer(),
    newConsole: () => new Worker(new URL('./console.worker.ts', import.meta.url), { type: 'module' }),
    keep,
    settings,
    sameVisit: markVisit(),
    reload: () => location.reload(),
    now: () => new Date().toISOString(),
    random: () => Math.random(),
    wait,
    reducedMotion: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
    askToPersist: () => navigator.storage?.persist?.().catch(() => null) ?? Promise.resolve(null),
    userAgent: navigator.userAgent,
  });
  const newFileWorker = (): Worker =>
    new Worker(new URL('./file.worker.ts', import.meta.url), { type: 'module' });
  const files = new LabFiles(lab, {
    /** Loaded when the first file is chosen: nobody needs it to see the page. */
    inspect: async (file, signal) => {
      try {
        const { fileInspector } = await import('./bridge/file-inspector.ts');
        return signal.aborted ? null : await fileInspector(newFileWorker).inspect(file, signal);
      } catch {
        return fail({ type: 'FileRefused', reason: 'the program that looks at files did not arrive' });
      }
    },
  });
  lab.whenOpened = () => void files.listQuarantined();
  lab.predictFirst = () => guide.holdsResume(lab.view?.selected?.run.runId ?? null);

  const presence = tabPresence({
    channel: () =>
      typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`${storageName}:tabs`),
    tab: randomId(cryptoRandom),
    count,
  });

  addEventListener('beforeunload', (event) => {
    // Only where a reload loses work: what is in memory alone, with something to lose.
    const onlyHere = lab.worker.store === 'memory' || lab.worker.unsaved?.failure.type === 'StorageGone';
    if (onlyHere && (lab.view?.counts.runs ?? 0) > 0) event.preventDefault();
  });
  watchPageLife({
    sleeps: () => {
      lock.letGo();
      presence.leave();
    },
    wakes: () => {
      presence.join();
      void lab.wake();
    },
    seen: () => {
      presence.ask();
      void lab.wake();
    },
  });
  presence.join();
  // A tab that dies says nothing: who is asked and does not answer is gone.
  setInterval(() => document.visibilityState === 'visible' && presence.ask(), 5_000);

  async function open(): Promise<void> {
    await Promise.all([ready, guide.load(), outside.load()]);
    void navigator.storage?.persisted?.().then((kept) => (lab.persistence.granted = kept));
    await lab.open();
  }
  void open();
  return { lab, files, guide, outside, disk: () => diskOf(lab) };
}
