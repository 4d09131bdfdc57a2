/**
 * Owns: the page of a tab: its worker, one after the other. What to do comes in the address: `tab`, `seed`, `storage`,
 * `sabotage`, and `show` for a tab that only shows what is stored.
 */
import type { Life, Order, Sabotage, TorturePage } from '../messages.ts';

const asked = new URLSearchParams(location.search);
let worker: Worker;
let life: Life = '';

/** Workers of this tab so far, over its reloads. */
function nextNumber(): number {
  const number = Number(sessionStorage.getItem('lives') ?? 0) + 1;
  sessionStorage.setItem('lives', String(number));
  return number;
}

function start(): void {
  const number = nextNumber();
  life = `${asked.get('tab') ?? ''}.${number}`;
  worker = new Worker(new URL('./writer.worker.ts', import.meta.url), { type: 'module' });
  worker.postMessage({
    life,
    seed: Number(asked.get('seed')) + number,
    storageName: asked.get('storage') ?? '',
    sabotage: (asked.get('sabotage') ?? 'none') as Sabotage,
    onlyShow: asked.has('show'),
  } satisfies Order);
}

const page: TorturePage = {
  life: () => life,
  kill: () => {
    worker.terminate();
    start();
  },
  stop: () => worker.postMessage('stop'),
  show: () => worker.postMessage('show'),
};
Object.assign(window, { torture: page });
start();
