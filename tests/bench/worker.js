/**
 * Owns: the loads, in one worker of its own for each contender: opening, small commits, a burst, the lesson's run.
 * Beside each timed commit, one 4 KiB put into IndexedDB with strict durability is timed, and beside each opening the
 * reading of as many bytes: ratios are to these.
 */
import { lesson, small, tables } from './load.js';
import { openStore, request } from './contenders/idb.js';

const contenders = {
  ours: () => import('./contenders/ours.js'),
  'whole-image': () => import('./contenders/whole-image.js'),
  'wa-idb-batch': () => import('./contenders/wa-idb-batch.js'),
  'wa-opfs-pool': () => import('./contenders/wa-opfs-pool.js'),
  'sqlite-wasm-pool': () => import('./contenders/sqlite-wasm-pool.js'),
  pglite: () => import('./contenders/pglite.js'),
};

const page = crypto.getRandomValues(new Uint8Array(4096));
/** A contender that is slow is asked less often: milliseconds for one load. */
const patience = 2_500;

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Pairs of (ours, yardstick), in turn, so that both meet the same disk and the same neighbours. */
async function pairs(count, yardstick, work) {
  const taken = [];
  const raw = [];
  const started = performance.now();
  for (let round = 0; round < count && (round < 1 || performance.now() - started < patience); round += 1) {
    raw.push(await timed(() => yardstick.put('page', page)));
    taken.push(await timed(() => work(round)));
  }
  return { taken, raw };
}

async function measure({ contender, megabytes, rounds }) {
  const { prepare, open } = await contenders[contender]();
  await prepare();
  const name = `bench-${contender}-${megabytes}-${Math.random().toString(36).slice(2)}`;
  const yardstick = await openStore(`${name}-yardstick`);
  let database = await open(name);
  await database.transaction(tables.map((sql) => [sql, []]));
  const rows = Math.round(megabytes * 900);
  for (let row = 0; row < rows;) {
    const batch = [];
    for (let end = Math.min(rows, row + 2_000); row < end; row += 1)
      batch.push(['INSERT INTO filler VALUES (?, ?)', [row, text()]]);
    await database.transaction(batch);
  }
  await database.idle?.();
  let version = 0;
  const commit = () => database.transaction(small((version += 1)));
  for (let round = 0; round < 20; round += 1) await commit();
  const commits = await pairs(rounds, yardstick, commit);
  // A burst of a contender that takes more than patience allows is not measured.
  const isSlow = commits.taken.at(-1) * 100 > 2 * patience;
  const burst = await pairs(isSlow ? 0 : 3, yardstick, async () => {
    for (let round = 0; round < 100; round += 1) await commit();
  });
  const run = await pairs(10, yardstick, async (round) => {
    for (const statements of lesson(`run-${round}`)) await database.transaction(statements);
  });
  await database.idle?.();
  await database.close();
  const image = new Blob(Array.from({ length: Math.ceil(megabytes * 10) }, () => random(102_400)));
  await yardstick.put('image', image);
  const opening = { taken: [], raw: [] };
  const openingStarted = performance.now();
  for (let round = 0; round < 7; round += 1) {
    if (round > 0 && performance.now() - openingStarted > 2 * patience) break;
    opening.raw.push(await timed(() => readImage(`${name}-yardstick`)));
    const took = await timed(async () => {
      database = await open(name);
      const events = await database.count("SELECT count(*) FROM agent_events WHERE run_id = 'small'");
      if (events !== version) throw new Error(`${events} of ${version} commits are there`);
    });
    opening.taken.push(took);
    await database.close();
  }
  yardstick.close();
  return { contender, megabytes, commits, burst, run, opening };
}

/** What opening costs at least: as many bytes, read from IndexedDB as one blob, unchecked. */
async function readImage(name) {
  const store = await openStore(name);
  const blob = await request(store.transaction('s').objectStore('s').get('image'));
  await blob.arrayBuffer();
  store.close();
}

function random(bytes) {
  const made = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(made.subarray(at, at + 65_536));
  return made;
}

/** About 1,000 characters, no two alike, that compress as text does. */
function text() {
  const words = crypto.getRandomValues(new Uint32Array(110));
  return Array.from(words, (word) => word.toString(36)).join(' ');
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ result: await measure(data) });
  } catch (error) {
    self.postMessage({ error: `${error}\n${error?.stack ?? ''}` });
  }
};
