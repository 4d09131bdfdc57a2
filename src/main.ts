/** The page. Chooses the concrete parts and puts them together; decides nothing else. */
import { mount, type Component } from 'svelte';
import type { Wanted } from './bridge/explorer-client.ts';
import type { Arm } from './engine/crash.ts';
import type { LabParts } from './lab-parts.ts';
import { idbKeep } from './ui/keep.ts';
import { Later } from './ui/later.svelte.ts';
import { Route, under } from './ui/route.svelte.ts';
import { Settings } from './ui/settings.svelte.ts';
import Shell from './ui/Shell.svelte';
import { TabCount } from './ui/tab-count.svelte.ts';
import './ui/theme.css';

/** Several copies of this page may share one origin: each has its own name. */
const storageName = `crashpoint:${new URL('.', location.href).pathname}`;
const keep = idbKeep(`${storageName}:page`);
const settings = new Settings(keep);
const settled = settings.load();
const tabs = new TabCount();
const lab = new Later<LabParts>();
const newExplorer = (): Worker =>
  new Worker(new URL('./explorer.worker.ts', import.meta.url), { type: 'module' });
/** The first paint does not wait for the lab. Whatever screen is shown, its database is opened. */
const opening = import('./lab-parts.ts').then(({ openLab }) => {
  const count = (open: number) => (tabs.open = open);
  return (lab.now = openLab({ storageName, keep, settings, newExplorer, count }, settled));
});
// The lab's own screen says so.
opening.catch(() => undefined);

const startPage = async (): Promise<Component> => {
  const { default: StartPage } = await import('./lab/StartPage.svelte');
  const newWorker = (): Worker =>
    new Worker(new URL('./demo.worker.ts', import.meta.url), { type: 'module' });
  const unfinished = () =>
    lab.now?.lab.view?.runs.find(({ status }) => status === 'running' || status === 'waiting') ?? null;
  return (internals) => StartPage(internals, { newWorker, unfinished });
};
const labScreen = async (): Promise<Component> => {
  const [{ default: LabScreen }, parts] = await Promise.all([import('./lab/LabScreen.svelte'), opening]);
  return (internals) => LabScreen(internals, parts);
};

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
    void opening.then(async (parts) => {
      await parts.lab.chooseTicket(ticketId);
      await parts.lab.arm(arms);
    });
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
      {
        path: '/break',
        title: 'Break it · Crashpoint',
        nested: (mistake) => `Break it: ${mistake.toUpperCase()} · Crashpoint`,
        load: breakScreen,
      },
      { path: '/race', title: 'Race · Crashpoint', load: raceScreen },
    ],
    disk: () => lab.now?.disk() ?? { type: 'opening' },
    persisted: () => lab.now?.lab.persistence.granted ?? null,
    onpersist: () => void lab.now?.lab.persistence.ask(),
    tabs: () => tabs.open,
    ondownload: () => void lab.now?.files.downloadDatabase(),
  },
});
