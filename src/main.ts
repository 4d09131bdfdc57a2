/** The page. Chooses the concrete parts and puts them together; decides nothing else. */
import { mount, type Component } from 'svelte';
import { commandLock } from './bridge/command-lock.ts';
import { tabPresence } from './bridge/presence.ts';
import { labWorkers } from './bridge/workers.ts';
import type { Wanted } from './bridge/explorer-client.ts';
import type { Arm } from './engine/crash.ts';
import { fail } from './engine/failure.ts';
import { diskOf } from './lab/disk.ts';
import { Guide } from './lab/guide.svelte.ts';
import { Lab } from './lab/lab.svelte.ts';
import { LabFiles } from './lab/lab-files.svelte.ts';
import { Outside } from './lab/outside.svelte.ts';
import { cryptoRandom, randomId } from './storage/random.ts';
import { idbKeep } from './ui/keep.ts';
import { watchPageLife } from './ui/page-life.ts';
import { Route, under } from './ui/route.svelte.ts';
import { Settings } from './ui/settings.svelte.ts';
import Shell from './ui/Shell.svelte';
import { TabCount } from './ui/tab-count.svelte.ts';
import { markVisit } from './ui/visit.ts';
import { wait } from './ui/wait.ts';
import './ui/theme.css';

/** Several copies of this page may share one origin: each has its own name. */
const storageName = `crashpoint:${new URL('.', location.href).pathname}`;
/** On plain http there are none. */
const locks: LockManager | undefined = navigator.locks;
const lock = commandLock(locks, `${storageName}:command`);
const keep = idbKeep(`${storageName}:page`);
const settings = new Settings(keep);
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

const tabs = new TabCount();
const presence = tabPresence({
  channel: () =>
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`${storageName}:tabs`),
  tab: randomId(cryptoRandom),
  count: (count) => (tabs.open = count),
});

const startPage = async (): Promise<Component> => {
  const { default: StartPage } = await import('./lab/StartPage.svelte');
  const newWorker = (): Worker =>
    new Worker(new URL('./demo.worker.ts', import.meta.url), { type: 'module' });
  const unfinished = () =>
    lab.view?.runs.find(({ status }) => status === 'running' || status === 'waiting') ?? null;
  return (internals) => StartPage(internals, { newWorker, unfinished });
};
const labScreen = async (): Promise<Component> => {
  const { default: LabScreen } = await import('./lab/LabScreen.svelte');
  return (internals) => LabScreen(internals, { lab, files, guide, outside });
};

const newExplorer = (): Worker =>
  new Worker(new URL('./explorer.worker.ts', import.meta.url), { type: 'module' });
const exploreScreen = async (): Promise<Component> => {
  const [{ default: ExploreScreen }, { Explore }, { explorerClient }] = await Promise.all([
    import('./lab/ExploreScreen.svelte'),
    import('./lab/explore.svelte.ts'),
    import('./bridge/explorer-client.ts'),
  ]);
  const explore: InstanceType<typeof Explore> = new Explore(
    explorerClient(newExplorer, (choices) => explore.offered(choices)),
    ['T101', 'T102', 'T103', 'T104', 'T105', 'T106'],
  );
  const ontry = ({ ticketId }: Wanted, arms: readonly Arm[]): void => {
    location.hash = '#/lab';
    void lab.chooseTicket(ticketId).then(() => lab.arm(arms));
  };
  return (internals) => ExploreScreen(internals, { explore, ontry });
};

const route = new Route();
const breakScreen = async (): Promise<Component> => {
  const [{ default: BreakScreen }, { experimentClient }] = await Promise.all([
    import('./lab/break/BreakScreen.svelte'),
    import('./bridge/experiment-client.ts'),
  ]);
  const client = experimentClient(newExplorer);
  return (internals) => BreakScreen(internals, { named: () => under(route.path, '/break') ?? '', client });
};

const raceScreen = async (): Promise<Component> => {
  const [{ default: RaceScreen }, { experimentClient }] = await Promise.all([
    import('./lab/race/RaceScreen.svelte'),
    import('./bridge/experiment-client.ts'),
  ]);
  const client = experimentClient(newExplorer);
  return (internals) => RaceScreen(internals, { client, tabs: () => tabs.open });
};

mount(Shell, {
  target: document.body,
  props: {
    route,
    settings,
    screens: [
      { path: '/', title: 'Crashpoint', load: startPage },
      { path: '/lab', title: 'Lab · Crashpoint', load: labScreen },
      { path: '/explore', title: 'Explore · Crashpoint', load: exploreScreen },
      { path: '/break', nested: true, title: 'Break it · Crashpoint', load: breakScreen },
      { path: '/race', title: 'Race · Crashpoint', load: raceScreen },
    ],
    disk: () => diskOf(lab),
    persisted: () => lab.persistence.granted,
    onpersist: () => void lab.persistence.ask(),
    tabs: () => tabs.open,
    ondownload: () => void files.downloadDatabase(),
  },
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
await Promise.all([settings.load(), guide.load(), outside.load()]);
void navigator.storage?.persisted?.().then((kept) => (lab.persistence.granted = kept));
await lab.open();
