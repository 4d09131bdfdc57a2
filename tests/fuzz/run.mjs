/**
 * Owns: `npm run fuzz -- --count N --seed S`: N spoilt database files, from seed S on, each looked at in one thread and,
 * where it is accepted, worked on in another. A thread that does not answer is ended and counts as hung. The last
 * line has the totals; a finding is told with its seed, which alone repeats it (`--count 1 --seed …`).
 */
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const [count, firstSeed] = [Number(values.count), Number(values.seed)];
/** A look takes milliseconds; a machine may be busy. */
const patience = 60_000;
/** So often the SQLite that has seen all the spoilt files must read a good one. */
const goodEvery = 50;

const outDir = resolve(`test-results/fuzz-${process.pid}`);
await build({
  configFile: false,
  logLevel: 'warn',
  build: { ssr: 'tests/fuzz/worker.ts', outDir, target: 'node20', minify: false },
});

/** A thread that is asked one thing at a time, and replaced when it does not answer. */
class Thread {
  #role;
  #worker;
  #ready;

  constructor(role) {
    this.#role = role;
    this.#start();
  }

  #start() {
    this.#worker = new Worker(pathToFileURL(`${outDir}/worker.js`), { workerData: this.#role });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
  }

  async ask(message) {
    await this.#ready;
    const worker = this.#worker;
    const answered = await new Promise((resolve) => {
      const failed = (what) => end({ type: 'failed', story: '', what });
      const died = (error) => failed(`died: ${error}`);
      const timer = setTimeout(failed, patience, 'hung');
      function end(answer) {
        clearTimeout(timer);
        worker.off('message', end);
        worker.off('error', died);
        resolve(answer);
      }
      worker.on('message', end);
      worker.on('error', died);
      worker.postMessage(message);
    });
    if (answered.what === 'hung' || answered.what?.startsWith('died')) await this.renew();
    return answered;
  }

  async renew() {
    await this.end();
    this.#start();
  }

  async end() {
    await this.#worker.terminate();
  }
}

const totals = { opened: 0, refused: 0, failed: 0 };
const reasons = new Map();
let next = 0;

function found(seed, { story, what }, where) {
  totals.failed += 1;
  console.error(`seed ${seed} (${story}) ${where}: ${what}`);
}

async function one(seed, inspector, agent) {
  const looked = await inspector.ask({ type: 'spoilt', seed });
  if (looked.type === 'failed') return found(seed, looked, 'while it was looked at');
  if (looked.type === 'refused') {
    totals.refused += 1;
    // Numbers, names and SQLite's own words make no kind of their own.
    const kind = looked.reason.replace(/\(.*\)/s, '(…)').replace(/row \d+/, 'row …');
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
    return;
  }
  const worked = await agent.ask({ type: 'image', image: looked.image, seed });
  if (worked.type !== 'done') return found(seed, { ...worked, story: looked.story }, 'in the lab');
  const again = await inspector.ask({ type: 'again', image: worked.image });
  if (again.type !== 'opened') {
    return found(seed, { story: looked.story, what: again.reason ?? again.what }, 'when it was opened again');
  }
  totals.opened += 1;
}

async function lane() {
  const [inspector, agent] = [new Thread('inspector'), new Thread('agent')];
  for (let done = 1; next < count; done += 1) {
    const seed = firstSeed + next;
    next += 1;
    await one(seed, inspector, agent);
    if (done % goodEvery !== 0) continue;
    const good = await inspector.ask({ type: 'good' });
    if (good.type === 'opened') continue;
    found(seed, good, 'no longer reads a good file, at or some cases before');
    await inspector.renew();
  }
  await Promise.all([inspector.end(), agent.end()]);
}

const started = performance.now();
try {
  await Promise.all(Array.from({ length: Math.min(4, cpus().length) }, lane));
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]))
  console.log(`${String(times).padStart(6)}  ${reason}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${next} files from seed ${firstSeed} in ${seconds} s: ${totals.opened} opened, ${totals.refused} refused, ${totals.failed} failed`,
);
process.exit(totals.failed === 0 && next === count ? 0 : 1);
