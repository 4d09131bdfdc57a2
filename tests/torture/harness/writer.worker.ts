/**
 * Owns: one life of a tab: opens the real database over the browser's IndexedDB, and writes at random until it is
 * stopped or killed. What was acknowledged is told at once.
 */
import wasmUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import { noCrash } from '../../../src/engine/crash.ts';
import type { Failure } from '../../../src/engine/failure.ts';
import type { AgentDatabase } from '../../../src/storage/agent-database.ts';
import { loadChecksum } from '../../../src/storage/checksum.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { idbStorage } from '../../../src/storage/idb-page-store.ts';
import { cryptoRandom } from '../../../src/storage/random.ts';
import { loadSqlite, type Sqlite } from '../../../src/storage/sqlite.ts';
import { joinTabs } from '../../../src/storage/tabs.ts';
import { seededRandom, type SeededRandom } from '../../support/random.ts';
import { value } from '../../support/result.ts';
import type { Order } from '../messages.ts';
import { sabotaged } from './sabotage.ts';
import { Teller } from './teller.ts';
import { drawWork, layTables } from './work.ts';

/** Bytes of log after which it is folded: a few commits, so that folding is often under way when somebody dies. */
const foldAfter = 8 * 1024;

/** With these a commit says that nothing of it is stored. */
const surelyNotStored: readonly Failure['type'][] = ['NotSaved', 'StorageFull', 'ImageConflict'];

const teller = new Teller();
let stopped = false;

async function open(order: Order, sqlite: Sqlite, random: SeededRandom): Promise<AgentDatabase | null> {
  const { storageName, sabotage, life } = order;
  const clock = { now: () => new Date().toISOString() };
  const { pages } = idbStorage({ factory: indexedDB, storageName, random: cryptoRandom, clock });
  let opened: AgentDatabase | null = null;
  const tabs = joinTabs(storageName, () => void opened?.refresh());
  const database = await openDatabase({
    sqlite,
    store: sabotage === 'none' ? pages : sabotaged(pages, sabotage, random),
    checksum: await loadChecksum(),
    crash: noCrash,
    random: cryptoRandom,
    clock,
    announce: (generation) => tabs.announce(generation),
    foldAfter,
  });
  if (!database.ok) {
    tabs.close();
    teller.tell({ type: 'failed', life, ...told(database.failure) });
    return null;
  }
  // Half of the lives hear what others write; the others find out at their next commit.
  if (random.below(2) === 0) opened = database.value;
  return database.value;
}

/** Opens, and again after a failure, as a person would; null: stopped before it opened. */
async function openAtLast(order: Order, random: SeededRandom): Promise<AgentDatabase | null> {
  const wasm = await fetch(wasmUrl);
  const sqlite = value(await loadSqlite(await wasm.arrayBuffer()));
  while (!stopped) {
    const database = await open(order, sqlite, random);
    if (database !== null) return database;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return null;
}

async function live(order: Order): Promise<void> {
  const { life } = order;
  const random = seededRandom(order.seed);
  const database = await openAtLast(order, random);
  if (database === null) return teller.tell({ type: 'stopped', life, opened: false });
  teller.tell({ type: 'opened', life, generation: database.state.generation });
  self.addEventListener('message', (event) => {
    if (event.data === 'show') void show(order, database);
  });
  if (order.onlyShow) return show(order, database);
  const laid = await database.commit('torture', layTables);
  if (!laid.ok) teller.tell({ type: 'failed', life, ...told(laid.failure) });
  for (let number = 1; !stopped; number += 1) await transact(order, database, random, `${life}-${number}`);
  teller.tell({ type: 'stopped', life, opened: true });
}

async function transact(
  { life, sabotage }: Order,
  database: AgentDatabase,
  random: SeededRandom,
  id: string,
): Promise<void> {
  const work = drawWork(random, id);
  const done = await database.commit('torture', work);
  if (done.ok) teller.tell({ type: 'acknowledged', life, id });
  else {
    const { type } = done.failure;
    teller.tell({ type: 'refused', life, id, failure: type, surely: surelyNotStored.includes(type) });
  }
  if (sabotage === 'twice' && random.below(50) === 0) await database.commit('torture', work);
  if (random.below(4) === 0) {
    const folded = await database.compactIfWorthwhile();
    if (!folded.ok) teller.tell({ type: 'failed', life, ...told(folded.failure) });
    else if (folded.value) teller.tell({ type: 'folded', life });
  }
  if (random.below(3) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(40)));
}

async function show({ life }: Order, database: AgentDatabase): Promise<void> {
  const refreshed = await database.refresh();
  if (!refreshed.ok) teller.tell({ type: 'failed', life, ...told(refreshed.failure) });
  await fetch(`/image/${life}`, { method: 'POST', body: new Uint8Array(await database.image()) });
}

function told(failure: Failure): { readonly failure: string; readonly reason: string } {
  return { failure: failure.type, reason: JSON.stringify(failure) };
}

self.addEventListener('message', (event: MessageEvent<Order | 'stop' | 'show'>) => {
  if (event.data === 'stop') stopped = true;
  if (typeof event.data === 'string') return;
  const order = event.data;
  live(order).catch((error: unknown) => {
    const text = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
    teller.tell({ type: 'threw', life: order.life, text });
  });
});
